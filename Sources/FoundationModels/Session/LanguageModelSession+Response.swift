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
      // What was cut could read as a whole value of another meaning.
      guard rawContent.isComplete else { throw CutResponse() }
      content = try Content(rawContent)
      transcriptEntries = reply.entries
    } catch {
      throw .decodingFailure(
        LanguageModelSession.GenerationError.Context(debugDescription: "\(error)"))
    }
  }
}

/// A response that the limit of tokens has cut.
private struct CutResponse: Error, CustomStringConvertible {
  let description =
    "The response was cut by the maximum number of tokens; allow more, or ask for less."
}
