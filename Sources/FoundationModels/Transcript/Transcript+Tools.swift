public import Foundation

extension Transcript {
  /// A tool that a model could call.
  public struct ToolDefinition: Sendable {
    /// Name of the tool.
    public var name: String
    /// What the tool does, and when to call it.
    public var description: String
    /// What the tool's arguments have to be like.
    public var parameters: GenerationSchema

    /// A tool whose arguments have to be like `parameters`.
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters
    }

    /// What a session tells the model of `tool`.
    public init(tool: some Tool) {
      self.init(name: tool.name, description: tool.description, parameters: tool.parameters)
    }
  }

  /// A call of a tool.
  public struct ToolCall: Sendable, Identifiable, Equatable {
    /// The identity of the call, which its ``ToolOutput`` has too.
    public var id: String
    /// Name of the tool.
    public var toolName: String
    /// What the tool was called with.
    public var arguments: GeneratedContent
    private var known: MetadataCoding

    /// A call with `arguments`.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.init(id: id, metadata: [:], toolName: toolName, arguments: arguments)
    }

    /// As above, with what a provider says of the call.
    public init(
      id: String, metadata: [String: any Sendable & Codable & Equatable], toolName: String,
      arguments: GeneratedContent
    ) {
      (self.id, known) = (id, MetadataCoding(metadata))
      (self.toolName, self.arguments) = (toolName, arguments)
    }

    /// What else the provider says of the call.
    public var metadata: [String: any Sendable & Codable & Equatable] {
      get { known.values }
      set { known = MetadataCoding(newValue) }
    }
  }

  /// The tools that a model called at once.
  public struct ToolCalls: Sendable, Identifiable, Equatable {
    /// The identity of the entry.
    public var id: String
    private var known = MetadataCoding([:])
    private var calls: [ToolCall]

    /// An entry of `calls`.
    public init<Calls: Sequence>(id: String = UUID().uuidString, _ calls: Calls)
    where Calls.Element == ToolCall {
      self.id = id
      self.calls = Array(calls)
    }

    /// What the provider says of the calls together: an extension.
    public var metadata: [String: any Sendable & Codable & Equatable] {
      get { known.values }
      set { known = MetadataCoding(newValue) }
    }
  }
}

extension Transcript.ToolCalls: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of calls.
  public var endIndex: Int { calls.count }

  /// The call with `position` calls before it.
  public subscript(position: Int) -> Transcript.ToolCall { calls[position] }
}

extension Transcript.ToolDefinition: Equatable {
  /// Whether name, description and the JSON of the parameters are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.description == right.description
      && left.parameters.debugDescription == right.parameters.debugDescription
  }
}

extension Transcript {
  /// What a response had to be like.
  public struct ResponseFormat: Sendable {
    /// Name of the type or schema.
    public let name: String
    let schema: GenerationSchema

    /// What a format can be.
    public enum Kind: Sendable, Equatable {
      /// Content that follows a schema.
      case schema(GenerationSchema)

      /// Whether the JSON of both is the same.
      public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.schema(let left), .schema(let right)):
          left.debugDescription == right.debugDescription
        }
      }
    }

    /// What the response has to be like.
    public var kind: Kind { .schema(schema) }

    init(name: String, schema: GenerationSchema) {
      self.name = name
      self.schema = schema
    }

    /// A value of `type`.
    public init<Content: Generable>(type: Content.Type) {
      self.init(name: "\(type)", schema: type.generationSchema)
    }

    /// Content that follows `schema`, whose title is the name; `Any` when it has none.
    public init(schema: GenerationSchema) {
      self.init(name: schema.name, schema: schema)
    }
  }
}

extension Transcript.ResponseFormat: Equatable {
  /// Whether name and the JSON of the schema are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.schema.debugDescription == right.schema.debugDescription
  }
}
