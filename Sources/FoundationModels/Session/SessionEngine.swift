import AdapterStore
import ChatTemplates
import LanguageModels
import Tokenization

/// The model side of a session: tokens, keys and values.
actor SessionEngine {
  /// A base, an adapter and the tokens that they have seen.
  private struct Open {
    let model: LoadedModel
    let session: ModelSession
    let speculator: Speculator
    /// Keeps `prune` away while the session lives.
    let lease: StoreLease?

    var renderer: ChatRenderer { model.base.renderer }
  }

  struct Answer: Sendable {
    let text: String
    let assetIDs: [String]
  }

  private let model: SystemLanguageModel
  private var open: Open?
  /// All tokens of the transcript as they were evaluated, the last response without its end; nil while they have to be
  /// made from the transcript's text.
  private var spoken: [Token]?
  /// What the last response took; nil before the first.
  private(set) var statistics: GenerationStatistics?

  init(_ model: SystemLanguageModel) { self.model = model }

  /// Answers `turn` and hands out the text as it comes.
  ///
  /// An answer that `accept` throws for is forgotten.
  func answer(
    _ turn: SessionTurn, accept: (String) throws -> Void, emit: (String) -> Void
  ) throws -> Answer {
    let open = try opened()
    let request = turn.request
    let options = try request.options.engine(limit: open.session.contextLength)
    var tokens = try prompt(turn.history, request.message, open)
    let constraint = try request.form.constraint?(open.model.base.model, open.renderer)
    let generator = try TokenGenerator(
      open.session, prompt: tokens, options: options, stopTokens: open.renderer.stopTokens,
      constraint: constraint, speculator: open.speculator)
    defer { statistics = generator.statistics }
    var decoder = open.renderer.answerDecoder()
    var text = ""
    while let token = try generator.next() {
      tokens.append(token)
      let piece = decoder.append(token)
      guard !piece.isEmpty else { continue }
      text += piece
      emit(text)
    }
    let rest = decoder.finish()
    if !rest.isEmpty {
      text += rest
      emit(text)
    }
    try accept(text)
    spoken = tokens
    return Answer(text: text, assetIDs: open.model.assetIDs)
  }

  /// Evaluates what the next prompt's tokens start with for sure.
  ///
  /// What cannot be done is left to the next response, which says why.
  func prewarm(history: Transcript, prefix: Prompt?) {
    guard let open = try? opened(), let tokens = try? sureTokens(history, prefix, open) else {
      return
    }
    let session = open.session
    let shared = zip(session.tokens, tokens).prefix { $0 == $1 }.count
    guard shared < tokens.count, tokens.count < session.contextLength else { return }
    session.truncate(to: shared)
    try? session.evaluate(Array(tokens[shared...]), isCancelled: { Task.isCancelled })
  }

  /// The tokens that all prompts with this beginning have in common.
  private func sureTokens(
    _ history: Transcript, _ prefix: Prompt?, _ open: Open
  ) throws -> ArraySlice<Token> {
    // How a text is cut into tokens depends on what follows: these continuations stand for all.
    let variants = try ["", " a", "b", "."].map { continuation in
      try prompt(
        history, ChatMessage(role: .user, content: (prefix?.text ?? "") + continuation), open)
    }
    return variants.dropFirst().reduce(variants[0][...]) { common, other in
      common.prefix(zip(common, other).prefix { $0 == $1 }.count)
    }
  }

  /// All tokens up to where the answer to `message` starts.
  private func prompt(
    _ history: Transcript, _ message: ChatMessage, _ open: Open
  ) throws(ChatDefect) -> [Token] {
    let said = history.map(\.message)
    guard let spoken else { return try open.renderer.prompt(shortened: said + [message]) }
    return try open.renderer.prompt(after: said, tokens: spoken, next: [message])
  }

  private func opened() throws -> Open {
    if let open { return open }
    let model = try self.model.load()
    let session = try ModelSession(
      model.base.model, adapters: [model.adapter?.applied].compactMap(\.self),
      contextLength: model.contextSize, threads: model.threads)
    let speculator = try Speculator(speculation(model), for: session)
    let open = Open(
      model: model, session: session, speculator: speculator, lease: model.place.lease())
    self.open = open
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

extension Transcript.ToolCall {
  /// The call as a model would write it: JSON with the tool's name and its arguments.
  fileprivate var text: String {
    GeneratedContent(properties: ["name": toolName, "arguments": arguments]).jsonString
  }
}

extension Transcript.Entry {
  /// The entry as a turn of a chat.
  var message: ChatMessage {
    switch self {
    case .instructions(let entry): ChatMessage(role: .system, content: entry.segments.text)
    case .prompt(let entry): ChatMessage(role: .user, content: entry.segments.text)
    case .toolCalls(let entry):
      ChatMessage(role: .assistant, content: entry.map(\.text).joined(separator: "\n"))
    case .toolOutput(let entry): ChatMessage(role: .tool, content: entry.segments.text)
    case .response(let entry): ChatMessage(role: .assistant, content: entry.segments.text)
    }
  }
}
