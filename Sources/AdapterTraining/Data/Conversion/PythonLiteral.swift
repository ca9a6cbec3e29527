import JSON

/// Reads values as Python prints them, of which JSON is nearly a part: texts in either quotation marks, `True`, `False` and
/// `None`, tuples as lists.
struct PythonLiteral {
  private var rest: ArraySlice<UInt8>

  private static let depthLimit = 64
  private static let words: [String: JSONValue] = [
    "True": .bool(true), "False": .bool(false), "None": .null, "true": .bool(true),
    "false": .bool(false), "null": .null,
  ]

  /// The values of a text, one after the other with spaces or commas between them; nil where anything else stands there.
  static func values(in text: some StringProtocol) -> [JSONValue]? {
    var reader = PythonLiteral(rest: Array(text.utf8)[...])
    var values: [JSONValue] = []
    reader.skip(",")
    while !reader.rest.isEmpty {
      guard let value = reader.value(depth: 0) else { return nil }
      values.append(value)
      reader.skip(",")
    }
    return values
  }

  /// Passes over blanks, and over as many of `others`.
  private mutating func skip(_ others: String = "") {
    rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) || others.utf8.contains($0) }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skip()
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth < Self.depthLimit else { return nil }
    if take("{") { return object(depth) }
    if take("[") { return list("]", depth) }
    if take("(") { return list(")", depth) }
    if let quote = rest.first, "'\"".utf8.contains(quote) { return text().map { .string($0) } }
    let word = rest.prefix { !" \t\r\n,:]})".utf8.contains($0) }
    rest = rest[word.endIndex...]
    let name = String(decoding: word, as: UTF8.self)
    return Self.words[name] ?? JSONNumber(text: name).map { .number($0) }
  }

  private mutating func list(_ end: Unicode.Scalar, _ depth: Int) -> JSONValue? {
    var values: [JSONValue] = []
    while !take(end) {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
      guard take(",") || rest.first == UInt8(ascii: end) else { return nil }
    }
    return .array(values)
  }

  private mutating func object(_ depth: Int) -> JSONValue? {
    var members: [JSONObject.Member] = []
    // Keys are compared scalar by scalar.
    var keys: Set<[UInt8]> = []
    while !take("}") {
      skip()
      guard let key = text(), keys.insert(Array(key.utf8)).inserted, take(":"),
        let value = value(depth: depth + 1)
      else { return nil }
      members.append(JSONObject.Member(key: key, value: value))
      guard take(",") || rest.first == UInt8(ascii: "}") else { return nil }
    }
    return .object(JSONObject(members))
  }
}

// Texts.
extension PythonLiteral {
  private static let escapes: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "n"): "\n", UInt8(ascii: "t"): "\t", UInt8(ascii: "r"): "\r",
    UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "\\"): "\\",
    UInt8(ascii: "'"): "'", UInt8(ascii: "\""): "\"", UInt8(ascii: "/"): "/",
  ]

  private mutating func text() -> String? {
    guard let quote = rest.popFirst(), "'\"".utf8.contains(quote) else { return nil }
    var units: [UInt16] = []
    while let plain = rest.firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "\\") }) {
      units += String(decoding: rest[..<plain], as: UTF8.self).utf16
      rest = rest[plain...]
      if rest.popFirst() == quote { return String(decoding: units, as: UTF16.self) }
      guard let escaped = escaped() else { return nil }
      units += escaped
    }
    return nil
  }

  /// What stands behind a backslash; what Python does not know stays as it is.
  private mutating func escaped() -> [UInt16]? {
    guard let letter = rest.first else { return nil }
    let digits = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8][letter]
    guard Self.escapes[letter] != nil || digits != nil else { return Array("\\".utf16) }
    rest.removeFirst()
    if let scalar = Self.escapes[letter] { return Array(String(Character(scalar)).utf16) }
    guard let digits else { return nil }
    let code = UInt32(String(decoding: rest.prefix(digits), as: UTF8.self), radix: 16)
    guard let code, rest.count >= digits else { return nil }
    rest = rest.dropFirst(digits)
    // Halves of a pair are units of their own.
    if let unit = UInt16(exactly: code) { return [unit] }
    return Unicode.Scalar(code).map { Array(String(Character($0)).utf16) }
  }
}
