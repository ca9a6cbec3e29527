extension LanguageModelSession {
  /// What a model answered.
  public struct Response<Content: Generable> {
    /// The answer.
    public let content: Content
    /// The answer as it was generated.
    public let rawContent: GeneratedContent
    /// What the prompt has added to the transcript, the prompt itself first.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}

extension LanguageModelSession.Response {
  /// The answer that `reply` holds, in the form that was asked for.
  ///
  /// - Throws: `GenerationError.decodingFailure`.
  init(_ reply: SessionReply, _ form: ResponseForm) throws(LanguageModelSession.GenerationError) {
    do {
      rawContent = try form.read(reply.text)
      content = try Content(rawContent)
      transcriptEntries = reply.entries
    } catch {
      throw .decodingFailure(
        LanguageModelSession.GenerationError.Context(debugDescription: "\(error)"))
    }
  }
}
