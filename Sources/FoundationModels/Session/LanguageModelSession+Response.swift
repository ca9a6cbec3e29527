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
    /// Why the answer ends where it does: an extension.
    public let ending: LanguageModelSession.ResponseEnding
  }

  /// Why an answer of a model of this machine ends where it does; one of another model is ``finished``.
  public enum ResponseEnding: Sendable, Equatable {
    /// The model had said all.
    case finished
    /// It came to the maximum number of tokens, by which a value has to have ended.
    case limit
    /// It came to the end of the context.
    case context
    /// It repeated the same words again and again.
    case repetition
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}

extension LanguageModelSession.Response {
  /// The answer that `reply` holds, in the form that was asked for.
  ///
  init(_ reply: SessionReply, _ form: ResponseForm) throws(GeneratedContent.ParsingError) {
    do {
      rawContent = try form.read(reply.text)
      // What was cut could read as a whole value of another meaning.
      guard rawContent.isComplete else { throw CutResponse(limit: reply.limit) }
      content = try Content(rawContent)
      transcriptEntries = reply.entries
      usage = reply.usage
      ending = reply.ending
    } catch {
      throw GeneratedContent.ParsingError(reply.text, error)
    }
  }
}

extension GeneratedContent.ParsingError {
  /// The error for an answer that is not what was asked for, because of `error`.
  init(_ text: String, _ error: any Swift.Error) {
    self.init(rawContent: text, underlyingError: error, debugDescription: "\(error)")
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
