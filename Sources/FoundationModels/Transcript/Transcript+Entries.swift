public import Foundation

extension Transcript {
  /// What the model is to do or to be in a session.
  public struct Instructions: Sendable, Identifiable, Equatable {
    /// The identity of the entry.
    public var id: String
    /// The instructions piece by piece.
    public var segments: [Segment]
    /// The tools that the model could call; they are kept with the transcript and not told to a model here.
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
    /// What the answer had to be like; nil for any text.
    public var responseFormat: ResponseFormat?

    /// An entry of `segments`.
    public init(
      id: String = UUID().uuidString, segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil
    ) {
      self.id = id
      self.segments = segments
      self.options = options
      self.responseFormat = responseFormat
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

    /// An entry of `segments`.
    public init(id: String = UUID().uuidString, assetIDs: [String], segments: [Segment]) {
      self.id = id
      self.assetIDs = assetIDs
      self.segments = segments
    }
  }
}
