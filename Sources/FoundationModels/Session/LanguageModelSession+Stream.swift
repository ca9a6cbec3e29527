extension LanguageModelSession {
  /// Answers `prompt` and hands out the response while it is being written.
  ///
  /// The answering starts at once, and stops when the stream is given up. Errors come when the stream is iterated or
  /// collected, as ``respond(to:options:)-(Prompt,_)`` throws them.
  public func streamResponse(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<String> {
    ResponseStream(self, SessionRequest(prompt, options))
  }

  /// Answers `prompt` and hands out the response while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<String> {
    streamResponse(to: Prompt(prompt), options: options)
  }

  /// Answers the prompt that a builder puts together, and hands out the response while it is being written.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<String> {
    streamResponse(to: try prompt(), options: options)
  }
}
