public import JSON

/// A JSON Schema that finished values are held against; unlike a ``Grammar`` it takes them in any order and writing.
///
/// All keywords of the applicators and validation vocabularies are read; `format` and what else limits nothing is passed over.
///
/// Source: JSON Schema, draft 2020-12.
public struct SchemaCheck: Sendable {
  let document: JSONValue

  private static let unsupported: Set = [
    "$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems",
  ]
  private static let types: Set = [
    "object", "array", "string", "integer", "number", "boolean", "null",
  ]
  static let depthLimit = 128
  /// Parts of a schema that a value is held against at most; references may come to many from a few.
  private static let stepLimit = 2_000_000

  /// Prepares a check against `schema`.
  ///
  /// - Throws: `GrammarDefect.schema` for a part that no value can be held against.
  public init(_ schema: JSONValue) throws(GrammarDefect) {
    document = schema
    try check(schema, at: "#", depth: Depth(level: 0, work: Work()))
  }

  /// Whether `value` is valid; not where that would take too long to say.
  public func accepts(_ value: JSONValue) -> Bool {
    let work = Work()
    return violation(value, document, Depth(level: 0, work: work)) == nil
      && work.steps < Self.stepLimit
  }

  /// Where `value` is not valid; nil where it is, and where that would take too long to say.
  public func violation(of value: JSONValue) -> SchemaViolation? {
    let work = Work()
    let found = violation(value, document, Depth(level: 0, work: work))
    return work.steps < Self.stepLimit ? found : nil
  }

  final class Work {
    var steps = 0
    let index = JSONPointer.Index()
    /// By their texts; nil for what is none.
    private var patterns: [String: Pattern?] = [:]

    func pattern(_ text: String) -> Pattern? {
      if let known = patterns[text] { return known }
      let pattern = try? Pattern(text)
      patterns[text] = .some(pattern)
      return pattern
    }
  }

  /// How many references and parts are around a part, and what has been done so far.
  struct Depth {
    let level: Int
    let work: Work

    static func + (depth: Depth, levels: Int) -> Depth {
      Depth(level: depth.level + levels, work: depth.work)
    }

    /// Counts steps; whether there are any left.
    func takes(_ steps: Int) -> Bool {
      work.steps += min(steps, SchemaCheck.stepLimit)
      return work.steps < SchemaCheck.stepLimit
    }
  }
}

extension SchemaCheck {
  private static let parts: Set = [
    "additionalProperties", "additionalItems", "items", "not", "if", "then", "else", "contains",
    "propertyNames",
  ]
  private static let lists: Set = ["allOf", "anyOf", "oneOf", "prefixItems"]
  /// Keywords with schemas by names.
  static let maps: Set = [
    "properties", "patternProperties", "dependentSchemas", "$defs", "definitions",
  ]
  private static let counts: Set = [
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
    "minContains", "maxContains",
  ]
  private static let numbers: Set = [
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
  ]

  private func check(_ schema: JSONValue, at place: String, depth: Depth) throws(GrammarDefect) {
    guard depth.level <= 64 else { throw .schema(.tooDeep(limit: 64), place: place) }
    if case .bool = schema { return }
    guard let object = schema.object else {
      throw .schema(.wrongKind(schema.kind, expected: "an object or a boolean"), place: place)
    }
    for member in object.members {
      try check(member.key, member.value, at: place, depth: depth)
    }
  }

  private func check(
    _ key: String, _ value: JSONValue, at place: String, depth: Depth
  ) throws(GrammarDefect) {
    let below = "\(place)/\(JSONPointer.escaped(key))"
    func expect(_ expected: String, _ holds: Bool) throws(GrammarDefect) {
      if !holds { throw .schema(.wrongKind(value.line, expected: expected), place: below) }
    }
    if Self.unsupported.contains(key) { throw .schema(.unsupportedKeyword(key), place: place) }
    let isOlderList = key == "items" && value.array != nil
    if Self.parts.contains(key), !isOlderList {
      try check(value, at: below, depth: depth + 1)
    }
    if Self.lists.contains(key) || isOlderList {
      try expect("a list", value.array != nil)
      for (index, part) in (value.array ?? []).enumerated() {
        try check(part, at: "\(below)/\(index)", depth: depth + 1)
      }
    }
    if Self.maps.contains(key) {
      try expect("an object", value.object != nil)
      for member in value.object?.members ?? [] {
        try check(
          member.value, at: "\(below)/\(JSONPointer.escaped(member.key))", depth: depth + 1)
      }
    }
    if Self.counts.contains(key) { try expect("a count", value.count != nil) }
    if Self.numbers.contains(key) {
      try expect("a number", value.number.flatMap(JSONDecimal.init) != nil)
    }
    switch key {
    case "multipleOf":
      let step = value.number.flatMap(JSONDecimal.init)
      try expect(
        "a number above 0 of at most \(JSONDecimal.stepDigits) digits",
        step?.isStep ?? false)
    case "$ref":
      guard let text = value.string,
        JSONPointer(fragment: text)?.value(in: document, depth.work.index) != nil
      else {
        throw .schema(.unknownReference(value.string ?? value.line), place: place)
      }
    case "type":
      for name in value.array ?? [value] where !Self.types.contains(name.string ?? "") {
        throw .schema(.unknownType(name.string ?? name.line), place: place)
      }
    case "enum": try expect("a list", value.array != nil)
    case "required":
      try expect("a list of strings", value.array?.allSatisfy { $0.string != nil } ?? false)
    case "pattern":
      guard let pattern = value.string else { return try expect("a regular expression", false) }
      do throws(PatternDefect) { _ = try Pattern(pattern) } catch {
        let start = String(pattern.prefix(100))
        throw .schema(.unsupportedPattern(start, part: error.part), place: below)
      }
    default: break
    }
  }
}

extension JSONValue {
  /// A number without fraction that is not below zero, however it is written; the largest one where it is beyond 64 bits.
  var count: Int? { number.flatMap(JSONDecimal.init)?.count }

  /// Whether both are the same JSON: numbers by value, members in any order, all else to the letter.
  package func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)):
      return left == right || JSONDecimal(left).map { $0 == JSONDecimal(right) } ?? false
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    case (.object(let left), .object(let right)):
      return left.members.count == right.members.count
        && left.members.allSatisfy { member in
          right[member.key].map { member.value.isSame(as: $0) } ?? false
        }
    default: return self == other
    }
  }
}
