// The ways to begin a conversation, or to go on with one.

extension LanguageModelSession {
  /// A new conversation with `model`, which may call `tools` and is to follow `instructions`.
  @_disfavoredOverload
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(model: model, tools: tools, instructions: instructions.map { Instructions($0) })
  }

  /// A new conversation with `model`, which may call `tools` and is to follow `instructions`.
  ///
  /// Without instructions the base's own apply, if its chat format has some. The names of the tools have to differ.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(ModelLink(model), tools, Self.opening(tools, instructions))
  }

  /// A new conversation with `model`, which may call `tools` and is to follow the instructions that a builder puts together.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(model: model, tools: tools, instructions: try instructions())
  }

  /// A conversation that goes on where `transcript` ends.
  ///
  /// The transcript may have been shortened: its turns may follow each other in any order. The model is told of `tools`,
  /// whatever definitions the transcript has.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(ModelLink(model), tools, transcript)
  }

  private static func opening(_ tools: [any Tool], _ instructions: Instructions?) -> Transcript {
    let definitions = SessionTools(tools: tools).definitions
    guard instructions != nil || !definitions.isEmpty else { return Transcript() }
    let segments = instructions?.segments ?? []
    let entry = Transcript.Instructions(segments: segments, toolDefinitions: definitions)
    return Transcript(entries: [.instructions(entry)])
  }
}

extension LanguageModelSession {
  /// A new conversation with a model of any kind, as on OS 27.
  @_disfavoredOverload
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(model: model, tools: tools, instructions: instructions.map { Instructions($0) })
  }

  /// A new conversation with a model of any kind, as on OS 27.
  ///
  /// What the model cannot do is told by the first response that needs it.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: Instructions? = nil
  ) {
    self.init(ModelLink(model), tools, Self.opening(tools, instructions))
  }

  /// A new conversation with a model of any kind, and with the instructions that a builder puts together.
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(model: model, tools: tools, instructions: try instructions())
  }

  /// A conversation with a model of any kind that goes on where `transcript` ends.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(ModelLink(model), tools, transcript)
  }
}
