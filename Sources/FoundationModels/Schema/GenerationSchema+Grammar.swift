import Grammars
import LanguageModels

extension GenerationSchema {
  /// The grammar of what the schema allows.
  ///
  /// - Throws: `unsupportedGuide` for what no grammar can say.
  func grammar() throws(LanguageModelSession.GenerationError) -> Grammar {
    let schema = resolved
    let root = try schema.root.rule()
    var rules = [SchemaNode.root: root]
    for definition in schema.definitions { rules[definition.name] = try definition.node.rule() }
    return Grammar(root, rules: rules)
  }
}

extension GenerationSchema {
  /// Whether the schema allows `content`, in any order of properties; null stands for an optional one that is missing.
  func accepts(_ content: GeneratedContent) -> Bool {
    let schema = resolved
    let lenient = GenerationSchema(
      schema.root.allowingNull,
      definitions: schema.definitions.map {
        SchemaDefinition(name: $0.name, node: $0.node.allowingNull)
      })
    return (try? SchemaCheck(lenient.json))?.accepts(content.json) ?? false
  }
}

extension SchemaNode {
  /// The node with properties that may be null where they may be missing: what no grammar holds takes one for the other.
  fileprivate var allowingNull: SchemaNode {
    switch self {
    case .object(var object):
      for index in object.properties.indices {
        let node = object.properties[index].node.allowingNull
        object.properties[index].node =
          object.properties[index].isOptional
          ? .choice(SchemaChoice(branches: [node, .null])) : node
      }
      return .object(object)
    case .choice(var choice):
      choice.branches = choice.branches.map(\.allowingNull)
      return .choice(choice)
    case .list(var list):
      list.element = list.element.allowingNull
      return .list(list)
    default: return self
    }
  }
}

extension SchemaNode {
  fileprivate func rule() throws(LanguageModelSession.GenerationError) -> Grammar.Rule {
    switch self {
    case .object(let object):
      var properties: [Grammar.Property] = []
      for property in object.properties {
        properties.append(
          Grammar.Property(
            property.name, try property.node.rule(), isOptional: property.isOptional))
      }
      return .object(properties)
    case .choice(let choice):
      var rules: [Grammar.Rule] = []
      for branch in choice.branches { rules.append(try branch.rule()) }
      return .choice(rules)
    case .string(let string): return try string.rule()
    case .integer(let range):
      try range.check()
      return .integer(minimum: range.minimum, maximum: range.maximum)
    case .number(let range):
      try range.check()
      return .number(minimum: range.minimum, maximum: range.maximum)
    case .boolean: return .boolean
    case .null: return .null
    case .list(let list):
      return .list(try list.element.rule(), minimum: list.minimum ?? 0, maximum: list.maximum)
    case .reference(let name): return .reference(name)
    case .anything: return .anything
    case .nothing: return .choice([])
    case .type(let type): return try type.type.generationSchema.root.rule()
    }
  }
}

extension SchemaRange {
  fileprivate func check() throws(LanguageModelSession.GenerationError) {
    guard let bound = unusableBound else { return }
    throw .unsupportedGuide(
      LanguageModelSession.GenerationError.Context(
        debugDescription:
          "A guide bounds a number by \(bound), which leaves no value; give a finite bound."
      ))
  }
}

extension SchemaString {
  fileprivate func rule() throws(LanguageModelSession.GenerationError) -> Grammar.Rule {
    switch (values, patterns.count) {
    case (nil, 0): return .text
    case (let values?, 0):
      guard !values.isEmpty else { throw Self.unsupported("The guides of a text leave no value.") }
      return .texts(values)
    case (nil, 1): return try Self.rule(patterns[0])
    default:
      throw Self.unsupported("A text has several patterns, or a pattern and values; keep one.")
    }
  }

  private static func rule(
    _ pattern: SchemaPattern
  ) throws(LanguageModelSession.GenerationError) -> Grammar.Rule {
    switch pattern {
    case .text(let text): return .pattern(text)
    case .unreadable:
      throw unsupported(
        "A pattern was built by code and has no text that says the same; write it as a literal.")
    }
  }

  private static func unsupported(_ reason: String) -> LanguageModelSession.GenerationError {
    .unsupportedGuide(LanguageModelSession.GenerationError.Context(debugDescription: reason))
  }
}
