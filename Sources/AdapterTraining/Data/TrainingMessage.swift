public import Adapters
public import ChatTemplates

/// One message of an example.
public struct TrainingMessage: Sendable, Equatable {
  /// Who says it.
  public var role: ChatRole
  /// What is said.
  public var content: String
  /// Calls of tools that end an answer: a list of objects with `name` and `arguments`, or nil.
  public var toolCalls: JSONValue?
  /// The schema that an answer to this message has to follow, or nil.
  public var responseFormat: ResponseFormat?

  /// A message without tools and schema.
  public init(_ role: ChatRole, _ content: String) {
    self.role = role
    self.content = content
  }
}

/// What a message of the user asks of the answer: the `json_schema` of a `response_format`.
public struct ResponseFormat: Sendable, Equatable {
  /// Name of the type.
  public let name: String?
  /// What the type is for.
  public let description: String?
  /// The JSON schema of the answer.
  public let schema: JSONValue

  /// A format from its parts.
  public init(name: String?, description: String?, schema: JSONValue) {
    self.name = name
    self.description = description
    self.schema = schema
  }
}
