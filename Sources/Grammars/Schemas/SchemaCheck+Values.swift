import JSON

// What of a value breaks what of a schema; nil where nothing does.
extension SchemaCheck {
  func violation(_ value: JSONValue, _ schema: JSONValue, _ depth: Depth) -> SchemaViolation? {
    if case .bool(let fits) = schema {
      return fits ? nil : SchemaViolation(value, "false", schema)
    }
    // A reference may lead to itself.
    guard let object = schema.object, depth.level < Self.depthLimit,
      depth.takes(1 + object.members.count / 8)
    else { return SchemaViolation(value, "$ref", schema) }
    func broken(_ key: String) -> SchemaViolation {
      SchemaViolation(value, key, object[key] ?? .null)
    }
    if let text = object["$ref"]?.string {
      guard depth.takes(text.utf8.count / 16),
        let part = JSONPointer(fragment: text)?.value(in: document, depth.work.index)
      else { return broken("$ref") }
      if let found = violation(value, part, depth + 1) { return found }
    }
    let types = object["type"].map { $0.array ?? [$0] } ?? []
    guard types.isEmpty || types.contains(where: { value.isOf(type: $0.string ?? "") }) else {
      return broken("type")
    }
    if let values = object["enum"]?.array,
      !depth.takes(values.count / 8) || !values.contains(where: value.isSame)
    {
      return broken("enum")
    }
    if let constant = object["const"], !value.isSame(as: constant) { return broken("const") }
    if let found = branchViolation(value, object, depth) { return found }
    return switch value {
    case .object(let members): objectViolation(members, object, depth)
    case .array(let values): listViolation(values, object, depth)
    case .string(let text): textViolation(text, object, depth).map(broken)
    case .number(let number): numberViolation(number, object).map(broken)
    default: nil
    }
  }

  private func branchViolation(
    _ value: JSONValue, _ schema: JSONObject, _ depth: Depth
  ) -> SchemaViolation? {
    func found(_ part: JSONValue) -> SchemaViolation? { violation(value, part, depth + 1) }
    func broken(_ key: String) -> SchemaViolation {
      SchemaViolation(value, key, schema[key] ?? .null)
    }
    for part in schema["allOf"]?.array ?? [] {
      if let found = found(part) { return found }
    }
    for key in ["anyOf", "oneOf"] {
      guard let parts = schema[key]?.array else { continue }
      var (nearest, count) = (broken(key), 0)
      for part in parts {
        guard let found = found(part) else {
          count += 1
          if key == "anyOf" { break }
          continue
        }
        // What fits furthest was probably meant.
        if found.depth > nearest.depth { nearest = found }
      }
      if count == 0 { return nearest }
      if key == "oneOf", count > 1 { return broken(key) }
    }
    if let not = schema["not"], found(not) == nil { return broken("not") }
    guard let condition = schema["if"] else { return nil }
    return (found(condition) == nil ? schema["then"] : schema["else"]).flatMap(found)
  }

  private func objectViolation(
    _ members: JSONObject, _ schema: JSONObject, _ depth: Depth
  ) -> SchemaViolation? {
    let value = JSONValue.object(members)
    if let key = schema.broken("Properties", by: members.keys.count) {
      return SchemaViolation(value, key, schema[key] ?? .null)
    }
    for name in schema["required"]?.array ?? [] where members[name.string ?? ""] == nil {
      return SchemaViolation(value, "required", name)
    }
    for member in members.members {
      if let found = memberViolation(member, schema, depth) { return found }
    }
    for rule in schema["dependentRequired"]?.object?.members ?? [] where members[rule.key] != nil {
      for name in rule.value.array ?? [] where members[name.string ?? ""] == nil {
        return SchemaViolation(value, "required", name)
      }
    }
    for rule in schema["dependentSchemas"]?.object?.members ?? [] where members[rule.key] != nil {
      if let found = violation(value, rule.value, depth + 1) { return found }
    }
    return nil
  }

