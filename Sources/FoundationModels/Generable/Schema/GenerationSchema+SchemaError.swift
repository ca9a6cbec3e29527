extension GenerationSchema {
  /// Why dynamic schemas do not make one schema.
  public enum SchemaError: Error, Sendable {
    /// More about an error, for people who debug it.
    public struct Context: Sendable {
      /// What went wrong.
      public let debugDescription: String

      /// Says what went wrong.
      public init(debugDescription: String) {
        self.debugDescription = debugDescription
      }
    }

    /// Two different schemas have one name.
    case duplicateType(schema: String?, type: String, context: Context)
    /// Two properties of a structure have one name.
    case duplicateProperty(schema: String, property: String, context: Context)
    /// A choice has nothing to choose from.
    case emptyTypeChoices(schema: String, context: Context)
    /// Names are referred to that no schema has.
    case undefinedReferences(schema: String?, references: [String], context: Context)
  }
}

extension GenerationSchema.SchemaError: CustomStringConvertible {
  /// What is wrong, in one sentence.
  public var description: String {
    switch self {
    case .duplicateType(_, let type, _): "Two schemas are named '\(type)'; rename one."
    case .duplicateProperty(let schema, let property, _):
      "The schema '\(schema)' has two properties named '\(property)'; rename one."
    case .emptyTypeChoices(let schema, _):
      "The schema '\(schema)' has nothing to choose from; add a choice."
    case .undefinedReferences(_, let references, _):
      "No schema is named \(references.map { "'\($0)'" }.joined(separator: ", ")); add it to the dependencies."
    }
  }

  /// What is wrong, in one sentence.
  public var errorDescription: String? { description }

  /// What to change.
  public var recoverySuggestion: String? {
    switch self {
    case .duplicateType: "Give each schema a name of its own."
    case .duplicateProperty: "Give each property a name of its own."
    case .emptyTypeChoices: "Give the schema at least one choice."
    case .undefinedReferences: "Pass the schemas that are referred to as dependencies."
    }
  }
}
