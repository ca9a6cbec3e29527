/// Recursive descent over RFC 8259 text, strict; depth, values, keys and numbers are bounded.
///
/// Where the text may be the beginning of one, what its end cuts is left out, and ``openLevels`` says of how many values, each
/// the last in the one before, the end is missing.
struct JSONParser {
  static let depthLimit = 64
  /// Bytes of a key, and of the text of a number.
  static let tokenLimit = 4096
  /// Repeated keys that are noted; a hostile text can have millions.
  private static let duplicateLimit = 100

  private let bytes: [UInt8]
  private let valueLimit: Int
  /// Whether what is no number is read, as a string.
  private let keepsNonFinite: Bool
  private let mayBeCut: Bool
  private(set) var openLevels = 0
  private var valueCount = 0
  private(set) var position = 0
  private(set) var duplicates: [JSONDocument.Duplicate] = []
  /// Where the containers are that the position is in; paths are put together only when a message needs one.
  private var steps: [Step] = []

  private enum Step {
    case key(String)
    case element(Int)
  }

  init(bytes: [UInt8], valueLimit: Int, keepsNonFinite: Bool = false, mayBeCut: Bool = false) {
    self.bytes = bytes
    self.valueLimit = valueLimit
    (self.keepsNonFinite, self.mayBeCut) = (keepsNonFinite, mayBeCut)
  }

