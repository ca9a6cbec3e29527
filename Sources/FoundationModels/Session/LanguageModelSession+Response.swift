extension LanguageModelSession {
  /// What a model answered.
  public struct Response<Content: Generable> {
    /// The answer.
    public let content: Content
    /// The answer as it was generated.
    public let rawContent: GeneratedContent
    /// What the prompt has added to the transcript, the prompt itself first.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// What the prompt has taken, with all rounds of calls, as on OS 27.
    public let usage: LanguageModelSession.Usage
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
      guard rawContent.isComplete else { throw CutResponse(limit: reply.limit) }
      content = try Content(rawContent)
      transcriptEntries = reply.entries
      usage = reply.usage
    } catch {
      throw .unreadable(error)
    }
  }
}

extension LanguageModelSession.GenerationError {
  /// The error for an answer that is not what was asked for, because of `error`.
  static func unreadable(_ error: any Swift.Error) -> Self {
    .decodingFailure(Context(debugDescription: "\(error)"))
  }
}

/// A response that ends before it is whole.
private struct CutResponse: Swift.Error, CustomStringConvertible {
  /// The maximum number of tokens; nil where none was set.
  let limit: Int?

  var description: String {
    limit == nil
      ? "The response ends before it is whole, as the model stopped or the context was full; ask for less."
      : "The response was cut by the maximum number of tokens; allow more, or ask for less."
  }
}
