import ChatTemplates
import LanguageModels
import Tokenization

/// A talk with a base and its adapters: what was said, and a session that keeps what it has computed of it.
final class Conversation {
  private let session: ModelSession
  private let renderer: ChatRenderer
  private let options: GenerationOptions
  private let instructions: String?
  /// All tokens so far, the last answer without its end.
  private var tokens: [Token] = []

  init(
    _ model: LanguageModel, adapters: [AppliedAdapter], _ arguments: ParsedArguments
  ) throws {
    let style = try AnswerOptions.style(arguments, model)
    renderer = try ChatRenderer(style, tokenizer: model.tokenizer())
    session = try ModelSession(
      model, adapters: adapters, cache: arguments.value(ModelOptions.cache),
      threads: arguments.value(ModelOptions.threads))
    options = AnswerOptions.sampling(arguments)
    instructions = arguments.value(AnswerOptions.instructions)
  }

  /// Forgets everything but the instructions.
  func reset() { tokens = [] }

  /// Answers `message` and hands out the text as it comes.
  ///
  /// Once `isStopped` is true the answer ends where it is, and stays in the talk as far as it got. An error leaves the
  /// talk as it was before.
  func answer(
    _ message: String, isStopped: () -> Bool = { false }, emit: (String) -> Void
  ) throws -> Answer {
    var said = try prompt(for: message)
    let generator = try TokenGenerator(
      session, prompt: said, options: options, stopTokens: renderer.stopTokens)
    var decoder = renderer.answerDecoder()
    var text = ""
    while let token = try next(of: generator, isStopped) {
      said.append(token)
      let piece = decoder.append(token)
      text += piece
      emit(piece)
    }
    let rest = decoder.finish()
    emit(rest)
    tokens = said
    return Answer(text: text + rest, generator.statistics)
  }

  /// The next token; nil at the end, and where the person stopped the answer.
  private func next(
    of generator: TokenGenerator, _ isStopped: () -> Bool
  ) throws(LanguageModelError) -> Token? {
    do {
      return try generator.next(isCancelled: { isStopped() || Task.isCancelled })
    } catch {
      guard error == .cancelled, isStopped() else { throw error }
      return nil
    }
  }

  private func prompt(for message: String) throws -> [Token] {
    let message = ChatMessage(role: .user, content: message)
    guard tokens.isEmpty else { return tokens + (try renderer.continuation([message])) }
    let opening = instructions.map { [ChatMessage(role: .system, content: $0)] } ?? []
    return try renderer.prompt(opening + [message])
  }
}
