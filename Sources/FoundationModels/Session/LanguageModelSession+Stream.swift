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

extension LanguageModelSession {
  /// Answers `prompt` with a value of `type`, and hands it out while it is being written.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<Content> {
    ResponseStream(
      self,
      SessionRequest(
        prompt, Transcript.ResponseFormat(type: type), includesSchema: includeSchemaInPrompt,
        options))
  }

  /// Answers `prompt` with a value of `type`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<Content> {
    streamResponse(
      to: Prompt(prompt), generating: type, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }

  /// Answers the prompt that a builder puts together with a value of `type`, and hands it out while it is being written.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<Content> {
    try streamResponse(
      to: prompt(), generating: type, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }

  /// Answers `prompt` with content that follows `schema`, and hands it out while it is being written.
  public func streamResponse(
    to prompt: Prompt, schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<GeneratedContent> {
    ResponseStream(
      self,
      SessionRequest(
        prompt, Transcript.ResponseFormat(schema: schema), includesSchema: includeSchemaInPrompt,
        options))
  }

  /// Answers `prompt` with content that follows `schema`, and hands it out while it is being written.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<GeneratedContent> {
    streamResponse(
      to: Prompt(prompt), schema: schema, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }

  /// Answers the prompt that a builder puts together with content that follows `schema`, and hands it out while it is being written.
  public func streamResponse(
    schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<GeneratedContent> {
    try streamResponse(
      to: prompt(), schema: schema, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }
}