  mutating func parseDocument() throws(JSONError) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw error(.byteOrderMark) }
    guard let value = try parseValue(depth: 0) else {
      openLevels = 1
      return .null
    }
    skipWhitespace()
    guard position == bytes.count else { throw error(.trailingBytes) }
    return value
  }

  /// The value at the position, to which `step` leads; nil where the end of the text has cut it so that nothing of it is known.
  private mutating func parseValue(
    _ step: @autoclosure () -> Step? = nil, depth: Int
  ) throws(JSONError) -> JSONValue? {
    skipWhitespace()
    guard let byte = peek else {
      if mayBeCut { return nil }
      throw error(.unexpectedEnd)
    }
    valueCount += 1
    guard valueCount <= valueLimit else { throw error(.tooManyValues(limit: valueLimit)) }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let step = step()
      if let step { steps.append(step) }
      let value: JSONValue =
        byte == UInt8(ascii: "{")
        ? .object(try parseObject(depth: depth + 1)) : .array(try parseArray(depth: depth + 1))
      if step != nil { steps.removeLast() }
      return value
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try parseNumber(isRoot: depth == 0)
    default: return try parseLiteral()
    }
  }

  private mutating func parseObject(depth: Int) throws(JSONError) -> JSONObject {
    try enter(depth)
    var members: [JSONObject.Member] = []
    var seen = KeySet()
    if isCut() { return JSONObject() }
    if try consumeIfNext(UInt8(ascii: "}")) { return JSONObject() }
    while !isCut() {
      guard peek == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
      let start = position
      let key = try parseKey()
      // A key that is cut says of the object that it goes on, and no more.
      guard openLevels == 0, !isCut() else { break }
      try consume(UInt8(ascii: ":"), "':'")
      guard let value = try parseValue(.key(key), depth: depth) else {
        openLevels = 1
        break
      }
      let member = JSONObject.Member(key: key, value: value, offset: start)
      if seen.insert(key, after: members) {
        members.append(member)
      } else if mayBeCut {
        replace(member, in: &members, seen)
      } else if duplicates.count < Self.duplicateLimit {
        duplicates.append(
          .init(path: path(to: key), offset: start, line: bytes.line(at: start)))
      }
      if goesOnOpen() || isCut() { break }
      if try consumeIfNext(UInt8(ascii: "}")) { break }
      try consume(UInt8(ascii: ","), "',' or '}'")
    }
    return mayBeCut ? JSONObject(members) : JSONObject(members, seen)
  }

  /// Puts `member` in the place of the one with its key, or behind all where it is not whole yet.
  private func replace(
    _ member: JSONObject.Member, in members: inout [JSONObject.Member], _ keys: KeySet
  ) {
    guard let index = keys.index(of: member.key, in: members) else { return }
    guard openLevels > 0 else { return members[index] = member }
    members.remove(at: index)
    members.append(member)
  }

  /// Whether the text ends here; then one more value is open.
  private mutating func isCut() -> Bool {
    skipWhitespace()
    guard mayBeCut, peek == nil else { return false }
    openLevels = 1
    return true
  }

  /// Whether the value that was read last is open, and so is the one that has it.
  private mutating func goesOnOpen() -> Bool {
    guard openLevels > 0 else { return false }
    openLevels += 1
    return true
  }

  /// Path of the member `key` of the object that the position is in, as in `a.b[2].key`.
  private func path(to key: String) -> String {
    let container = steps.reduce(into: "") { path, step in
      switch step {
      case .key(let key): path += path.isEmpty ? key : ".\(key)"
      case .element(let index): path += "[\(index)]"
      }
    }
    return container.isEmpty ? key : "\(container).\(key)"
  }

  private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
    try enter(depth)
    var values: [JSONValue] = []
    if isCut() { return values }
    if try consumeIfNext(UInt8(ascii: "]")) { return values }
    while !isCut() {
      let index = values.count
      guard let value = try parseValue(.element(index), depth: depth) else {
        openLevels = 1
        break
      }
      values.append(value)
      if goesOnOpen() || isCut() { break }
      if try consumeIfNext(UInt8(ascii: "]")) { break }
      try consume(UInt8(ascii: ","), "',' or ']'")
    }
    return values
  }

  private static let literals: [(String, JSONValue?)] = [
    ("true", .bool(true)), ("false", .bool(false)), ("null", .null),
    ("NaN", nil), ("Infinity", nil),
  ]

  private mutating func parseLiteral() throws(JSONError) -> JSONValue? {
    let rest = bytes[position...]
    for (text, value) in Self.literals {
      if rest.starts(with: text.utf8) {
        guard let value else { return try nonFinite(text) }
        position += text.utf8.count
        return value
      }
      if mayBeCut, value != nil, text.utf8.starts(with: rest) {
        position = bytes.count
        return nil
      }
    }
    throw unexpected("a value")
  }

  /// What no number of JSON is, at the position.
  private mutating func nonFinite(_ text: String) throws(JSONError) -> JSONValue {
    guard keepsNonFinite else { throw error(.notANumber(text)) }
    position += text.utf8.count
    return .string(text)
  }

  private mutating func parseNumber(isRoot: Bool) throws(JSONError) -> JSONValue? {
    let start = position
    if bytes[start...].starts(with: "-Infinity".utf8) { return try nonFinite("-Infinity") }
    if peek == UInt8(ascii: "-") { position += 1 }
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
    let text = bytes[start..<position]
    // Digits may follow, but nothing tells so of a text that is a number.
    if mayBeCut, position == bytes.count, !(valid && isRoot), text.count < Self.tokenLimit,
      valid || Self.isNumber(text + [UInt8(ascii: "0")])
    {
      return nil
    }
    guard valid, text.count <= Self.tokenLimit else {
      position = start
      throw error(valid ? .numberTooLong(limit: Self.tokenLimit) : .malformedNumber)
    }
    return .number(JSONNumber(checked: String(decoding: text, as: UTF8.self)))
  }

  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    var parser = JSONParser(bytes: Array(text), valueLimit: 1)
    return (try? parser.parseDocument()) != nil
  }

  private mutating func parseKey() throws(JSONError) -> String {
    let start = position
    let key = try parseString()
    guard key.utf8.count <= Self.tokenLimit else {
      position = start
      throw error(.keyTooLong(limit: Self.tokenLimit))
    }
    return key
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
      case UInt8(ascii: "\\"):
        if mayBeCut, Self.isCutEscape(bytes[position...]) {
          position = bytes.count
        } else {
          try parseEscape(into: &text)
        }
      case ..<0x20: throw error(.controlCharacter(byte))
      default: text += takePlainText()
      }
    }
    guard mayBeCut else { throw error(.unexpectedEnd) }
    openLevels = 1
    // The end may have cut a character of up to four bytes.
    for dropped in 0...min(3, text.count) {
      if let string = String(validating: text.dropLast(dropped), as: UTF8.self) { return string }
    }
    position = start
    throw error(.invalidUTF8)
  }

  /// Whether `rest`, all that is left of the text, is the beginning of an escape of one unit or two.
  private static func isCutEscape(_ rest: ArraySlice<UInt8>) -> Bool {
    func isPart(_ unit: ArraySlice<UInt8>) -> Bool {
      unit.count < 6
        && unit.enumerated().allSatisfy { place, byte in
          switch place {
          case 0: byte == UInt8(ascii: "\\")
          case 1: byte == UInt8(ascii: "u")
          default: Character(UnicodeScalar(byte)).isHexDigit
          }
        }
    }
    if isPart(rest) { return true }
    // Digits of the first half of a pair begin with d8 to db: another one follows.
    let (first, second) = (rest.prefix(6), rest.dropFirst(6))
    guard first.count == 6, isPart(first.dropLast()), isPart(second) else { return false }
    return Int(String(decoding: first.dropFirst(2), as: UTF8.self), radix: 16)
      .map { (0xD800..<0xDC00).contains($0) } ?? false
  }

  private mutating func takePlainText() -> ArraySlice<UInt8> {
    let start = position
    while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    return bytes[start..<position]
  }

  private mutating func parseEscape(into text: inout ArraySlice<UInt8>) throws(JSONError) {
    guard position + 1 < bytes.count else {
      position = bytes.count
      throw error(.unexpectedEnd)
    }
    if let byte = Self.simpleEscape(bytes[position + 1]) {
      position += 2
      text.append(byte)
      return
    }
    guard let first = parseCodeUnit() else { throw error(.malformedEscape) }
    if let scalar = UnicodeScalar(first) {
      text += String(scalar).utf8
      return
    }
    guard let second = parseCodeUnit(),
      let character = String(validating: [first, second], as: UTF16.self)
    else { throw error(.malformedEscape) }
    text += character.utf8
  }

  private static func simpleEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    case UInt8(ascii: "b"): 8
    case UInt8(ascii: "f"): 12
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: nil
    }
  }

  /// Reads `\uXXXX` and steps over it, or returns nil without moving.
  private mutating func parseCodeUnit() -> UInt16? {
    guard position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[position + 2..<position + 6] {
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    position += 6
    return unit
  }
}

extension JSONParser {
  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipWhitespace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
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
    JSONError(reason: reason, offset: position, line: bytes.line(at: position))
  }
}

extension [UInt8] {
  /// Line of the byte at `offset`, from 1; no value of JSON has a line feed in it.
  func line(at offset: Int) -> Int { 1 + self[..<offset].count { $0 == 0x0A } }
}
