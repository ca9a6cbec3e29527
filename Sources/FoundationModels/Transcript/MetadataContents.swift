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

extension Transcript.Prompt: MetadataHolder {}
extension Transcript.Response: MetadataHolder {}
extension Transcript.Reasoning: MetadataHolder {}
extension Transcript.ToolCall: MetadataHolder {}
extension Transcript.ToolCalls: MetadataHolder {}
extension LanguageModelSession.Usage: MetadataHolder {}
extension LanguageModelExecutorGenerationRequest: MetadataHolder {}
extension LanguageModelExecutorGenerationChannel.Usage: MetadataHolder {}

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
