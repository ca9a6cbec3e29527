public import Foundation

// The betas of OS 27 have values in metadata, its release has contents. Code for either is compiled: what is read or written
// without a type is a value, as a cast of a content would be nil without a word.

/// What others know of itself, by names: an extension, for code that reads metadata as the release of OS 27 has it.
public protocol MetadataHolder {
  /// Values of any type.
  var metadata: [String: any Sendable & Codable & Equatable] { get }
}

extension MetadataHolder {
  /// The values as contents, where the code around asks for these; those that JSON cannot have are left out.
  public var metadata: [String: GeneratedContent] {
    let values: EntryMetadata = metadata
    return values.contents
  }
}

extension ConvertibleFromGeneratedContent {
  /// The same as of the content that `value` of metadata stands for: an extension, for code that knows contents there.
  ///
  /// - Throws: What the type throws for that content, or for null where JSON cannot have the value.
  @_disfavoredOverload
  public init(_ value: any Sendable & Codable & Equatable) throws {
    try self.init(MetadataCoding.content(value) ?? GeneratedContent(kind: .null))
  }
}

/// What is known of an entry, by names: an extension, for code that reads it as the release of OS 27 has it.
public protocol MetadataValuesHolder {
  /// Values of any type.
  var values: [String: any Sendable & Codable & Equatable] { get }
}

extension MetadataValuesHolder {
  /// The values as contents, where the code around asks for these; those that JSON cannot have are left out.
  public var values: [String: GeneratedContent] {
    let values: EntryMetadata = values
    return values.contents
  }
}

extension LanguageModelExecutorGenerationChannel.Metadata: MetadataValuesHolder {}
extension Transcript.Prompt: MetadataHolder {}
extension Transcript.Response: MetadataHolder {}
extension Transcript.Reasoning: MetadataHolder {}
extension Transcript.ToolCall: MetadataHolder {}
extension Transcript.ToolCalls: MetadataHolder {}
extension LanguageModelSession.Usage: MetadataHolder {}
extension LanguageModelExecutorGenerationRequest: MetadataHolder {}
extension LanguageModelExecutorGenerationChannel.Usage: MetadataHolder {}

extension Transcript.Prompt {
  /// An entry with contents in its metadata.
  @_disfavoredOverload
  public init(
    id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent],
    segments: [Transcript.Segment], options: GenerationOptions = GenerationOptions(),
    responseFormat: Transcript.ResponseFormat? = nil,
    contextOptions: ContextOptions = ContextOptions()
  ) {
    self.init(
      id: id, metadata: EntryMetadata(contents: metadata), segments: segments, options: options,
      responseFormat: responseFormat, contextOptions: contextOptions)
  }
}

extension Transcript.Response {
  /// An entry with contents in its metadata.
  @_disfavoredOverload
  public init(
    id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent],
    segments: [Transcript.Segment]
  ) {
    self.init(id: id, metadata: EntryMetadata(contents: metadata), segments: segments)
  }
}

extension Transcript.Reasoning {
  /// An entry with contents in its metadata.
  @_disfavoredOverload
  public init(
    id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent],
    segments: [Transcript.Segment], signature: Data? = nil
  ) {
    self.init(
      id: id, metadata: EntryMetadata(contents: metadata), segments: segments, signature: signature)
  }
}

extension Transcript.ToolCall {
  /// A call with contents in its metadata.
  @_disfavoredOverload
  public init(
    id: String, metadata: [String: any ConvertibleToGeneratedContent], toolName: String,
    arguments: GeneratedContent
  ) {
    self.init(
      id: id, metadata: EntryMetadata(contents: metadata), toolName: toolName, arguments: arguments)
  }
}

extension LanguageModelExecutorGenerationRequest {
  /// A request that no session makes, with contents in its metadata.
  @_disfavoredOverload
  public init(
    id: UUID, transcript: Transcript, enabledTools: [Transcript.ToolDefinition],
    schema: GenerationSchema? = nil, generationOptions: GenerationOptions,
    contextOptions: ContextOptions, metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.init(
      id: id, transcript: transcript, enabledTools: enabledTools, schema: schema,
      generationOptions: generationOptions, contextOptions: contextOptions,
      metadata: EntryMetadata(contents: metadata))
  }
}

extension LanguageModelExecutorGenerationChannel.Usage {
  /// What an answer has taken, with contents in its metadata.
  @_disfavoredOverload
  public init(
    input: Input, output: Output, metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.init(input: input, output: output, metadata: EntryMetadata(contents: metadata))
  }
}

extension LanguageModelSession.Usage {
  /// What answers have taken, with contents in its metadata.
  @_disfavoredOverload
  public init(
    input: Input, output: Output, metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.init(input: input, output: output, metadata: EntryMetadata(contents: metadata))
  }
}
