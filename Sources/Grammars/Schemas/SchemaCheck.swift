public import Adapters

/// A JSON Schema that finished values are held against; unlike a ``Grammar`` it takes them in any order and writing.
///
/// All keywords of the applicators and validation vocabularies are read; `format` and what else limits nothing is passed over.
///
/// Source: JSON Schema, draft 2020-12.
public struct SchemaCheck: Sendable {
  private let document: JSONValue

  private static let unsupported: Set = [
    "$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems",
  ]
  private static let types: Set = [
    "object", "array", "string", "integer", "number", "boolean", "null",
  ]
  private static let depthLimit = 128
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
    return accepts(value, document, depth: Depth(level: 0, work: work))
      && work.steps < Self.stepLimit
  }

  private final class Work {
    var steps = 0
    let index = JSONPointer.Index()
    /// By their texts; nil for what is none.
    private var patterns: [String: TextPattern?] = [:]

    func pattern(_ text: String) -> TextPattern? {
      if let known = patterns[text] { return known }
      let pattern = try? TextPattern(text)
      patterns[text] = .some(pattern)
      return pattern
    }
  }

  /// How many references and parts are around a part, and what has been done so far.
  private struct Depth {
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
    "additionalProperties", "items", "not", "if", "then", "else", "contains", "propertyNames",
  ]
  private static let lists: Set = ["allOf", "anyOf", "oneOf", "prefixItems"]
  private static let maps: Set = [
    "properties", "patternProperties", "dependentSchemas", "$defs", "definitions",
  ]
  private static let counts: Set = [
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
    "minContains", "maxContains",
  ]
  private static let numbers: Set = [
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
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
    if Self.parts.contains(key) { try check(value, at: below, depth: depth + 1) }
    if Self.lists.contains(key) {
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
    if Self.numbers.contains(key) { try expect("a number", value.number != nil) }
    switch key {
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
      do throws(TextPattern.Defect) { _ = try TextPattern(pattern) } catch {
        let start = JSONValue.string(String(pattern.prefix(100))).line
        throw .schema(.wrongKind(start, expected: error.expected), place: below)
      }
    default: break
    }
  }
}

extension SchemaCheck {
  private func accepts(_ value: JSONValue, _ schema: JSONValue, depth: Depth) -> Bool {
    if case .bool(let fits) = schema { return fits }
    // A reference may lead to itself.
    guard let object = schema.object, depth.level < Self.depthLimit,
      depth.takes(1 + object.members.count / 8)
    else {
      return false
    }
    if let text = object["$ref"]?.string {
      guard depth.takes(text.utf8.count / 16),
        let part = JSONPointer(fragment: text)?.value(in: document, depth.work.index),
        accepts(value, part, depth: depth + 1)
      else { return false }
    }
    let types = object["type"].map { $0.array ?? [$0] } ?? []
    guard types.isEmpty || types.contains(where: { value.isOf(type: $0.string ?? "") }) else {
      return false
    }
    if let values = object["enum"]?.array,
      !depth.takes(values.count / 8) || !values.contains(where: value.isSame)
    {
      return false
    }
    if let constant = object["const"], !value.isSame(as: constant) { return false }
    guard acceptsBranches(value, object, depth) else { return false }
    return switch value {
    case .object(let members): acceptsObject(members, object, depth)
    case .array(let values): acceptsList(values, object, depth)
    case .string(let text): acceptsText(text, object, depth)
    case .number(let number): acceptsNumber(number.double, object)
    default: true
    }
  }

  private func acceptsBranches(_ value: JSONValue, _ schema: JSONObject, _ depth: Depth) -> Bool {
    func fits(_ part: JSONValue) -> Bool { accepts(value, part, depth: depth + 1) }
    if let all = schema["allOf"]?.array, !all.allSatisfy(fits) { return false }
    if let any = schema["anyOf"]?.array, !any.contains(where: fits) { return false }
    if let one = schema["oneOf"]?.array, one.count(where: fits) != 1 { return false }
    if let not = schema["not"], fits(not) { return false }
    guard let condition = schema["if"] else { return true }
    return (fits(condition) ? schema["then"] : schema["else"]).map(fits) ?? true
  }

