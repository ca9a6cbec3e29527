extension LanguageModelSession {
  /// Answers `prompt`.
  ///
  /// - Throws: ``LanguageModelError``, ``GenerationError``, `CancellationError`, or ``GenerationOptionsError``.
  @discardableResult
  public func respond(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(SessionRequest(prompt, options))
  }

  /// Answers `prompt`.
  ///
  /// - Throws: ``LanguageModelError``, ``GenerationError``, `CancellationError`, or ``GenerationOptionsError``.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await respond(to: Prompt(prompt), options: options)
  }

  /// Answers the prompt that a builder puts together.
  ///
  /// - Throws: ``LanguageModelError``, ``GenerationError``, `CancellationError`, ``GenerationOptionsError``, or what the builder throws.
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await respond(to: prompt(), options: options)
  }
}

extension LanguageModelSession {
  /// Answers `prompt` with a value of `type`.
  ///
  /// - Throws: ``LanguageModelError``: `unsupportedGenerationGuide` before the first token for what cannot be enforced;
  ///   ``GeneratedContent/ParsingError`` for a response that the maximum number of tokens cuts; ``GenerationError``, `CancellationError`,
  ///   or ``GenerationOptionsError``.
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await answer(
      SessionRequest(
        prompt, Transcript.ResponseFormat(type: type), includesSchema: includeSchemaInPrompt,
        options))
  }

  /// Answers `prompt` with a value of `type`.
  ///
  /// - Throws: As `respond(to:generating:includeSchemaInPrompt:options:)` with a ``Prompt``.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await respond(
      to: Prompt(prompt), generating: type, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }

  /// Answers the prompt that a builder puts together with a value of `type`.
  ///
  /// - Throws: As `respond(to:generating:includeSchemaInPrompt:options:)` with a ``Prompt``.
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await respond(
      to: prompt(), generating: type, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }

  /// Answers `prompt` with content that follows `schema`.
  ///
  /// - Throws: As `respond(to:generating:includeSchemaInPrompt:options:)` with a ``Prompt``.
  @discardableResult
  public func respond(
    to prompt: Prompt, schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      SessionRequest(
        prompt, Transcript.ResponseFormat(schema: schema), includesSchema: includeSchemaInPrompt,
        options))
  }

  /// Answers `prompt` with content that follows `schema`.
  ///
  /// - Throws: As `respond(to:generating:includeSchemaInPrompt:options:)` with a ``Prompt``.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String, schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await respond(
      to: Prompt(prompt), schema: schema, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }

  /// Answers the prompt that a builder puts together with content that follows `schema`.
  ///
  /// - Throws: As `respond(to:generating:includeSchemaInPrompt:options:)` with a ``Prompt``.
  @discardableResult
  public func respond(
    schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await respond(
      to: prompt(), schema: schema, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }
}
