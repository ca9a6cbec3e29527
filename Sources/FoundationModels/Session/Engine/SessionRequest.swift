import ChatTemplates
import Chats
import Grammars

/// One prompt to a session, and what its response has to be like.
struct SessionRequest: Sendable {
  /// As it goes into the transcript.
  var prompt: Transcript.Prompt
  /// What the model reads right after the prompt, such as a schema; the transcript does not show it.
  var addition: String?
  /// What the response has to be like.
  var form: ResponseForm

  init(
    _ prompt: Prompt, _ options: GenerationOptions, addition: String? = nil,
    form: ResponseForm = .text
  ) {
    self.prompt = Transcript.Prompt(segments: prompt.segments, options: options)
    (self.addition, self.form) = (addition, form)
  }

  init(prompt: Transcript.Prompt, form: ResponseForm) {
    (self.prompt, self.form) = (prompt, form)
  }

  var options: GenerationOptions { prompt.options }

  /// The prompt as the model reads it.
  var message: ChatMessage {
    let text = prompt.segments.text + (addition ?? "")
    return ChatMessage(role: .user, content: text)
  }
}

/// The tokens of a conversation as a model of this machine has evaluated them.
struct SpokenTokens: Sendable {
  let tokens: [Int32]
  let speaker: ObjectIdentifier

  init?(_ answer: SessionEngine.Answer) {
    guard let speaker = answer.speaker else { return nil }
    (tokens, self.speaker) = (answer.tokens, speaker)
  }
}

/// What the model reads next in a turn: the prompt, then what tools have put out.
struct SessionRound: Sendable {
  /// What was said before the turn.
  private(set) var history: [ChatMessage]
  /// What was said in the turn before.
  private var since: [ChatMessage] = []
  /// The tokens of that, if they are known.
  private(set) var spoken: SpokenTokens?
  private(set) var next: [ChatMessage]
  /// The rounds before.
  private(set) var rounds: ToolRounds
  let callLimit: Int
  /// Whether the answer may call tools.
  var calling: ToolCalling { rounds.calling }
  /// How many answers there were before.
  var number: Int { rounds.count }

  init(_ turn: SessionTurn, _ reviewer: any ToolCallReviewer) {
    (history, spoken) = (turn.history.messages, turn.spoken)
    (next, callLimit) = ([turn.request.message], reviewer.maximumCallsPerRound)
    rounds = ToolRounds(
      turn.request.options.toolCallingMode?.calling ?? .allowed, limit: reviewer.maximumRounds)
  }

  /// A round of nobody's session.
  init(
    said: [ChatMessage], next: [ChatMessage], _ rounds: ToolRounds,
    spoken: SpokenTokens? = nil, callLimit: Int = ToolRounds.usualCalls
  ) {
    (history, self.spoken, self.next) = (said, spoken, next)
    (self.rounds, self.callLimit) = (rounds, callLimit)
  }

  /// The round after the model has called tools.
  func following(
    _ answer: SessionEngine.Answer, _ calls: [Transcript.Entry], _ outputs: [Transcript.Entry]
  ) -> SessionRound {
    var rounds = rounds
    rounds.note(answer.calls.map(\.chatCall))
    var round = SessionRound(
      said: history, next: Transcript(entries: outputs).messages, rounds,
      spoken: SpokenTokens(answer), callLimit: callLimit)
    round.since = since + next + Transcript(entries: calls).messages
    return round
  }

  /// All that was said before.
  var said: [ChatMessage] { history + since }

  /// The round with another history, whose tokens are not known.
  func after(_ history: Transcript) -> SessionRound {
    var round = self
    (round.history, round.spoken) = (history.messages, nil)
    return round
  }
}

/// What a request came to.
struct SessionReply: Sendable {
  let text: String
  /// What the request has added to the transcript.
  let entries: ArraySlice<Transcript.Entry>
  /// What all answers of the request have taken together.
  var usage = LanguageModelSession.Usage()
  /// The maximum number of tokens that was set.
  var limit: Int?
  var ending = LanguageModelSession.ResponseEnding.finished
}

extension SessionRequest {
  /// A prompt whose response is to have `format`.
  init(
    _ prompt: Prompt, _ format: Transcript.ResponseFormat, includesSchema: Bool,
    _ options: GenerationOptions
  ) {
    let context = ContextOptions(includeSchemaInPrompt: includesSchema)
    self.init(prompt, format, options, context, [:])
  }

  /// A prompt whose response is to have `format`, any text if that is nil.
  init(
    _ prompt: Prompt, _ format: Transcript.ResponseFormat?, _ options: GenerationOptions,
    _ context: ContextOptions, _ metadata: EntryMetadata
  ) {
    self.init(prompt, options, form: format.map(ResponseForm.init) ?? .text)
    self.prompt.responseFormat = format
    (self.prompt.contextOptions, self.prompt.metadata) = (context, metadata)
    if form.constraint != nil, context.includeSchemaInPrompt ?? true {
      addition = format?.promptText
    }
  }
}

extension Transcript.ResponseFormat {
  /// What the model reads of the format behind a prompt: the text that adapters are trained with.
  var promptText: String {
    ChatFormat.schemaText(
      name: name, description: schema.root.description, schema: schema.debugDescription)
  }
}

extension [Transcript.Entry] {
  /// What a turn has added; a prompt that was replaced meanwhile counts, too.
  func since(_ turn: SessionTurn) -> [Transcript.Entry] {
    let start =
      firstIndex { $0.id == turn.request.prompt.id }
      ?? lastIndex { if case .prompt = $0 { true } else { false } } ?? endIndex
    return Array(self[start...])
  }
}

extension Transcript.Entry {
  /// The entry, if it is instructions.
  var asInstructions: Transcript.Instructions? {
    if case .instructions(let entry) = self { entry } else { nil }
  }
}
