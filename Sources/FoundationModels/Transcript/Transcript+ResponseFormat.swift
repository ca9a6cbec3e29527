extension Transcript {
  /// What a response had to be like.
  public struct ResponseFormat: Sendable {
    /// Name of the type or schema.
    public let name: String
    let schema: GenerationSchema

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
      self.init(name: schema.root.title ?? "Any", schema: schema)
    }
  }
}

extension Transcript.ResponseFormat: Equatable {
  /// Whether name and the JSON of the schema are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.schema.debugDescription == right.schema.debugDescription
  }
}
