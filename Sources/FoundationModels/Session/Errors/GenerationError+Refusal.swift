extension LanguageModelSession.GenerationError {
  /// A model's refusal to answer.
  public struct Refusal: Sendable {
    private let entries: [Transcript.Entry]

    /// The refusal that `transcriptEntries` record.
    public init(transcriptEntries: [Transcript.Entry]) { entries = transcriptEntries }

    /// What the model said when it refused, which is the text of the recorded responses: nothing is generated.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { try await explanationStream.collect() }
    }

    /// The explanation as a stream, which has it at once.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      let responses = entries.compactMap { entry in
        if case .response(let response) = entry { response.segments.text } else { nil }
      }
      return LanguageModelSession.ResponseStream(
        SessionReply(text: responses.joined(separator: "\n"), entries: entries[...]), .text)
    }
  }
}
