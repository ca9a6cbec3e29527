extension LanguageModelSession {
  /// Answers `prompt`, and hands it out while it is being written.
  public func streamResponse(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) -> ResponseStream<String> {
    ResponseStream(
      self,
      SessionRequest(prompt, nil, options, contextOptions, metadata))
  }

  /// Answers `prompt`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) -> ResponseStream<String> {
    streamResponse(
      to: Prompt(prompt), options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers the prompt that a builder puts together, and hands it out while it is being written.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any Sendable & Codable & Equatable] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<String> {
    streamResponse(
      to: try prompt(), options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers `prompt` with a value of `type`, and hands it out while it is being written.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) -> ResponseStream<Content> {
    ResponseStream(
      self,
      SessionRequest(
        prompt, Transcript.ResponseFormat(type: type), options, contextOptions,
        metadata))
  }

  /// Answers `prompt` with a value of `type`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) -> ResponseStream<Content> {
    streamResponse(
      to: Prompt(prompt), generating: type, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers the prompt that a builder puts together with a value of `type`, and hands it out while it is being written.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<Content> {
    streamResponse(
      to: try prompt(), generating: type, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers `prompt` with content that follows `schema`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: Prompt, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) -> ResponseStream<GeneratedContent> {
    ResponseStream(
      self,
      SessionRequest(
        prompt, Transcript.ResponseFormat(schema: schema), options, contextOptions,
        metadata))
  }

  /// Answers `prompt` with content that follows `schema`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:]
  ) -> ResponseStream<GeneratedContent> {
    streamResponse(
      to: Prompt(prompt), schema: schema, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }

  /// Answers the prompt that a builder puts together with content that follows `schema`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any Sendable & Codable & Equatable] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<GeneratedContent> {
    streamResponse(
      to: try prompt(), schema: schema, options: options,
      contextOptions: contextOptions, metadata: metadata)
  }
}