  private func memberViolation(
    _ member: JSONObject.Member, _ schema: JSONObject, _ depth: Depth
  ) -> SchemaViolation? {
    func found(_ value: JSONValue, _ part: JSONValue) -> SchemaViolation? {
      violation(value, part, depth + 1)?.inside(.key(member.key))
    }
    if let names = schema["propertyNames"], let found = found(.string(member.key), names) {
      return found
    }
    var isKnown = false
    if let part = schema["properties"]?.object?[member.key] {
      isKnown = true
      if let found = found(member.value, part) { return found }
    }
    for pattern in schema["patternProperties"]?.object?.members ?? []
    where matches(pattern.key, member.key, depth) {
      isKnown = true
      if let found = found(member.value, pattern.value) { return found }
    }
    return isKnown ? nil : schema["additionalProperties"].flatMap { found(member.value, $0) }
  }

  private func listViolation(
    _ values: [JSONValue], _ schema: JSONObject, _ depth: Depth
  ) -> SchemaViolation? {
    func broken(_ key: String) -> SchemaViolation {
      SchemaViolation(.array(values), key, schema[key] ?? .null)
    }
    if let key = schema.broken("Items", by: values.count) { return broken(key) }
    let keywords = schema.listKeywords
    let first = schema[keywords.first]?.array ?? []
    for (index, value) in values.enumerated() {
      guard let part = index < first.count ? first[index] : schema[keywords.others] else { break }
      if let found = violation(value, part, depth + 1) { return found.inside(.index(index)) }
    }
    if let part = schema["contains"] {
      let (least, most) = (schema["minContains"]?.count ?? 1, schema["maxContains"]?.count)
      let count = values.count { violation($0, part, depth + 1) == nil }
      if count < least { return broken(schema["minContains"] == nil ? "contains" : "minContains") }
      if count > most ?? .max { return broken("maxContains") }
    }
    guard schema["uniqueItems"] == .bool(true) else { return nil }
    let isUnique =
      depth.takes(values.count * values.count / 16)
      && values.indices.allSatisfy { index in
        !values[..<index].contains { $0.isSame(as: values[index]) }
      }
    return isUnique ? nil : broken("uniqueItems")
  }

  /// The keyword that a text breaks.
  private func textViolation(_ text: String, _ schema: JSONObject, _ depth: Depth) -> String? {
    if let key = schema.broken("Length", by: text.unicodeScalars.count) { return key }
    return schema["pattern"]?.string.flatMap { matches($0, text, depth) ? nil : "pattern" }
  }

  /// The keyword that a number breaks.
  private func numberViolation(_ number: JSONNumber, _ schema: JSONObject) -> String? {
    func breaks(_ key: String, _ fits: (JSONDecimal, JSONDecimal) -> Bool) -> Bool {
      guard let bound = schema[key]?.number else { return false }
      guard let number = JSONDecimal(number), let bound = JSONDecimal(bound) else { return true }
      return !fits(number, bound)
    }
    if breaks("minimum", >=) { return "minimum" }
    if breaks("maximum", <=) { return "maximum" }
    if breaks("exclusiveMinimum", >) { return "exclusiveMinimum" }
    if breaks("exclusiveMaximum", <) { return "exclusiveMaximum" }
    return breaks("multipleOf") { $0.isMultiple(of: $1) } ? "multipleOf" : nil
  }

  private func matches(_ pattern: String, _ text: String, _ depth: Depth) -> Bool {
    guard depth.takes(pattern.utf8.count + text.utf8.count) else { return false }
    return depth.work.pattern(pattern)?.occurs(in: text) ?? false
  }
}

extension JSONObject {
  /// The one of `min` and `max` with this ending that a count breaks.
  fileprivate func broken(_ ending: String, by count: Int) -> String? {
    if let least = self["min" + ending]?.count, count < least { return "min" + ending }
    if let most = self["max" + ending]?.count, count > most { return "max" + ending }
    return nil
  }
}
