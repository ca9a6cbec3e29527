import Adapters

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

extension GenerationSchema: CustomDebugStringConvertible {
  /// The schema as JSON on one line, keys in the order of declaration.
  public var debugDescription: String { resolved.json.line }
}
