/// Recursive descent over RFC 8259 text, strict, with a bounded depth.
struct JSONParser {
  static let depthLimit = 64

  private let bytes: [UInt8]
  private let findsPlaces: Bool
  private(set) var position = 0
  private(set) var line = 1
  private(set) var duplicates: [JSONDocument.Duplicate] = []
  private(set) var lines: [String: Int] = [:]

  init(bytes: [UInt8], findsPlaces: Bool = true) {
    self.bytes = bytes
    self.findsPlaces = findsPlaces
  }

  mutating func parseDocument() throws(JSONError) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw error(.byteOrderMark) }
    let value = try parseValue(path: "", depth: 0)
    skipWhitespace()
    guard position == bytes.count else { throw error(.trailingBytes) }
    return value
  }

  private mutating func parseValue(path: String, depth: Int) throws(JSONError) -> JSONValue {
    skipWhitespace()
    guard let byte = peek else { throw error(.unexpectedEnd) }
    switch byte {
    case UInt8(ascii: "{"): return .object(try parseObject(path: path, depth: depth + 1))
    case UInt8(ascii: "["): return .array(try parseArray(path: path, depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .number(try parseNumber())
    default: return try parseLiteral()
    }
  }

  private mutating func parseObject(path: String, depth: Int) throws(JSONError) -> JSONObject {
    try enter(depth)
    var members: [JSONObject.Member] = []
    var seen = KeySet()
    if try consumeIfNext(UInt8(ascii: "}")) { return JSONObject() }
    while true {
      skipWhitespace()
      guard peek == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
      let keyLine = line
      let key = try parseString()
      let keyPath = !findsPlaces || path.isEmpty ? key : "\(path).\(key)"
      try consume(UInt8(ascii: ":"), "':'")
      let value = try parseValue(path: keyPath, depth: depth)
      if seen.insert(key, after: members) {
        if findsPlaces { lines[keyPath] = keyLine }
        members.append(JSONObject.Member(key: key, value: value))
      } else {
        duplicates.append(JSONDocument.Duplicate(path: keyPath, line: keyLine))
      }
      if try consumeIfNext(UInt8(ascii: "}")) { return JSONObject(members) }
      try consume(UInt8(ascii: ","), "',' or '}'")
    }
  }

  private mutating func parseArray(path: String, depth: Int) throws(JSONError) -> [JSONValue] {
    try enter(depth)
    var values: [JSONValue] = []
    if try consumeIfNext(UInt8(ascii: "]")) { return values }
    while true {
      let place = findsPlaces ? "\(path)[\(values.count)]" : ""
      values.append(try parseValue(path: place, depth: depth))
      if try consumeIfNext(UInt8(ascii: "]")) { return values }
      try consume(UInt8(ascii: ","), "',' or ']'")
    }
  }

  private mutating func parseLiteral() throws(JSONError) -> JSONValue {
    let known: [(String, JSONValue?)] = [
      ("true", .bool(true)), ("false", .bool(false)), ("null", .null),
      ("NaN", nil), ("Infinity", nil),
    ]
    for (text, value) in known where bytes[position...].starts(with: text.utf8) {
      guard let value else { throw error(.notANumber(text)) }
      position += text.utf8.count
      return value
    }
    throw unexpected("a value")
  }

  private mutating func parseNumber() throws(JSONError) -> JSONNumber {
    let start = position
    if peek == UInt8(ascii: "-") { position += 1 }
    if peek == UInt8(ascii: "I"), bytes[position...].starts(with: "Infinity".utf8) {
      position = start
      throw error(.notANumber("-Infinity"))
    }
    let leadingZero = peek == UInt8(ascii: "0")
    let digits = skipDigits()
    var valid = digits > 0 && !(leadingZero && digits > 1)
    if peek == UInt8(ascii: ".") {
      position += 1
      valid = skipDigits() > 0 && valid
    }
    if let byte = peek, byte | 0x20 == UInt8(ascii: "e") {
      position += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
      valid = skipDigits() > 0 && valid
    }
    guard valid else {
      position = start
      throw error(.malformedNumber)
    }
    return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func parseString() throws(JSONError) -> String {
    let start = position
    position += 1
    // Most texts have no escapes and are taken in one piece.
    var text = takePlainText()
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          position = start
          throw error(.invalidUTF8)
        }
        return string
      case UInt8(ascii: "\\"): text.append(contentsOf: try parseEscape())
      case ..<0x20: throw error(.controlCharacter(byte))
      default:
        text.append(byte)
        position += 1
      }
    }
    throw error(.unexpectedEnd)
  }

  private mutating func takePlainText() -> ArraySlice<UInt8> {
    let start = position
    while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    return bytes[start..<position]
  }

  private static let simpleEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F,
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
    UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]

  private mutating func parseEscape() throws(JSONError) -> [UInt8] {
    guard position + 1 < bytes.count else {
      position = bytes.count
      throw error(.unexpectedEnd)
    }
    if let byte = Self.simpleEscapes[bytes[position + 1]] {
      position += 2
      return [byte]
    }
    guard let first = parseCodeUnit() else { throw error(.malformedEscape) }
    if let scalar = UnicodeScalar(first) { return Array(String(Character(scalar)).utf8) }
    guard let second = parseCodeUnit(),
      let character = String(validating: [first, second], as: UTF16.self)
    else { throw error(.malformedEscape) }
    return Array(character.utf8)
  }

  /// Reads `\uXXXX` and steps over it, or returns nil without moving.
  private mutating func parseCodeUnit() -> UInt16? {
    let digits = bytes[position...].dropFirst(2).prefix(4)
    guard bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]),
      digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    position += 6
    return unit
  }
}

/// The keys of an object so far; a few are compared one by one, many are hashed.
private struct KeySet {
  private var hashed: Set<[UInt8]> = []
  private static let few = 16

  /// Adds `key` to those of `members`; false when it is there already.
  mutating func insert(_ key: String, after members: [JSONObject.Member]) -> Bool {
    if members.count < Self.few {
      return !members.contains { $0.key.utf8.elementsEqual(key.utf8) }
    }
    if hashed.isEmpty { hashed = Set(members.map { Array($0.key.utf8) }) }
    return hashed.insert(Array(key.utf8)).inserted
  }
}

extension JSONParser {
  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipWhitespace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      if byte == 0x0A { line += 1 }
      position += 1
    }
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  private mutating func enter(_ depth: Int) throws(JSONError) {
    guard depth <= Self.depthLimit else { throw error(.tooDeep(limit: Self.depthLimit)) }
    position += 1
  }

  private mutating func consume(_ byte: UInt8, _ expected: String) throws(JSONError) {
    skipWhitespace()
    guard peek == byte else { throw unexpected(expected) }
    position += 1
  }

  private mutating func consumeIfNext(_ byte: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard let next = peek else { throw error(.unexpectedEnd) }
    if next == byte { position += 1 }
    return next == byte
  }

  private func unexpected(_ expected: String) -> JSONError {
    peek.map { error(.unexpectedByte($0, expected: expected)) } ?? error(.unexpectedEnd)
  }

  private func error(_ reason: JSONError.Reason) -> JSONError {
    JSONError(reason: reason, offset: position, line: line)
  }
}
