public import JSON

extension Grammar {
  /// The grammar of values that fit a JSON Schema.
  ///
  /// What comes fits the schema, but not all that fits can come: objects have the properties that are listed, in that order
  /// or in that of Apple's `x-order`, and no others; lists with `prefixItems` have no others where `items` does not
  /// describe them, and so it is with `items` and `additionalItems` of older drafts; a number has no exponent. Of `oneOf` a
  /// branch is enforced, not that the others do not fit, and `minProperties` counts a name of an object without listed ones
  /// as often as it comes. A keyword that limits values and cannot be enforced is an error; `title`, `default` and others
  /// that limit nothing are passed over, and so is each `format` but `date`, `time`, `date-time`, `uuid`, `email` and
  /// `ipv4`. References are to parts of the schema.
  ///
  /// - Throws: `GrammarDefect.schema`. Bounds and patterns that nothing fits are found when the grammar is used.
  ///
  /// Source: JSON Schema, draft 2020-12.
  public init(schema: JSONValue) throws(GrammarDefect) {
    var reader = JSONSchemaReader(document: schema)
    let root = try reader.rule(for: schema, at: "#", depth: 0)
    while let (pointer, part) = reader.waiting.popLast() {
      reader.rules[pointer] = try reader.rule(for: part, at: pointer, depth: 0)
    }
    self.init(root, rules: reader.rules)
  }
}

/// Reads the rules of a grammar from a JSON Schema; a part that is referred to becomes a rule by the name of its pointer.
struct JSONSchemaReader {
  typealias Rule = Grammar.Rule

  private let document: JSONValue
  private let index = JSONPointer.Index()
  var rules: [String: Rule] = [:]
  /// Parts that have been referred to and are not read yet.
  var waiting: [(pointer: String, part: JSONValue)] = []
  private var met: Set<String> = []

  private static let depthLimit = 64
  /// Keywords that say the type where `type` does not.
  private static let telling = [
    "properties": "object", "required": "object", "additionalProperties": "object",
    "minProperties": "object", "maxProperties": "object",
    "items": "array", "prefixItems": "array", "minItems": "array", "maxItems": "array",
    "pattern": "string", "minLength": "string", "maxLength": "string", "format": "string",
    "minimum": "number", "maximum": "number",
    "exclusiveMinimum": "number", "exclusiveMaximum": "number",
  ]

  init(document: JSONValue) { self.document = document }

  /// The rule of a schema, which stands at the pointer `place`.
  mutating func rule(
    for schema: JSONValue, at place: String, depth: Int
  ) throws(GrammarDefect) -> Rule {
    guard depth <= Self.depthLimit else {
      throw .schema(.tooDeep(limit: Self.depthLimit), place: place)
    }
    if case .bool(let fits) = schema {
      guard fits else { throw .schema(.nothingFits, place: place) }
      return .anything
    }
    guard let object = schema.object else {
      throw .schema(.wrongKind(schema.kind, expected: "an object or a boolean"), place: place)
    }
    var part = SchemaPart(object, at: place)
    let rule = try rule(of: &part, depth: depth)
    try part.expectNoMore()
    return rule
  }

  private mutating func rule(of part: inout SchemaPart, depth: Int) throws(GrammarDefect) -> Rule {
    if let reference = try part.string("$ref") {
      return try .reference(resolved(reference, at: part.place))
    }
    for key in ["anyOf", "oneOf", "allOf"] {
      guard let branches = try part.array(key) else { continue }
      guard key != "allOf" || branches.count == 1 else { throw part.unsupported(key) }
      return try choice(of: branches, at: "\(part.place)/\(key)", depth: depth)
    }
    let types = try part.types() ?? part.keys.compactMap { Self.telling[$0] }.prefix(1).map(\.self)
    if let values = try part.values() {
      return try Self.choice(
        of: values.filter { value in types.isEmpty || types.contains { value.isOf(type: $0) } },
        at: part.place)
    }
    guard !types.isEmpty else { return .anything }
    var rules: [Rule] = []
    for type in types { rules.append(try rule(ofType: type, &part, depth: depth)) }
    return rules.count == 1 ? rules[0] : .choice(rules)
  }

  private mutating func choice(
    of branches: [JSONValue], at place: String, depth: Int
  ) throws(GrammarDefect) -> Rule {
    var rules: [Rule] = []
    for (index, branch) in branches.enumerated() where branch != .bool(false) {
      rules.append(try rule(for: branch, at: "\(place)/\(index)", depth: depth + 1))
    }
    guard !rules.isEmpty else { throw .schema(.nothingFits, place: place) }
    return rules.count == 1 ? rules[0] : .choice(rules)
  }

