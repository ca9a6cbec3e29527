import ChatTemplates
import Chats
import Kernels
import LanguageModels
import SystemFiles
import Tokenization

/// A talk with a base and its adapters: what was said, and a session that keeps what it has computed of it.
final class Conversation {
  private var session: ModelSession
  private var speculator: Speculator?
  private let invocationNote: InvocationNote
  /// How answers are generated, which may change between two of them.
  var settings: AnswerSettings
  private let terminal: Terminal
  /// What one adapter's sessions have read of the talk, those of the next find again, as far as it is the base's.
  private let pool: CachePool
  private let threads: Int?
  /// Whether a person is asked before a tool runs.
  private let asks: Bool
  /// Whether words with a slash are obeyed behind an answer.
  var isChat = false
  /// What user, model and tools said in turn; what goes when the context is full, the rule of the settings says.
  ///
  /// Prompts are made of them alone, never of the tokens that the model wrote an answer with, which need not be those of its text: so
  /// the same talk gets the same answer, whether it was held now, taken back, or read from a file.
  private(set) var messages: [ChatMessage] = []

  init(
    _ model: BaseModel, adapters: [AppliedAdapter], _ settings: AnswerSettings,
    _ arguments: ParsedArguments, _ terminal: Terminal
  ) throws {
    (self.settings, self.terminal) = (settings, terminal)
    invocationNote = InvocationNote(terminal)
    threads = arguments.value(ModelOptions.threads)
    pool = CachePool(model, format: arguments.value(ModelOptions.cache))
    asks = !arguments.has(ToolOptions.yes)
    session = try ModelSession(model, adapters: adapters, pool: pool, threads: threads)
    speculator = try settings.speculation.map { [session] in try Speculator($0, for: session) }
  }

  /// Tokens that the instructions take of each prompt.
  var instructionTokens: Int {
    guard let renderer = settings.form.renderer else { return 0 }
    let empty = ChatMessage(role: .user, content: "")
    func count(_ messages: [ChatMessage]) -> Int { (try? renderer.prompt(messages).count) ?? 0 }
    return max(0, count(settings.opening + [empty]) - count([empty]))
  }

  /// Forgets everything but the instructions.
  func reset() { messages = [] }

  /// Goes on after other messages.
  func replace(_ messages: [ChatMessage]) { self.messages = messages }

  /// Goes on with other adapters of the same base, and the settings that were made for them.
  func use(_ adapters: [AppliedAdapter], _ settings: AnswerSettings) throws {
    let session = try ModelSession(
      session.model, adapters: adapters, pool: pool, threads: threads)
    speculator = try settings.speculation.map { try Speculator($0, for: session) }
    (self.session, self.settings) = (session, settings)
  }

  /// Takes the last message back, with all that came of it; nil where there is none.
  func takeBack() -> String? {
    guard let place = messages.lastIndex(where: { $0.role == .user }) else { return nil }
    let message = messages[place].content
    messages.removeSubrange(place...)
    return message
  }

  /// What was forgotten before an answer.
  struct Forgotten {
    /// Turns that are gone.
    let turns: Int
    /// Whether a summary stands in their place.
    let isSummed: Bool
  }

  /// Answers `message` and hands out text and thoughts as they come; `forget` is called before, where turns have to go for it.
  ///
  /// Once `isStopped` is true the answer ends where it is, and stays in the talk as far as it got; so it does where the
  /// context ends. An error leaves the talk as it was before.
  ///
  /// `pause` is called before a tool runs, between two parts of the text. Nothing of a turn in which tools are stopped is kept.
  func answer(
    _ message: String, isStopped: () -> Bool = { false }, forget: (Forgotten) -> Void = { _ in },
    pause: () -> Void = {}, emit: (ThoughtStream.Part) -> Void
  ) throws -> Answer {
    let message = ChatMessage(role: .user, content: message)
    // One seed for all parts of an answer, so that it can be had again.
    let options = settings.options.seeded
    let (kept, said, forgotten) = try prompt(for: message, options, isStopped)
    var turn = ChatTurn(settings.form, opening: settings.opening, kept + [message], prompt: said)
    var runs: [ToolProgram.Run] = []
    while true {
      let generator = try generator(of: turn, options)
      let reading = PromptReading(generator, prompt: turn.prompt.count, terminal)
      if turn.rounds.count == 0, let forgotten { forget(forgotten) }
      if let note = turn.rounds.note { terminal.note(note) }
      var isFull = false
      while !turn.isLooping, let token = try next(of: generator, reading, isStopped, &isFull) {
        turn.append(token).forEach(emit)
      }
      generator.stop()
      turn.finish().forEach(emit)
      let calls = turn.calls
      guard !calls.isEmpty else {
        if !isStopped(), let defect = turn.defect(isFull: isFull, inChat: isChat) { throw defect }
        messages = turn.answered
        var answer = Answer(
          turn, generator.statistics, temperature: options.temperature, isFull: isFull,
          toolCalls: settings.tools.isEmpty ? nil : runs)
        answer.forgottenTurns = forgotten?.turns
        return answer
      }
      pause()
      let results = try run(calls, isStopped)
      runs += results
      try turn.goOn(with: results.map(\.output))
    }
  }

