import JSON

/// Answers that are to be JSON.
enum JSONAnswer {
  /// The JSON value of an answer, which may stand in a fenced block; nil where it is none.
  static func parsed(_ text: String) -> JSONValue? {
    var scalars = Array(PlainText.trimmed(text).unicodeScalars)[...]
    let fence = Array("```".unicodeScalars)
    if scalars.starts(with: fence) {
      scalars = scalars.dropFirst(3).drop(while: \.isWord).drop(while: \.isBlank)
    }
    if scalars.suffix(3).elementsEqual(fence) {
      scalars = scalars.dropLast(3)
      while scalars.last?.isBlank == true { scalars.removeLast() }
    }
    return whole(PlainText.string(scalars))
  }

  /// The JSON value that a text is from end to end; nil, too, where a key stands twice, as of two values one program reads the first and
  /// another one the last.
  static func whole(_ text: String) -> JSONValue? {
    guard let document = try? JSONDocument(parsing: Array(text.utf8)), document.duplicates.isEmpty
    else { return nil }
    return document.root
  }

  /// The texts of `{"tags": [...]}`; nil for anything else.
  static func tags(_ text: String) -> [String]? {
    guard let object = parsed(text)?.object, object.keys == ["tags"],
      let list = object["tags"]?.array
    else { return nil }
    let tags = list.compactMap(\.string)
    return tags.count == list.count ? tags : nil
  }

  /// The calls of tools that an answer makes, in Apple's form; none where it makes none, nil where they cannot be read.
  static func calls(_ text: String) -> JSONValue? {
    let block = /```function\s*(.*?)\s*```/.dotMatchesNewlines()
    guard let match = text.firstMatch(of: block) else { return .array([]) }
    return parsed(String(match.output.1))
  }
}

extension JSONValue {
  /// A text, or the digits of a number.
  var text: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.isInteger ? number.text : "\(number.double)"
    default: nil
    }
  }

  /// The number that a text or a number is, as Python reads it.
  private var floating: Double? {
    guard let text else { return nil }
    let trimmed = PlainText.trimmed(PlainText.straight(text))
    return trimmed.contains { "xXpP".contains($0) } ? nil : Double(trimmed)
  }

  /// Whether `value` is what is wanted: 7, 7.0 and "7" are the same, and so are texts that differ in case or outer marks; order of keys does
  /// not matter, and `{"oneOf": [...]}` as a wanted value allows several.
  func isMet(by value: JSONValue) -> Bool {
    switch (self, value) {
    case (.object(let wanted), _) where wanted.keys == ["oneOf"]:
      return (wanted["oneOf"]?.array ?? []).contains { $0.isMet(by: value) }
    case (.object(let wanted), .object(let object)):
      var found: [PlainText.Scalars: JSONValue] = [:]
      for member in object.members { found[PlainText.plain(member.key)] = member.value }
      let keys = Set(wanted.keys.map { PlainText.plain($0) })
      return keys == Set(found.keys)
        && wanted.members.allSatisfy { member in
          found[PlainText.plain(member.key)].map { member.value.isMet(by: $0) } ?? false
        }
    case (.array(let wanted), .array(let values)):
      return wanted.count == values.count && zip(wanted, values).allSatisfy { $0.isMet(by: $1) }
    case (.bool(let wanted), .bool(let value)): return wanted == value
    case (.null, .null): return true
    case (.object, _), (.array, _), (.bool, _), (.null, _), (_, .bool), (_, .null), (_, .object),
      (_, .array):
      return false
    default:
      if let wanted = floating, let value = value.floating { return wanted == value }
      return PlainText.normal(text ?? "") == PlainText.normal(value.text ?? "")
    }
  }
}
