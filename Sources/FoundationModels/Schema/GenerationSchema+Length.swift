extension GenerationSchema {
  /// Tokens of a value at most, where nobody says how many.
  var usualLimit: Int {
    let schema = resolved
    let definitions = Dictionary(
      schema.definitions.map { ($0.name, $0.node) }, uniquingKeysWith: { first, _ in first })
    let (tokens, isLarge) = schema.root.leastElements(definitions, depth: 8)
      .multipliedReportingOverflow(by: 32)
    return isLarge ? .max : max(2_048, tokens)
  }
}

extension SchemaNode {
  /// Elements that all lists of a value have at least, down to a depth.
  fileprivate func leastElements(_ definitions: [String: SchemaNode], depth: Int) -> Int {
    guard depth > 0 else { return 0 }
    func least(_ node: SchemaNode) -> Int { node.leastElements(definitions, depth: depth - 1) }
    switch self {
    case .object(let object):
      return object.properties.reduce(0) { $0.plus($1.isOptional ? 0 : least($1.node)) }
    case .choice(let choice): return choice.branches.map(least).min() ?? 0
    case .list(let list):
      let (count, isLarge) = (list.minimum ?? 0).multipliedReportingOverflow(
        by: 1.plus(least(list.element)))
      return isLarge ? .max : count
    case .reference(let name): return definitions[name].map(least) ?? 0
    default: return 0
    }
  }
}
