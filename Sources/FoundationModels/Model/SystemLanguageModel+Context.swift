import ChatTemplates
import LanguageModels

extension SystemLanguageModel {
  /// Tokens that a session with this model holds at most, prompts and responses together; 0 while it is not available.
  public var contextSize: Int { (try? load())?.contextSize ?? 0 }

  /// The tokens that `prompt` takes up in a session: its text and the marks of its turn.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`.
  public func tokenCount(for prompt: some PromptRepresentable) async throws -> Int {
    try count(Prompt(prompt).message)
  }

  /// The tokens that `instructions` take up in a session: their text and the marks of their turn.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`.
  public func tokenCount(for instructions: Instructions) async throws -> Int {
    try count(instructions.message)
  }

  /// The tokens that a session holds which was made from these entries, before its next prompt.
  ///
  /// They are those of the entries' turns and of what stands before the first one: the marks of the chat format, and
  /// the base's own instructions when there are no others.
  ///
  /// - Throws: `LanguageModelSession.GenerationError.assetsUnavailable`.
  public func tokenCount(
    for transcriptEntries: some Collection<Transcript.Entry>
  ) async throws -> Int {
    let renderer = try opened().base.renderer
    return renderer.openingTokens(transcriptEntries.map(\.message)).count
  }

  private func count(_ message: ChatMessage) throws -> Int {
    try opened().base.renderer.turnTokens([message]).count
  }
}