  private static func choice(of values: [JSONValue], at place: String) throws(GrammarDefect) -> Rule
  {
    guard !values.isEmpty else { throw .schema(.nothingFits, place: place) }
    let texts = values.compactMap(\.string)
    if texts.count == values.count { return .texts(texts) }
    return values.count == 1 ? .literal(values[0]) : .choice(values.map { .literal($0) })
  }

  private mutating func rule(
    ofType type: String, _ part: inout SchemaPart, depth: Int
  ) throws(GrammarDefect) -> Rule {
    switch type {
    case "object": return try object(&part, depth: depth)
    case "array": return try list(&part, depth: depth)
    case "string": return try part.text()
    case "integer":
      let (minimum, maximum) = try part.bounds(isInteger: true)
      return .integer(minimum: minimum, maximum: maximum)
    case "number":
      let (minimum, maximum) = try part.bounds(isInteger: false)
      return .number(minimum: minimum, maximum: maximum)
    case "boolean": return .boolean
    case "null": return .null
    default: throw .schema(.unknownType(type), place: part.place)
    }
  }

  private mutating func object(
    _ part: inout SchemaPart, depth: Int
  ) throws(GrammarDefect) -> Rule {
    let (required, others) = (
      try part.strings("required") ?? [], part.value("additionalProperties")
    )
    let described = try part.object("properties")
    let order = try part.strings("x-order") ?? []
    if let name = required.first(where: { described?[$0] == nil }) {
      throw .schema(.unknownProperty(name), place: part.place)
    }
    let (minimum, maximum) = (
      try part.count("minProperties") ?? 0, try part.count("maxProperties")
    )
    guard let described else {
      guard others != .bool(false) else {
        guard minimum == 0 else { throw .schema(.nothingFits, place: part.place) }
        return .object([])
      }
      let place = part.place + "/additionalProperties"
      let value = try others.map { (others) throws(GrammarDefect) in
        try rule(for: others, at: place, depth: depth + 1)
      }
      return .dictionary(value ?? .anything, minimum: minimum, maximum: maximum)
    }
    var properties: [Grammar.Property] = []
    for member in Self.ordered(described.members, by: order) {
      let isOptional = !required.contains { $0.utf8.elementsEqual(member.key.utf8) }
      // What never fits is left out.
      if isOptional, member.value == .bool(false) { continue }
      let place = "\(part.place)/properties/\(JSONPointer.escaped(member.key))"
      let rule = try rule(for: member.value, at: place, depth: depth + 1)
      properties.append(Grammar.Property(member.key, rule, isOptional: isOptional))
    }
    // Others that come instead are not known.
    guard minimum <= properties.count || others == .bool(false) else {
      throw part.unsupported("minProperties")
    }
    return .object(properties, minimum: minimum, maximum: maximum)
  }

  /// The members that `order` names first, each once, then the others as they stand.
  private static func ordered(
    _ members: [JSONObject.Member], by order: [String]
  ) -> [JSONObject.Member] {
    guard !order.isEmpty else { return members }
    let places = Dictionary(zip(order, order.indices), uniquingKeysWith: min)
    let ranked = members.enumerated().map { (places[$1.key] ?? order.count, $0, $1) }
    return ranked.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
  }

  private mutating func list(_ part: inout SchemaPart, depth: Int) throws(GrammarDefect) -> Rule {
    let (minimum, maximum) = (try part.count("minItems") ?? 0, try part.count("maxItems"))
    var first: [Rule] = []
    let keywords = part.listKeywords
    for (index, item) in (try part.array(keywords.first) ?? []).enumerated() {
      first.append(
        try rule(for: item, at: "\(part.place)/\(keywords.first)/\(index)", depth: depth + 1))
    }
    let items = part.value(keywords.others)
    guard items != .bool(false) else {
      return .tuple(
        first, others: .anything, minimum: minimum, maximum: min(maximum ?? .max, first.count))
    }
    let others = try items.map { (items) throws(GrammarDefect) in
      try rule(for: items, at: "\(part.place)/\(keywords.others)", depth: depth + 1)
    }
    guard !first.isEmpty else {
      return .list(others ?? .anything, minimum: minimum, maximum: maximum)
    }
    let isOpen = others != nil || minimum > first.count
    return .tuple(
      first, others: others ?? .anything, minimum: minimum,
      maximum: isOpen ? maximum : min(maximum ?? .max, first.count))
  }

  /// The name of the rule that a reference is to, which is read later.
  private mutating func resolved(
    _ reference: String, at place: String
  ) throws(GrammarDefect) -> String {
    guard let pointer = JSONPointer(fragment: reference),
      let part = pointer.value(in: document, index)
    else { throw .schema(.unknownReference(reference), place: place) }
    if met.insert(pointer.text).inserted { waiting.append((pointer.text, part)) }
    return pointer.text
  }
}