  private func generator(
    of turn: ChatTurn, _ options: SamplingOptions
  ) throws -> TokenGenerator {
    do {
      return try invocationNote.noting(
        TokenGenerator(
          session, prompt: turn.prompt, options: options, stopTokens: settings.form.stopTokens,
          constraint: turn.checkedConstraint(), speculator: speculator))
    } catch BaseModelError.contextExceeded(let limit, let needed) where turn.rounds.count > 0 {
      throw turn.rounds.overflow(needed: needed, limit: limit)
    }
  }

  /// What the tools that were called have put out.
  private func run(
    _ calls: [ChatToolCall], _ isStopped: () -> Bool
  ) throws -> [ToolProgram.Run] {
    do {
      return try settings.tools.run(calls, asks: asks, terminal) {
        isStopped() || Task.isCancelled
      }
    } catch let error where error is CancellationError || error is ToolProgram.NotRun {
      guard isStopped(), !Task.isCancelled else { throw CancellationError() }
      let end = error is ToolProgram.NotRun ? "was not run" : "was stopped"
      throw Failure(.interrupted, "the tool \(end)\(remedy: "/retry asks again")")
    }
  }

  /// The next token; nil at the end, where the person stopped the answer, and where the context is full.
  private func next(
    of generator: TokenGenerator, _ reading: PromptReading, _ isStopped: () -> Bool,
    _ isFull: inout Bool
  ) throws(BaseModelError) -> Token? {
    defer { reading.finish() }
    do {
      return try generator.next(isCancelled: {
        reading.update()
        return isStopped() || Task.isCancelled
      })
    } catch {
      if case .contextExceeded = error {
        isFull = true
        return nil
      }
      guard error == .cancelled, isStopped() else { throw error }
      return nil
    }
  }

}

// What stays of a talk that is longer than the context.
extension Conversation {
  private typealias Prompt = (kept: [ChatMessage], tokens: [Token], forgotten: Forgotten?)

  /// The messages that stay before `message`, and the tokens of all.
  private func prompt(
    for message: ChatMessage, _ options: SamplingOptions, _ isStopped: () -> Bool
  ) throws -> Prompt {
    guard let renderer = settings.form.renderer else {
      return ([], settings.rawTokens(message.content), nil)
    }
    let opening = settings.opening
    guard !messages.isEmpty else { return ([], try renderer.prompt(opening + [message]), nil) }
    func whole(_ kept: [ChatMessage]) throws -> [Token] {
      try renderer.prompt(shortened: opening + kept + [message])
    }
    let all = try whole(messages)
    guard let rule = settings.contextRule else { return (messages, all, nil) }
    let turns = messages.turns
    let limit = session.contextLength
    var search = ContextSearch(
      rule, count: turns.count, limit: limit,
      room: ContextRule.room(limit: limit, maximum: settings.options.maximumTokens))
    while let asked = search.next {
      search.note(
        asked == 0 ? all.count : try whole(Array(turns[asked...].joined())).count)
    }
    guard search.dropped > 0 else { return (messages, all, nil) }
    var kept = Array(turns[search.dropped...].joined())
    let sum =
      rule == .summarize
      ? try summary(of: Array(turns[..<search.dropped].joined()), options, isStopped) : []
    kept = sum + kept
    return (kept, try whole(kept), Forgotten(turns: search.dropped, isSummed: !sum.isEmpty))
  }

  /// What the model makes of `said`, as a turn of its own; none where it has nothing to say, or was stopped.
  private func summary(
    of said: [ChatMessage], _ options: SamplingOptions, _ isStopped: () -> Bool
  ) throws -> [ChatMessage] {
    guard let renderer = settings.form.renderer else { return [] }
    let request = ChatMessage(role: .user, content: ContextRule.summaryRequest)
    var options = options
    options.maximumTokens = ContextRule.summaryLength(limit: session.contextLength)
    let prompt = try renderer.prompt(shortened: settings.opening + said + [request])
    guard prompt.count + options.maximumTokens <= session.contextLength else { return [] }
    let generator = try TokenGenerator(
      session, prompt: prompt, options: options, stopTokens: settings.form.stopTokens,
      speculator: speculator)
    var form = settings.form
    form.endsLoops = false
    var turn = ChatTurn(form, said + [request], prompt: prompt)
    let reading = PromptReading(generator, prompt: prompt.count, terminal)
    var isFull = false
    while let token = try next(of: generator, reading, isStopped, &isFull) {
      _ = turn.append(token)
    }
    _ = turn.finish()
    let text = turn.text.trimmed
    guard !text.isEmpty, turn.calls.isEmpty, !isStopped() else { return [] }
    return [request, ChatMessage(role: .assistant, content: text)]
  }
}
