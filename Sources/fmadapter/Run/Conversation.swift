import ChatTemplates
import LanguageModels
import Tokenization

/// A talk with a base and its adapters: what was said, and a session that keeps what it has computed of it.
final class Conversation {
  private let session: ModelSession
  private let speculator: Speculator?
  private let settings: AnswerSettings
  /// What user and model said in turn; the oldest go when the context is full.
  private var messages: [ChatMessage] = []
  /// The tokens of all that, the last answer without its end.
  private var tokens: [Token] = []

  init(
    _ model: LanguageModel, adapters: [AppliedAdapter], _ settings: AnswerSettings,
    _ arguments: ParsedArguments
  ) throws {
    self.settings = settings
    session = try ModelSession(
      model, adapters: adapters, cache: arguments.value(ModelOptions.cache),
      threads: arguments.value(ModelOptions.threads))
    speculator = try settings.speculation.map { [session] in try Speculator($0, for: session) }
  }

  /// Forgets everything but the instructions.
  func reset() { (messages, tokens) = ([], []) }

  /// Answers `message` and hands out text and thoughts as they come; `forget` is called before, with the turns that have to
  /// go for it.
  ///
  /// Once `isStopped` is true the answer ends where it is, and stays in the talk as far as it got; so it does where the
  /// context ends. An error leaves the talk as it was before.
  func answer(
    _ message: String, isStopped: () -> Bool = { false }, forget: (Int) -> Void = { _ in },
    emit: (ThoughtStream.Part) -> Void
  ) throws -> Answer {
    let message = ChatMessage(role: .user, content: message)
    var (kept, said) = try prompt(for: message)
    let generator = try TokenGenerator(
      session, prompt: said, options: settings.options, stopTokens: settings.stopTokens,
      constraint: settings.constraint, speculator: speculator)
    if kept.count < messages.count { forget((messages.count - kept.count) / 2) }
    var decoder = settings.decoder(after: said)
    var isFull = false
    while let token = try next(of: generator, isStopped, &isFull) {
      said.append(token)
      decoder.append(token).forEach(emit)
    }
    decoder.finish().forEach(emit)
    kept += [message, ChatMessage(role: .assistant, content: decoder.whole)]
    (messages, tokens) = (kept, said)
    return Answer(decoder, generator.statistics, isFull: isFull)
  }

  /// The next token; nil at the end, where the person stopped the answer, and where the context is full.
  private func next(
    of generator: TokenGenerator, _ isStopped: () -> Bool, _ isFull: inout Bool
  ) throws(LanguageModelError) -> Token? {
    do {
      return try generator.next(isCancelled: { isStopped() || Task.isCancelled })
    } catch {
      if case .contextExceeded = error {
        isFull = true
        return nil
      }
      guard error == .cancelled, isStopped() else { throw error }
      return nil
    }
  }

  /// The messages that stay before `message`, and the tokens of all.
  ///
  /// The oldest turns go for as long as there is no room for the longest answer, or for one of half the context.
  private func prompt(for message: ChatMessage) throws -> (kept: [ChatMessage], tokens: [Token]) {
    guard let renderer = settings.renderer else {
      return ([], settings.rawTokens(message.content))
    }
    let opening = settings.opening
    let room = min(settings.options.maximumTokens, session.contextLength / 2)
    guard !messages.isEmpty else { return ([], try renderer.prompt(opening + [message])) }
    var kept = messages
    var said = try renderer.prompt(after: opening + kept, tokens: tokens, next: [message])
    while said.count + room > session.contextLength, !kept.isEmpty {
      kept.removeFirst(2)
      said = try renderer.prompt(opening + kept + [message])
    }
    return (kept, said)
  }
}
