public import Foundation

extension Transcript {
  /// What the model is to do or to be in a session.
  public struct Instructions: Sendable, Identifiable, Equatable {
    /// The identity of the entry.
    public var id: String
    /// The instructions piece by piece.
    public var segments: [Segment]
    /// The tools that the model was told of.
    ///
    /// A session tells it of its own tools, not of these.
    public var toolDefinitions: [ToolDefinition]

    /// An entry of `segments`.
    public init(
      id: String = UUID().uuidString, segments: [Segment], toolDefinitions: [ToolDefinition] = []
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  /// What a person asked, and how the answer was to be generated.
  public struct Prompt: Sendable, Identifiable, Equatable {
    /// The identity of the entry.
    public var id: String
    /// The prompt piece by piece.
    public var segments: [Segment]
    /// How the answer was to be generated.
    public var options: GenerationOptions
    /// What the model was to read and to think beside the prompt.
    public var contextOptions: ContextOptions
    private var known: MetadataCoding
    /// What the answer had to be like; nil for any text.
    public var responseFormat: ResponseFormat?

    /// An entry of `segments`.
    public init(
      id: String = UUID().uuidString, segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil
    ) {
      self.init(
        id: id, metadata: [:], segments: segments, options: options,
        responseFormat: responseFormat, contextOptions: ContextOptions())
    }

    /// As above, with what OS 27 adds.
    public init(
      id: String = UUID().uuidString,
      metadata: [String: any Sendable & Codable & Equatable] = [:], segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil,
      contextOptions: ContextOptions = ContextOptions()
    ) {
      (self.id, known, self.segments) = (id, MetadataCoding(metadata), segments)
      (self.options, self.responseFormat) = (options, responseFormat)
      self.contextOptions = contextOptions
    }

    /// What the caller has passed on.
    public var metadata: [String: any Sendable & Codable & Equatable] {
      get { known.values }
      set { known = MetadataCoding(newValue) }
    }
  }

  /// What a tool answered when the model called it.
  public struct ToolOutput: Sendable, Identifiable, Equatable {
    /// The identity of the call that this answers.
    public var id: String
    /// Name of the tool.
    public var toolName: String
    /// The answer piece by piece.
    public var segments: [Segment]

    /// An answer of `segments`.
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }

  /// What the model said.
  public struct Response: Sendable, Identifiable, Equatable {
    /// The identity of the entry.
    public var id: String
    /// What the response was generated with; a session here states the base's signature and the adapter's identifier.
    public var assetIDs: [String]
    /// The response piece by piece.
    public var segments: [Segment]
    private var other = MetadataCoding([:])

    /// An entry of `segments`.
    public init(id: String = UUID().uuidString, assetIDs: [String], segments: [Segment]) {
      self.id = id
      self.assetIDs = assetIDs
      self.segments = segments
    }

    /// As above, with what a provider says of the entry; its `assetIDs`, if they are a list of texts, are those.
    public init(
      id: String = UUID().uuidString,
      metadata: [String: any Sendable & Codable & Equatable] = [:], segments: [Segment]
    ) {
      let assetIDs = metadata.content("assetIDs").flatMap { try? [String]($0) }
      self.init(id: id, assetIDs: assetIDs ?? [], segments: segments)
      other = MetadataCoding(metadata)
      if assetIDs != nil { other.values["assetIDs"] = nil }
    }

    /// What is known of the entry, `assetIDs` among it where there are some.
    public var metadata: [String: any Sendable & Codable & Equatable] {
      var metadata = other.values
      if !assetIDs.isEmpty { metadata["assetIDs"] = assetIDs }
      return metadata
    }
  }
}

extension Transcript {
  /// A piece of an entry.
  public enum Segment: Sendable, Identifiable, Equatable {
    /// A piece of text.
    case text(TextSegment)
    /// A piece of structured content.
    case structure(StructuredSegment)
    /// Something that is no text.
    case attachment(AttachmentSegment)
    /// A piece of a provider's own kind.
    case custom(any CustomSegment)

    /// The identity of the piece in its entry.
    public var id: String {
      switch self {
      case .text(let segment): segment.id
      case .structure(let segment): segment.id
      case .attachment(let segment): segment.id
      case .custom(let segment): segment.id
      }
    }

    /// The piece as the model reads it.
    package var text: String {
      switch self {
      case .text(let segment): segment.content
      case .structure(let segment): segment.content.jsonString
      case .attachment(let segment): segment.description
      case .custom(let segment): segment.description
      }
    }

    /// Whether both are the same in everything.
    public static func == (left: Self, right: Self) -> Bool {
      func equal<Custom: Equatable>(_ left: Custom, _ right: Any) -> Bool {
        right as? Custom == left
      }
      return switch (left, right) {
      case (.text(let left), .text(let right)): left == right
      case (.structure(let left), .structure(let right)): left == right
      case (.attachment(let left), .attachment(let right)): left == right
      case (.custom(let left), .custom(let right)): equal(left, right)
      default: false
      }
    }
  }

  /// A piece of text.
  public struct TextSegment: Sendable, Identifiable, Equatable {
    /// The identity of the piece.
    public var id: String
    /// The text.
    public var content: String

    /// A piece with the text `content`.
    public init(id: String = UUID().uuidString, content: String) {
      self.id = id
      self.content = content
    }
  }
}

extension Transcript {
  /// A piece of structured content.
  public struct StructuredSegment: Sendable, Identifiable, Equatable {
    /// The identity of the piece.
    public var id: String
    /// Name of the type or schema that the content is of.
    public var source: String
    /// The content.
    public var content: GeneratedContent

    /// A piece with `content`, which is of the type or schema `source`.
    public init(id: String = UUID().uuidString, source: String, content: GeneratedContent) {
      self.id = id
      self.source = source
      self.content = content
    }

    /// As above; ``source`` has another name on OS 27.
    public init(id: String = UUID().uuidString, schemaName: String, content: GeneratedContent) {
      self.init(id: id, source: schemaName, content: content)
    }

    /// The same as ``source``.
    public var schemaName: String {
      get { source }
      set { source = newValue }
    }
  }
}

extension [Transcript.Segment] {
  /// One piece of text.
  package init(text: String) { self = [.text(Transcript.TextSegment(content: text))] }

  /// The pieces as the model reads them: one after the other, each on a line of its own.
  package var text: String { map(\.text).joined(separator: "\n") }
}
