extension LanguageModelSession {
  /// Answers `prompt`.
  ///
  /// - Throws: ``GenerationError``, `CancellationError`, or `LanguageModelError` for options outside their range.
  @discardableResult
  public func respond(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(SessionRequest(prompt, options))
  }

  /// Answers `prompt`.
  ///
  /// - Throws: ``GenerationError``, `CancellationError`, or `LanguageModelError` for options outside their range.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await respond(to: Prompt(prompt), options: options)
  }

  /// Answers the prompt that a builder puts together.
  ///
  /// - Throws: ``GenerationError``, `CancellationError`, `LanguageModelError` for options outside their range, or what
  ///   the builder throws.
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await respond(to: prompt(), options: options)
  }
}
