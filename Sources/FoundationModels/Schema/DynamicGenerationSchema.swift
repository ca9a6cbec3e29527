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

extension GenerationSchema {
  /// Makes one schema of `root` and the schemas that it refers to.
  ///
  /// - Throws: ``SchemaError``.
  public init(root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]) throws {
    var collector = DynamicSchemaCollector(rootName: root.node.title)
    for dependency in dependencies { try collector.add(dependency.node) }
    let node = try collector.collect(root.node, isTop: true)
    try collector.checkReferences(node)
    self.init(node, definitions: collector.definitions)
  }
}

/// Moves the named parts of dynamic schemas to definitions and checks them.
private struct DynamicSchemaCollector {
  typealias Failure = GenerationSchema.SchemaError

  private(set) var definitions: [SchemaDefinition] = []
  private var names: Set<String> = []
  private let rootName: String?

  init(rootName: String?) {
    self.rootName = rootName
  }

  mutating func add(_ node: SchemaNode) throws(Failure) {
    guard node.title != nil else {
      // Nothing can refer to it; its parts are checked all the same.
      _ = try collect(node, isTop: true)
      return
    }
    _ = try collect(node, isTop: false)
  }

  /// `node` with references for the named parts inside; itself one if it has a name and is not the whole.
  mutating func collect(_ node: SchemaNode, isTop: Bool) throws(Failure) -> SchemaNode {
    guard !isTop, let name = node.title else { return try inside(node) }
    guard name != rootName, names.insert(name).inserted else {
      throw .duplicateType(
        schema: rootName, type: name,
        context: Failure.Context(debugDescription: "two schemas are named '\(name)'"))
    }
    let place = definitions.count
    definitions.append(SchemaDefinition(name: name, node: .nothing))
    definitions[place].node = try inside(node)
    return .reference(name)
  }

  private mutating func inside(_ node: SchemaNode) throws(Failure) -> SchemaNode {
    switch node {
    case .object(var object):
      try checkProperties(object)
      for index in object.properties.indices {
        object.properties[index].node = try collect(object.properties[index].node, isTop: false)
      }
      return .object(object)
    case .choice(var choice):
      try checkChoices(choice.branches.isEmpty, choice.title)
      for index in choice.branches.indices {
        choice.branches[index] = try collect(choice.branches[index], isTop: false)
      }
      return .choice(choice)
    case .string(let string):
      try checkChoices(string.values?.isEmpty ?? false, string.title)
      return node
    case .list(var list):
      list.element = try collect(list.element, isTop: false)
      return .list(list)
    case .reference(let name): return .reference(name == rootName ? SchemaNode.root : name)
    default: return node
    }
  }

  private func checkProperties(_ object: SchemaObject) throws(Failure) {
    var seen: Set<String> = []
    for property in object.properties where !seen.insert(property.name).inserted {
      throw .duplicateProperty(
        schema: object.title ?? "", property: property.name,
        context: Failure.Context(debugDescription: "the property '\(property.name)' stands twice"))
    }
  }

  private func checkChoices(_ isEmpty: Bool, _ title: String?) throws(Failure) {
    guard isEmpty else { return }
    throw .emptyTypeChoices(
      schema: title ?? "", context: Failure.Context(debugDescription: "there are no choices"))
  }

  /// Refuses references to names that nothing has.
  func checkReferences(_ root: SchemaNode) throws(Failure) {
    let used = ([root] + definitions.map(\.node)).flatMap(\.references)
    let missing = Set(used).subtracting(names).subtracting([SchemaNode.root]).sorted()
    guard missing.isEmpty else {
      throw .undefinedReferences(
        schema: rootName, references: missing,
        context: Failure.Context(
          debugDescription: "no schema is named \(missing.joined(separator: ", "))"))
    }
  }
}
