// What events say of the entries that they belong to, with contents in metadata, as the release of OS 27 has it.

extension LanguageModelExecutorGenerationChannel.Response.Action {
  /// All that is to be known of the entry.
  @_disfavoredOverload
  public static func updateMetadata(
    _ values: [String: any ConvertibleToGeneratedContent]
  ) -> Self {
    updateMetadata(EntryMetadata(contents: values))
  }

  /// What the answer has taken so far.
  @_disfavoredOverload
  public static func updateUsage(
    input: LanguageModelExecutorGenerationChannel.Usage.Input,
    output: LanguageModelExecutorGenerationChannel.Usage.Output,
    metadata: [String: any ConvertibleToGeneratedContent]
  ) -> Self {
    updateUsage(input: input, output: output, metadata: EntryMetadata(contents: metadata))
  }
}

extension LanguageModelExecutorGenerationChannel.Reasoning.Action {
  /// All that is to be known of the entry.
  @_disfavoredOverload
  public static func updateMetadata(
    _ values: [String: any ConvertibleToGeneratedContent]
  ) -> Self {
    updateMetadata(EntryMetadata(contents: values))
  }

  /// What the answer has taken so far.
  @_disfavoredOverload
  public static func updateUsage(
    input: LanguageModelExecutorGenerationChannel.Usage.Input,
    output: LanguageModelExecutorGenerationChannel.Usage.Output,
    metadata: [String: any ConvertibleToGeneratedContent]
  ) -> Self {
    updateUsage(input: input, output: output, metadata: EntryMetadata(contents: metadata))
  }
}

extension LanguageModelExecutorGenerationChannel.ToolCalls.Action {
  /// All that is to be known of the calls together.
  @_disfavoredOverload
  public static func updateMetadata(
    _ values: [String: any ConvertibleToGeneratedContent]
  ) -> Self {
    updateMetadata(EntryMetadata(contents: values))
  }

  /// What the answer has taken so far.
  @_disfavoredOverload
  public static func updateUsage(
    input: LanguageModelExecutorGenerationChannel.Usage.Input,
    output: LanguageModelExecutorGenerationChannel.Usage.Output,
    metadata: [String: any ConvertibleToGeneratedContent]
  ) -> Self {
    updateUsage(input: input, output: output, metadata: EntryMetadata(contents: metadata))
  }
}

extension LanguageModelExecutorGenerationChannel.ToolCalls.ToolCall.Action {
  /// All that is to be known of the call.
  @_disfavoredOverload
  public static func updateMetadata(
    _ values: [String: any ConvertibleToGeneratedContent]
  ) -> Self {
    updateMetadata(EntryMetadata(contents: values))
  }
}
