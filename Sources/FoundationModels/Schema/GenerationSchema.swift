public import Foundation
import JSON

/// What a model may generate: types, order of properties and limits.
///
/// A schema made from Swift types is looked up type by type when it is used, so types may contain themselves.
public struct GenerationSchema: Sendable {
  /// The whole value.
  let root: SchemaNode
  /// Parts that others refer to by name.
  let definitions: [SchemaDefinition]
  /// The type whose schema this is; references to it are references to the whole.
  let type: SchemaType?

  init(_ root: SchemaNode, definitions: [SchemaDefinition] = [], type: SchemaType? = nil) {
    (self.root, self.definitions, self.type) = (root, definitions, type)
  }

  /// The schema of a structure with `properties` in their order; their names have to differ.
  public init(
    type: any Generable.Type, description: String? = nil, properties: [Property]
  ) {
    self.init(
      type: type, description: description, representNilExplicitlyInGeneratedContent: false,
      properties: properties)
  }

  /// As above; with `representNilExplicitlyInGeneratedContent` a missing property is generated as `null`, not left out.
  public init(
    type: any Generable.Type, description: String? = nil,
    representNilExplicitlyInGeneratedContent isExplicit: Bool, properties: [Property]
  ) {
    let type = SchemaType(type: type, rules: [])
    let names = properties.map(\.property.name)
    precondition(Set(names).count == names.count, "\(type.name) has two properties of one name")
    var object = SchemaObject(
      title: type.name, description: description, properties: properties.map(\.property))
    if isExplicit { object.representNilExplicitly() }
    self.init(.object(object), type: type)
  }

  /// The schema of a text that is one of `choices`, of which there has to be one.
  public init(type: any Generable.Type, description: String? = nil, anyOf choices: [String]) {
    let type = SchemaType(type: type, rules: [])
    precondition(!choices.isEmpty, "\(type.name) has no choices")
    let string = SchemaString(title: type.name, description: description, values: choices)
    self.init(.string(string), type: type)
  }

  /// The schema of a value of one of `types`, of which there has to be one.
  public init(
    type: any Generable.Type, description: String? = nil, anyOf types: [any Generable.Type]
  ) {
    let type = SchemaType(type: type, rules: [])
    precondition(!types.isEmpty, "\(type.name) has no choices")
    let choice = SchemaChoice(
      title: type.name, description: description,
      branches: types.map { .type(SchemaType(type: $0, rules: [])) })
    self.init(.choice(choice), type: type)
  }
}

/// A part of a schema that others refer to.
struct SchemaDefinition: Sendable {
  let name: String
  var node: SchemaNode
}

extension GenerationSchema {
  /// What the schema is called: its title, which a type has from its name; `Any` where there is none.
  public var name: String { root.title ?? "Any" }
}

extension GenerationSchema: CustomDebugStringConvertible {
  /// The schema as JSON on one line, keys in the order of declaration.
  public var debugDescription: String { resolved.json.line }
}

extension GenerationSchema {
  /// A property of a structure.
  public struct Property: Sendable {
    let property: SchemaObject.Property

    private init(
      _ name: String, _ description: String?, _ type: any Generable.Type, _ rules: [SchemaRule],
      isOptional: Bool
    ) {
      property = SchemaObject.Property(
        name: name, description: description, node: .type(SchemaType(type: type, rules: rules)),
        isOptional: isOptional)
    }

    /// A property that is always generated.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(name, description, type, guides.flatMap(\.rules), isOptional: false)
    }

    /// A property that the model may leave out.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value?.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(name, description, Value.self, guides.flatMap(\.rules), isOptional: true)
    }

    /// A text that matches each of `guides` as a whole.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      let rules = guides.map { SchemaRule.pattern(SchemaPattern($0)) }
      self.init(name, description, type, rules, isOptional: false)
    }

    /// A text that the model may leave out, and that matches each of `guides` as a whole.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String?.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      let rules = guides.map { SchemaRule.pattern(SchemaPattern($0)) }
      self.init(name, description, String.self, rules, isOptional: true)
    }
  }
}

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

extension GenerationSchema.SchemaError: LocalizedError, CustomStringConvertible {
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
