import ChatTemplates
import LanguageModels
import TensorFiles
import Tokenization

/// A talk with a base and its adapters: what was said, and a session that keeps what it has computed of it.
final class Conversation {
  private let session: ModelSession
  private let speculator: Speculator?
  private let settings: AnswerSettings
  private let terminal: Terminal
  /// Whether a person is asked before a tool runs.
  private let asks: Bool
  /// What user, model and tools said in turn; the oldest go when the context is full.
  private var messages: [ChatMessage] = []
  /// The tokens of all that, the last answer without its end.
  private var tokens: [Token] = []

  init(
    _ model: LanguageModel, adapters: [AppliedAdapter], _ settings: AnswerSettings,
    _ arguments: ParsedArguments, _ terminal: Terminal
  ) throws {
    (self.settings, self.terminal) = (settings, terminal)
    asks = !arguments.has(ToolOptions.yes)
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
  ///
  /// `pause` is called before a tool runs, between two parts of the text. Nothing of a turn in which tools are stopped is kept.
  func answer(
    _ message: String, isStopped: () -> Bool = { false }, forget: (Int) -> Void = { _ in },
    pause: () -> Void = {}, emit: (ThoughtStream.Part) -> Void
  ) throws -> Answer {
    let message = ChatMessage(role: .user, content: message)
    var (kept, said) = try prompt(for: message)
    let forgotten = messages.dropLast(kept.count).count { $0.role == .user }
    kept.append(message)
    var runs: [ToolProgram.Run] = []
    for number in 0... {
      let generator = try TokenGenerator(
        session, prompt: said, options: settings.options, stopTokens: settings.stopTokens,
        constraint: settings.constraint(round: number), speculator: speculator)
      if number == 0, forgotten > 0 { forget(forgotten) }
      var decoder = settings.decoder(after: said)
      var isFull = false
      while let token = try next(of: generator, isStopped, &isFull) {
        said.append(token)
        decoder.append(token).forEach(emit)
      }
      decoder.finish().forEach(emit)
      guard !decoder.called.isEmpty else {
        guard !decoder.isCutCall || isStopped() else {
          throw Failure(
            .unexpected,
            "the answer was cut within a call of a tool\(remedy: "give it more room with --max-tokens")"
          )
        }
        kept.append(ChatMessage(role: .assistant, content: decoder.whole))
        (messages, tokens) = (kept, said)
        return Answer(
          decoder, generator.statistics, isFull: isFull,
          toolCalls: settings.tools.isEmpty ? nil : runs)
      }
      pause()
      // An identity for each call of the talk.
      let calls = decoder.called.enumerated().map { index, call in
        ChatToolCall(
          id: call.id.utf8.count == 9 ? call.id : "call\(kept.count).\(index)", name: call.name,
          arguments: call.arguments)
      }
      let results: [ToolProgram.Run]
      do { results = try run(calls, isStopped) } catch is CancellationError {
        guard isStopped(), !Task.isCancelled else { throw CancellationError() }
        throw Failure(.interrupted, "the tool was stopped\(remedy: "ask again")")
      }
      runs += results
      kept.append(ChatMessage(calls: calls, content: decoder.whole))
      let next = zip(calls, results).map { ChatMessage(resultOf: $0, content: $1.output) }
      said =
        try settings.renderer?.prompt(
          after: settings.opening + kept, tokens: said, next: next) ?? said
      kept += next
    }
    preconditionFailure("the last round ends with an answer")
  }

  private func run(
    _ calls: [ChatToolCall], _ isStopped: () -> Bool
  ) throws -> [ToolProgram.Run] {
    try calls.map { call in
      guard let program = settings.tools.first(where: { $0.tool.name == call.name }) else {
        preconditionFailure("the grammar of calls has no other names")
      }
      return try program.run(call, asks: asks, terminal) { isStopped() || Task.isCancelled }
    }
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
      kept.removeFirst()
      while kept.first.map({ $0.role != .user }) ?? false { kept.removeFirst() }
      said = try renderer.prompt(opening + kept + [message])
    }
    return (kept, said)
  }
}
