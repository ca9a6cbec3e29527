import AdapterStore
import ChatTemplates
import Chats
import Foundation
import Kernels
import LanguageModels
import Tokenization

/// What this machine's own models keep of a session: keys and values, and how they are told of tools.
package actor SessionEngine {
  /// A base, an adapter and the tokens that they have seen.
  private struct Open {
    /// Whose this is; kept, so that its identity stays its own.
    let source: SystemLanguageModel
    let model: LoadedModel
    let session: ModelSession
    let speculator: Speculator
    /// For the session's tools.
    var renderer: ChatRenderer
    /// Keeps `prune` away while the session lives.
    let lease: StoreLease?
  }

  /// What the model said in one go.
  package struct Answer: Sendable {
    /// What there is before the calls, if there are some.
    let text: String
    let calls: [Transcript.ToolCall]
    /// All tokens of the conversation, without the answer's end; empty where they are not known.
    private(set) var tokens: [Token]
    private(set) var assetIDs: [String]
    /// The model of this machine that has the tokens.
    var speaker: ObjectIdentifier?
    /// What was said as an executor has sent it, without calls.
    var entries: [Transcript.Entry] = []
    /// The identity that the entry of the calls is to have.
    var callsID: String?
    /// What is to be known of the calls together.
    var callsMetadata: EntryMetadata = [:]
    var usage = LanguageModelSession.Usage()
    var ending = LanguageModelSession.ResponseEnding.finished

    init(text: String, calls: [Transcript.ToolCall], tokens: [Token], assetIDs: [String]) {
      (self.text, self.calls, self.tokens, self.assetIDs) = (text, calls, tokens, assetIDs)
    }

    /// What was said as entries of a transcript, the answer proper as `segments`.
    func responding(_ segments: [Transcript.Segment]) -> [Transcript.Entry] {
      guard
        let place = entries.lastIndex(where: { if case .response = $0 { true } else { false } }),
        case .response(var response) = entries[place]
      else { return entries + [.response(Transcript.Response(assetIDs: [], segments: segments))] }
      let texts = segments.contains { if case .structure = $0 { true } else { false } }
      if texts || response.segments.isEmpty {
        response.segments.removeAll { if case .text = $0 { true } else { false } }
        response.segments = segments + response.segments
      }
      var entries = entries
      entries[place] = .response(response)
      return entries
    }

    /// The calls as an entry.
    func calling(_ calls: [Transcript.ToolCall]) -> Transcript.Entry {
      var entry = callsID.map { Transcript.ToolCalls(id: $0, calls) } ?? Transcript.ToolCalls(calls)
      entry.metadata = callsMetadata
      return .toolCalls(entry)
    }

    /// Takes over the tokens of the same answer.
    mutating func spoke(as own: Answer) {
      (tokens, speaker, ending) = (own.tokens, own.speaker, own.ending)
    }
  }

  private let tools: SessionTools
  /// By the models that have taken part; more than one only where an executor passes requests on.
  private var open: [ObjectIdentifier: Open] = [:]
  /// What guards of content have let pass.
  nonisolated let passed = PassedContents()
  /// Where answers are generated.
  nonisolated let thread = TaskThread()
  /// What the last response took, also one that failed; nil before the first token of one.
  private(set) var statistics: GenerationStatistics?

  init(_ tools: SessionTools) { self.tools = tools }

  /// Runs `work` on the session's own thread.
  ///
  /// By a task of its own: within a closure that was handed on, Swift 6.3 forgets a preference that is set in place, and
  /// generates where all tasks run.
  nonisolated func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task(executorPreference: thread, operation: work)
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Lets `model` answer what is next in `turn`, and hands out the text as it comes.
  ///
  /// - Throws: `GenerationError.decodingFailure` for calls that the limit of tokens has cut.
  func answer(
    _ model: SystemLanguageModel, _ turn: EngineTurn, emit: (String) -> Void
  ) throws -> Answer {
    let (request, round) = (turn.request, turn.round)
    let speaker = ObjectIdentifier(model)
    statistics = nil
    let (open, start) = try prepared(model, turn)
    let limit = request.form.schema?.usualLimit ?? .max
    let options = try request.options.engine(limit: min(limit, open.session.contextLength))
    var tokens = start
    let form = try request.form.constraint?(open.model.base.model, open.renderer)
    let constraint = try open.renderer.constraint(
      answer: form, round.calling, limit: round.callLimit)
    let renderer = open.renderer
    let generator = try Self.explaining(round, request, renderer, read: start.count) {
      try TokenGenerator(
        open.session, prompt: tokens, options: options, stopTokens: renderer.stopTokens,
        constraint: constraint, speculator: open.speculator)
    }
    defer { statistics = generator.statistics }
    var decoder = try Self.decoder(of: round, renderer, open.model.base.model)
    func hand(_ parts: [ThoughtStream.Part]) {
      for case .answer(let text) in parts { emit(text) }
    }
    while let token = try Self.explaining(
      round, request, renderer, read: start.count, written: tokens.count - start.count,
      { try generator.next() })
    {
      tokens.append(token)
      hand(decoder.append(token))
      guard decoder.loop != nil else { continue }
      // A text ends here, a value as soon as it can.
      if form == nil {
        generator.stop()
        break
      }
      generator.endSoon(within: limit / Self.endOfLimit)
    }
    hand(decoder.finish { UUID().uuidString })
    guard !decoder.isCutCall else {
      throw LanguageModelSession.GenerationError.decodingFailure(
        LanguageModelSession.GenerationError.Context(
          debugDescription:
            "A call of a tool was cut by the maximum number of tokens; allow more."))
    }
    var answer = Answer(
      text: decoder.whole, calls: try decoder.called.map(Transcript.ToolCall.init), tokens: tokens,
      assetIDs: open.model.assetIDs)
    answer.speaker = speaker
    answer.ending =
      decoder.loop != nil
      ? .repetition
      : Self.ending(
        generator.statistics, isValue: form != nil, limit: options.maximumTokens,
        room: open.session.contextLength - start.count)
    // Where every token of an answer is forced, its prompt was read in no pass.
    answer.usage = LanguageModelSession.Usage(generator.statistics, read: start.count)
    return answer
  }

  private static func decoder(
    of round: SessionRound, _ renderer: ChatRenderer, _ base: BaseModel
  ) throws -> AnswerDecoder {
    let tokenizer = try base.tokenizer()
    let asked = (round.said + round.next).map(\.content).joined(separator: "\n")
    return AnswerDecoder(
      renderer.answerDecoder(), calls: ToolCallStream(renderer, round.calling),
      watch: LoopWatch(asked: asked) { tokenizer.decode($0, isStart: false) })
  }

  /// The part of its usual limit that a value has to end in once it repeats itself.
  private static let endOfLimit = 16
  /// Tokens that a value may lack of its limit where that has ended it: a grammar comes to its end before.
  private static let nearLimit = 8

  private static func ending(
    _ statistics: GenerationStatistics, isValue: Bool, limit: Int, room: Int
  ) -> LanguageModelSession.ResponseEnding {
    guard isValue else { return statistics.finish == .length ? .limit : .finished }
    guard min(limit, room) - statistics.generatedTokens <= nearLimit else { return .finished }
    return room < limit ? .context : .limit
  }

  /// What the prompt of `turn` takes of the context.
  func measure(_ model: SystemLanguageModel, _ turn: EngineTurn) throws -> ContextMeasure {
    let (open, tokens) = try prepared(model, turn)
    return ContextMeasure(
      tokens: tokens.count, limit: open.session.contextLength,
      maximumResponse: turn.request.options.maximumResponseTokens)
  }

  /// The open model, which renders with the tools of `turn`, and all tokens up to where its answer starts.
  private func prepared(
    _ model: SystemLanguageModel, _ turn: EngineTurn
  ) throws -> (Open, [Token]) {
    let (round, speaker) = (turn.round, ObjectIdentifier(model))
    var open = try opened(model)
    if let tools = turn.tools { open.renderer = try Self.renderer(open.model, tools) }
    try prepareForCalls(round.said + round.next, &open)
    if turn.tools == nil { self.open[speaker] = open }
    let spoken = round.spoken.flatMap { $0.speaker == speaker ? $0.tokens : nil }
    return (open, try prompt(round.said, spoken, round.next, open))
  }

  /// Evaluates what the next prompt's tokens start with for sure.
  ///
  /// What cannot be done is left to the next response, which says why.
  func prewarm(_ model: SystemLanguageModel, _ start: ModelLink.Start) {
    guard var open = try? opened(model) else { return }
    let said = start.history.messages
    let spoken = start.spoken.flatMap {
      $0.speaker == ObjectIdentifier(model) ? $0.tokens : nil
    }
    guard (try? prepareForCalls(said, &open)) != nil,
      let tokens = try? sureTokens(said, spoken, start.prefix, open)
    else { return }
    let session = open.session
    let shared = zip(session.tokens, tokens).prefix { $0 == $1 }.count
    guard shared < tokens.count, tokens.count < session.contextLength else { return }
    session.truncate(to: shared)
    try? session.evaluate(Array(tokens[shared...]), isCancelled: { Task.isCancelled })
  }

  /// The tokens that all prompts with this beginning have in common.
  private func sureTokens(
    _ said: [ChatMessage], _ spoken: [Token]?, _ prefix: Prompt?, _ open: Open
  ) throws -> ArraySlice<Token> {
    // How a text is cut into tokens depends on what follows: these continuations stand for all.
    let variants = try ["", " a", "b", "."].map { continuation in
      let message = ChatMessage(role: .user, content: (prefix?.text ?? "") + continuation)
      return try prompt(said, spoken, [message], open)
    }
    return variants.dropFirst().reduce(variants[0][...]) { common, other in
      common.prefix(zip(common, other).prefix { $0 == $1 }.count)
    }
  }

  /// All tokens up to where the answer to `next` starts.
  private func prompt(
    _ said: [ChatMessage], _ spoken: [Token]?, _ next: [ChatMessage], _ open: Open
  ) throws(ChatDefect) -> [Token] {
    guard let spoken else { return try open.renderer.prompt(shortened: said + next) }
    return try open.renderer.prompt(after: said, tokens: spoken, next: next)
  }

  /// What `body` returns; where the context is too small, the error says what fills it: `read` tokens, and `written` ones of the response.
  private static func explaining<R>(
    _ round: SessionRound, _ request: SessionRequest, _ renderer: ChatRenderer, read: Int,
    written: Int = 0, _ body: () throws -> R
  ) throws -> R {
    do { return try body() } catch {
      guard let error = error as? BaseModelError,
        case .contextExceeded(let limit, _) = error
      else { throw error }
      throw contextError(limit, round, request, renderer, read, written)
    }
  }

  private static func contextError(
    _ limit: Int, _ round: SessionRound, _ request: SessionRequest, _ renderer: ChatRenderer,
    _ read: Int, _ written: Int
  ) -> LanguageModelError {
    let said = renderer.openingTokens(round.said).count
    let instructions = renderer.openingTokens(Array(round.said.prefix { $0.role == .system })).count
    let next = renderer.openingTokens(round.said + round.next).count - said
    let schema =
      request.addition.map { addition in
        renderer.turnTokens([ChatMessage(role: .user, content: addition)]).count
          - renderer.turnTokens([ChatMessage(role: .user, content: "")]).count
      } ?? 0
    let tools = renderer.toolTokenCount
    // Of what was read, as that has the schemas of earlier prompts in it, which the transcript's turns have not.
    let history = round.said.allSatisfy { $0.role == .system } ? 0 : read - next - instructions
    let parts = [
      ("instructions", instructions - tools), ("tools", tools), ("history", history),
      ("schema", schema), ("prompt", next - schema), ("response", written),
    ]
    let used = parts.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let remedy = written > read ? "Set maximumResponseTokens" : "Shorten what is longest"
    return .contextSizeExceeded(
      LanguageModelError.ContextSizeExceeded(
        contextSize: limit, tokenCount: read + written,
        debugDescription:
          "The context holds \(limit) tokens, and more are needed with a response: \(used). \(remedy), or start a new session."
      ))
  }

  /// A session without tools may go on from a transcript with calls.
  private func prepareForCalls(_ said: [ChatMessage], _ open: inout Open) throws {
    guard open.renderer.toolCalls == nil,
      said.contains(where: { $0.role == .tool || !$0.toolCalls.isEmpty })
    else { return }
    open.renderer = try open.renderer.offering([])
  }

  /// What renders conversations with `tools`.
  private static func renderer(_ model: LoadedModel, _ tools: [ChatTool]) throws -> ChatRenderer {
    tools.isEmpty ? model.base.renderer : try model.base.renderer.offering(tools)
  }

  private func opened(_ source: SystemLanguageModel) throws -> Open {
    if let open = open[ObjectIdentifier(source)] { return open }
    let model = try source.load()
    let session = try ModelSession(
      model.base.model, adapters: [model.adapter?.applied].compactMap(\.self),
      contextLength: model.contextSize, threads: model.threads)
    session.passes = model.base.passes(threads: model.threads)
    let speculator = try Speculator(speculation(model), for: session)
    let renderer = try Self.renderer(model, tools.tools.map { try $0.chatTool() })
    let open = Open(
      source: source, model: model, session: session, speculator: speculator, renderer: renderer,
      lease: model.place.lease())
    self.open[ObjectIdentifier(source)] = open
    return open
  }
}

extension SessionEngine {
  /// What the adapter's package carries, and what was measured of it here.
  private func speculation(_ model: LoadedModel) throws -> Speculation {
    guard let adapter = model.adapter else { return Speculation() }
    let base = model.base.model
    let store = try? SystemLanguageModel.configuration.openStore()
    var speculation = try Speculation(
      [adapter.applied], for: base,
      costs: store?.compiledCosts(package: adapter.path, for: base))
    if speculation.draft != nil,
      let path = store?.compiledDraftModel(package: adapter.path, for: base)
    {
      speculation.draft = try DraftModel(path: path, for: base)
    }
    return speculation
  }
}

extension Prompt {
  /// The prompt as a turn of a chat.
  var message: ChatMessage { ChatMessage(role: .user, content: text) }
}

extension Instructions {
  /// The instructions as a turn of a chat.
  var message: ChatMessage { ChatMessage(role: .system, content: text) }
}
