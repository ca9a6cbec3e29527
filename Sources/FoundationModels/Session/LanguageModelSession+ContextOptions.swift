// The ways to ask that OS 27 adds: with what the model is to read and to think, and with what its executor is to know, which
// stands with the prompt in the transcript, too.

extension LanguageModelSession {
  /// Answers `prompt`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @discardableResult
  public func respond(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) async throws -> Response<String> {
    try await answer(
      SessionRequest(prompt, nil, options, contextOptions, metadata))
  }

  /// Answers `prompt`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) async throws -> Response<String> {
    try await respond(
      to: Prompt(prompt), options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers the prompt that a builder puts together.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await respond(
      to: prompt(), options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers `prompt` with a value of `type`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) async throws -> Response<Content> {
    try await answer(
      SessionRequest(
        prompt, Transcript.ResponseFormat(type: type), options, contextOptions,
        metadata))
  }

  /// Answers `prompt` with a value of `type`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) async throws -> Response<Content> {
    try await respond(
      to: Prompt(prompt), generating: type, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers the prompt that a builder puts together with a value of `type`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await respond(
      to: prompt(), generating: type, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers `prompt` with content that follows `schema`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: Prompt, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) async throws -> Response<GeneratedContent> {
    try await answer(
      SessionRequest(
        prompt, Transcript.ResponseFormat(schema: schema), options, contextOptions,
        metadata))
  }

  /// Answers `prompt` with content that follows `schema`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) async throws -> Response<GeneratedContent> {
    try await respond(
      to: Prompt(prompt), schema: schema, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers the prompt that a builder puts together with content that follows `schema`.
  ///
  /// - Throws: ``GenerationError``, ``LanguageModelError``, `CancellationError`, ``GenerationOptionsError``, or what the executor
  ///   throws.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await respond(
      to: prompt(), schema: schema, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }
}
