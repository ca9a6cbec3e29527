/// A schema made at run time; others can refer to it by its name.
///
/// ``GenerationSchema/init(root:dependencies:)`` makes one schema of several and checks the names.
public struct DynamicGenerationSchema: Sendable {
  let node: SchemaNode

  private init(_ node: SchemaNode) {
    self.node = node
  }

  /// A structure with `properties` in their order.
  public init(name: String, description: String? = nil, properties: [Property]) {
    node = .object(
      SchemaObject(title: name, description: description, properties: properties.map(\.property)))
  }

  /// As above; with `representNilExplicitlyInGeneratedContent` a missing property is generated as `null`, not left out.
  public init(
    name: String, description: String? = nil,
    representNilExplicitlyInGeneratedContent isExplicit: Bool, properties: [Property]
  ) {
    var object = SchemaObject(
      title: name, description: description, properties: properties.map(\.property))
    if isExplicit { object.representNilExplicitly() }
    node = .object(object)
  }

  /// A value of one of `choices`.
  public init(name: String, description: String? = nil, anyOf choices: [DynamicGenerationSchema]) {
    node = .choice(
      SchemaChoice(title: name, description: description, branches: choices.map(\.node)))
  }

  /// A text that is one of `choices`.
  public init(name: String, description: String? = nil, anyOf choices: [String]) {
    node = .string(SchemaString(title: name, description: description, values: choices))
  }

  /// A list of elements of one schema; a missing bound is none.
  public init(
    arrayOf itemSchema: DynamicGenerationSchema, minimumElements: Int? = nil,
    maximumElements: Int? = nil
  ) {
    node = .list(
      SchemaList(element: itemSchema.node, minimum: minimumElements, maximum: maximumElements))
  }

  /// The schema of a Swift type, limited by `guides`.
  public init<Value: Generable>(type: Value.Type, guides: [GenerationGuide<Value>] = []) {
    node = .type(SchemaType(type: type, rules: guides.flatMap(\.rules)))
  }

  /// The schema named `name`.
  public init(referenceTo name: String) {
    node = .reference(name)
  }

  /// Nothing, spelled out.
  public static var null: DynamicGenerationSchema { DynamicGenerationSchema(.null) }

  /// A property of a structure.
  public struct Property: Sendable {
    let property: SchemaObject.Property

    /// A property; an optional one may be left out by the model.
    public init(
      name: String, description: String? = nil, schema: DynamicGenerationSchema,
      isOptional: Bool = false
    ) {
      property = SchemaObject.Property(
        name: name, description: description, node: schema.node, isOptional: isOptional)
    }
  }
}
