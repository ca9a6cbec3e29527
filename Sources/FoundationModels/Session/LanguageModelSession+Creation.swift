extension LanguageModelSession {
  /// A new conversation with `model`, which is to follow `instructions`.
  @_disfavoredOverload
  public convenience init(model: SystemLanguageModel = .default, instructions: String? = nil) {
    self.init(model: model, instructions: instructions.map { Instructions($0) })
  }

  /// A new conversation with `model`, which is to follow `instructions`.
  ///
  /// Without any, the base's own apply, if its chat format has some.
  public convenience init(
    model: SystemLanguageModel = .default, instructions: Instructions? = nil
  ) {
    let entry = instructions.map {
      Transcript.Instructions(segments: [Transcript.Segment](text: $0.text))
    }
    self.init(model, Transcript(entries: entry.map { [.instructions($0)] } ?? []))
  }

  /// A new conversation with `model`, which is to follow the instructions that a builder puts together.
  public convenience init(
    model: SystemLanguageModel = .default,
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(model: model, instructions: try instructions())
  }

  /// A conversation that goes on where `transcript` ends.
  ///
  /// The transcript may have been shortened: its turns may follow each other in any order.
  public convenience init(model: SystemLanguageModel = .default, transcript: Transcript) {
    self.init(model, transcript)
  }
}