  private func acceptsObject(_ members: JSONObject, _ schema: JSONObject, _ depth: Depth) -> Bool {
    func fits(_ value: JSONValue, _ part: JSONValue) -> Bool {
      accepts(value, part, depth: depth + 1)
    }
    guard schema.bounds("Properties").contains(members.keys.count) else { return false }
    for name in schema["required"]?.array ?? [] where members[name.string ?? ""] == nil {
      return false
    }
    let (named, patterns) = (schema["properties"]?.object, schema["patternProperties"]?.object)
    for member in members.members {
      if let names = schema["propertyNames"], !fits(.string(member.key), names) { return false }
      var isKnown = false
      if let part = named?[member.key] {
        isKnown = true
        if !fits(member.value, part) { return false }
      }
      for pattern in patterns?.members ?? [] where matches(pattern.key, member.key, depth) {
        isKnown = true
        if !fits(member.value, pattern.value) { return false }
      }
      if !isKnown, let others = schema["additionalProperties"], !fits(member.value, others) {
        return false
      }
    }
    for rule in schema["dependentRequired"]?.object?.members ?? [] where members[rule.key] != nil {
      let needed = rule.value.array ?? []
      if !needed.allSatisfy({ members[$0.string ?? ""] != nil }) { return false }
    }
    for rule in schema["dependentSchemas"]?.object?.members ?? [] where members[rule.key] != nil {
      if !fits(.object(members), rule.value) { return false }
    }
    return true
  }

  private func acceptsList(_ values: [JSONValue], _ schema: JSONObject, _ depth: Depth) -> Bool {
    func fits(_ value: JSONValue, _ part: JSONValue) -> Bool {
      accepts(value, part, depth: depth + 1)
    }
    guard schema.bounds("Items").contains(values.count) else { return false }
    let first = schema["prefixItems"]?.array ?? []
    guard zip(values, first).allSatisfy({ fits($0, $1) }) else { return false }
    if let items = schema["items"], !values.dropFirst(first.count).allSatisfy({ fits($0, items) }) {
      return false
    }
    if let part = schema["contains"] {
      let (least, most) = (schema["minContains"]?.count ?? 1, schema["maxContains"]?.count)
      let count = values.count { fits($0, part) }
      if count < least || count > most ?? .max { return false }
    }
    guard schema["uniqueItems"] == .bool(true) else { return true }
    guard depth.takes(values.count * values.count / 16) else { return false }
    return values.indices.allSatisfy { index in
      !values[..<index].contains { $0.isSame(as: values[index]) }
    }
  }

  private func acceptsText(_ text: String, _ schema: JSONObject, _ depth: Depth) -> Bool {
    guard schema.bounds("Length").contains(text.unicodeScalars.count) else { return false }
    return schema["pattern"]?.string.map { matches($0, text, depth) } ?? true
  }

  private func acceptsNumber(_ number: Double, _ schema: JSONObject) -> Bool {
    func bound(_ key: String) -> Double? { schema[key]?.number?.double }
    if let least = bound("minimum"), number < least { return false }
    if let most = bound("maximum"), number > most { return false }
    if let below = bound("exclusiveMinimum"), number <= below { return false }
    if let above = bound("exclusiveMaximum"), number >= above { return false }
    guard let step = bound("multipleOf"), step > 0 else { return true }
    let quotient = number / step
    return quotient == quotient.rounded()
  }

  private func matches(_ pattern: String, _ text: String, _ depth: Depth) -> Bool {
    guard depth.takes(pattern.utf8.count + text.utf8.count) else { return false }
    return depth.work.pattern(pattern)?.occurs(in: text) ?? false
  }
}

extension JSONObject {
  /// What `min` and `max` with this ending allow.
  fileprivate func bounds(_ ending: String) -> ClosedRange<Int> {
    let (least, most) = (self["min" + ending]?.count ?? 0, self["max" + ending]?.count ?? .max)
    return least <= most ? least...most : -1...(-1)
  }
}

extension JSONValue {
  /// A number without fraction that is not below zero, however it is written.
  fileprivate var count: Int? {
    number.flatMap { Int(exactly: $0.double) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Whether both are the same JSON: numbers by value, members in any order, all else to the letter.
  package func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)):
      return left == right || left.double == right.double
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
