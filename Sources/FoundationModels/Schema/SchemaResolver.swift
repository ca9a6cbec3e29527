/// Looks up the Swift types of a schema and moves every named part to the definitions.
struct SchemaResolver {
  private var definitions: [SchemaDefinition] = []
  private var names: [ObjectIdentifier: String] = [:]
  private var used: Set<String> = []

  /// Names of references in one schema, and what they are in the whole.
  private typealias Scope = [String: String]

  /// The schema without Swift types; named parts other than the root stand among the definitions.
  static func resolve(_ schema: GenerationSchema) -> GenerationSchema {
    var resolver = SchemaResolver()
    if let type = schema.type { resolver.names[type.identity] = SchemaNode.root }
    if let title = schema.root.title { resolver.used.insert(title) }
    for definition in schema.definitions { resolver.used.insert(definition.name) }
    var scope = [SchemaNode.root: SchemaNode.root]
    for definition in schema.definitions { scope[definition.name] = definition.name }
    let root = resolver.inside(schema.root, scope)
    let own = schema.definitions.map {
      SchemaDefinition(name: $0.name, node: resolver.inside($0.node, scope))
    }
    return inline(root, own + resolver.definitions)
  }

  /// Choices of texts stand where they are used, without a name; only other named parts are definitions.
  private static func inline(
    _ root: SchemaNode, _ definitions: [SchemaDefinition]
  ) -> GenerationSchema {
    var texts: [String: SchemaNode] = [:]
    for definition in definitions {
      guard case .string(var string) = definition.node, string.values != nil else { continue }
      string.title = nil
      texts[definition.name] = .string(string)
    }
    let root = root.replacing(texts)
    let others = definitions.filter { texts[$0.name] == nil }
      .map { SchemaDefinition(name: $0.name, node: $0.node.replacing(texts)) }
    return GenerationSchema(root, definitions: inOrderOfUse(others, from: root))
  }

  /// Each definition behind what first refers to it, then by name those that nothing refers to: an order that any schema
  /// of the same meaning has.
  private static func inOrderOfUse(
    _ definitions: [SchemaDefinition], from root: SchemaNode
  ) -> [SchemaDefinition] {
    var left = Dictionary(definitions.map { ($0.name, $0) }) { first, _ in first }
    var ordered: [SchemaDefinition] = []
    // A stack, as definitions of a file may refer to each other in a long row.
    var next = Array((root.references + left.keys.sorted()).reversed())
    while let name = next.popLast() {
      guard let definition = left.removeValue(forKey: name) else { continue }
      ordered.append(definition)
      next += definition.node.references.reversed()
    }
    return ordered
  }

  /// `node` where it is used: a reference if it has a name.
  private mutating func resolve(_ node: SchemaNode, _ scope: Scope) -> SchemaNode {
    switch node {
    case .type(let type): return resolve(type)
    case .reference(let name): return .reference(scope[name] ?? name)
    default: return inside(node, scope)
    }
  }

  /// `node` with everything inside it resolved.
  private mutating func inside(_ node: SchemaNode, _ scope: Scope) -> SchemaNode {
    switch node {
    case .object(var object):
      for index in object.properties.indices {
        object.properties[index].node = resolve(object.properties[index].node, scope)
      }
      return .object(object)
    case .choice(var choice):
      for index in choice.branches.indices {
        choice.branches[index] = resolve(choice.branches[index], scope)
      }
      return .choice(choice)
    case .list(var list):
      list.element = resolve(list.element, scope)
      return .list(list)
    case .type, .reference: return resolve(node, scope)
    default: return node
    }
  }

  private mutating func resolve(_ type: SchemaType) -> SchemaNode {
    if let name = names[type.identity] { return .reference(name) }
    let schema = type.type.generationSchema
    var scope: Scope = [:]
    for definition in schema.definitions { scope[definition.name] = free(definition.name) }
    var node = schema.root
    if node.title != nil || schema.refersToRoot {
      // The name is known before the inside is, as the type may contain itself.
      let name = free(node.title ?? type.name)
      names[type.identity] = name
      scope[SchemaNode.root] = name
      let place = definitions.count
      definitions.append(SchemaDefinition(name: name, node: .nothing))
      definitions[place].node = inside(node, scope)
      node = .reference(name)
    } else {
      node = resolve(node.applying(type.rules), scope)
    }
    for definition in schema.definitions {
      let resolved = inside(definition.node, scope)
      definitions.append(
        SchemaDefinition(name: scope[definition.name] ?? definition.name, node: resolved))
    }
    return node
  }

  /// `name`, or one like it that no other definition has.
  private mutating func free(_ name: String) -> String {
    var candidate = name
    var number = 2
    while !used.insert(candidate).inserted {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }
}

extension SchemaNode {
  /// The parts that stand right inside.
  var children: [SchemaNode] {
    switch self {
    case .object(let object): object.properties.map(\.node)
    case .choice(let choice): choice.branches
    case .list(let list): [list.element]
    default: []
    }
  }

  /// The names that the node refers to, in the order of their first use.
  var references: [String] {
    if case .reference(let name) = self { return [name] }
    return children.reduce(into: []) { names, child in
      names += child.references.filter { !names.contains($0) }
    }
  }
}

extension SchemaNode {
  /// The node with `parts` in the place of references to their names.
  fileprivate func replacing(_ parts: [String: SchemaNode]) -> SchemaNode {
    switch self {
    case .reference(let name): return parts[name] ?? self
    case .object(var object):
      for index in object.properties.indices {
        object.properties[index].node = object.properties[index].node.replacing(parts)
      }
      return .object(object)
    case .choice(var choice):
      choice.branches = choice.branches.map { $0.replacing(parts) }
      return .choice(choice)
    case .list(var list):
      list.element = list.element.replacing(parts)
      return .list(list)
    default: return self
    }
  }
}

extension GenerationSchema {
  fileprivate var refersToRoot: Bool {
    ([root] + definitions.map(\.node)).contains { $0.references.contains(SchemaNode.root) }
  }

  /// The schema without Swift types: named parts are definitions.
  var resolved: GenerationSchema { SchemaResolver.resolve(self) }
}
