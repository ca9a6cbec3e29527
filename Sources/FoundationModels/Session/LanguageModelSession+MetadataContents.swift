public import Observation

// The ways to ask with contents in metadata, as the release of OS 27 has it. They stand in an extension of a protocol, so that
// a literal, which could be both, is values.

extension Observable where Self == LanguageModelSession {
  /// Answers `prompt`.
  ///
  /// - Throws: What ``LanguageModelSession`` throws for values.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: some PromptRepresentable, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent]
  ) async throws -> LanguageModelSession.Response<String> {
    try await respond(
      to: prompt.promptRepresentation, options: options, contextOptions: contextOptions,
      metadata: EntryMetadata(contents: metadata))
  }

  /// Answers the prompt that a builder puts together.
  ///
  /// - Throws: What ``LanguageModelSession`` throws for values.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> LanguageModelSession.Response<String> {
    try await respond(
      to: prompt(), options: options, contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers `prompt` with a value of `type`.
  ///
  /// - Throws: What ``LanguageModelSession`` throws for values.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: some PromptRepresentable, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent]
  ) async throws -> LanguageModelSession.Response<Content> {
    try await respond(
      to: prompt.promptRepresentation, generating: type, options: options,
      contextOptions: contextOptions, metadata: EntryMetadata(contents: metadata))
  }

  /// Answers the prompt that a builder puts together with a value of `type`.
  ///
  /// - Throws: What ``LanguageModelSession`` throws for values.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> LanguageModelSession.Response<Content> {
    try await respond(
      to: prompt(), generating: type, options: options, contextOptions: contextOptions,
      metadata: metadata)
  }

  /// Answers `prompt` with content that follows `schema`.
  ///
  /// - Throws: What ``LanguageModelSession`` throws for values.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: some PromptRepresentable, schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent]
  ) async throws -> LanguageModelSession.Response<GeneratedContent> {
    try await respond(
      to: prompt.promptRepresentation, schema: schema, options: options,
      contextOptions: contextOptions, metadata: EntryMetadata(contents: metadata))
  }

  /// Answers the prompt that a builder puts together with content that follows `schema`.
  ///
  /// - Throws: What ``LanguageModelSession`` throws for values.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> LanguageModelSession.Response<GeneratedContent> {
    try await respond(
      to: prompt(), schema: schema, options: options, contextOptions: contextOptions,
      metadata: metadata)
  }
}

extension Observable where Self == LanguageModelSession {
  /// Answers `prompt`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: some PromptRepresentable, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent]
  ) -> LanguageModelSession.ResponseStream<String> {
    streamResponse(
      to: prompt.promptRepresentation, options: options, contextOptions: contextOptions,
      metadata: EntryMetadata(contents: metadata))
  }

  /// Answers the prompt that a builder puts together, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> LanguageModelSession.ResponseStream<String> {
    streamResponse(
      to: try prompt(), options: options, contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers `prompt` with a value of `type`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: some PromptRepresentable, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent]
  ) -> LanguageModelSession.ResponseStream<Content> {
    streamResponse(
      to: prompt.promptRepresentation, generating: type, options: options,
      contextOptions: contextOptions, metadata: EntryMetadata(contents: metadata))
  }

  /// Answers the prompt that a builder puts together with a value of `type`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> LanguageModelSession.ResponseStream<Content> {
    streamResponse(
      to: try prompt(), generating: type, options: options, contextOptions: contextOptions,
      metadata: metadata)
  }

  /// Answers `prompt` with content that follows `schema`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: some PromptRepresentable, schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent]
  ) -> LanguageModelSession.ResponseStream<GeneratedContent> {
    streamResponse(
      to: prompt.promptRepresentation, schema: schema, options: options,
      contextOptions: contextOptions, metadata: EntryMetadata(contents: metadata))
  }

  /// Answers the prompt that a builder puts together with content that follows `schema`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> LanguageModelSession.ResponseStream<GeneratedContent> {
    streamResponse(
      to: try prompt(), schema: schema, options: options, contextOptions: contextOptions,
      metadata: metadata)
  }
}
