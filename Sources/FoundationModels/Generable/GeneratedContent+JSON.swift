import JSON

extension GeneratedContent {
  /// Reads JSON, which may end anywhere: what is cut off is missing, and ``isComplete`` says so.
  ///
  /// A number, a literal or a key that the end of the text cuts is left out, as it may go on.
  ///
  /// - Throws: ``GeneratedContentError/malformedJSON(reason:offset:)``, also for more than 64 levels.
  public init(json: String) throws {
    try self.init(json: json, id: nil)
  }

  /// As the public initializer; `id` names the content, and names after it each content inside.
  init(json: String, id: GenerationID?) throws(GeneratedContentError) {
    var reader = PartialJSONReader(Array(json.utf8))
    self = try reader.readContent(id: id)
  }

  /// The content as JSON on one line, properties in their order, a space after each comma and colon.
  ///
  /// A number that is not finite has no JSON and becomes `null`.
  public var jsonString: String { json.line }

  /// The content as JSON.
  var json: JSONValue {
    switch kind {
    case .null: .null
    case .bool(let value): .bool(value)
    case .string(let value): .string(value)
    case .number(let value):
      if let number { .number(number) } else { value.isFinite ? .number(JSONNumber(value)) : .null }
    case .array(let elements): .array(elements.map(\.json))
    case .structure(let properties, let keys):
      .object(
        JSONObject(
          keys.compactMap { key in
            properties[key].map { JSONObject.Member(key: key, value: $0.json) }
          }))
    }
  }
}

/// Reads the beginning of a JSON text, or all of it, as content.
struct PartialJSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var valueCount = 0
  private static let depthLimit = 64
  private static let sizeLimit = 8 << 20

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The text's one value; an empty text is an incomplete null.
  mutating func readContent(id: GenerationID?) throws(GeneratedContentError) -> GeneratedContent {
    guard bytes.count <= Self.sizeLimit else {
      throw malformed("the text has more than \(Self.sizeLimit) bytes")
    }
    let content =
      try readValue(id: id, depth: 0)
      ?? GeneratedContent(kind: .null, id: id, isComplete: false)
    skipSpace()
    guard isAtEnd else { throw malformed("something follows the value") }
    return content
  }

  /// A value, or nil when the text ends before anything of it can be told.
  private mutating func readValue(
    id: GenerationID?, depth: Int
  ) throws(GeneratedContentError) -> GeneratedContent? {
    skipSpace()
    guard let byte = peek else { return nil }
    valueCount += 1
    guard valueCount <= JSONDocument.valueLimit else {
      throw malformed("there are more than \(JSONDocument.valueLimit) values")
    }
    switch byte {
    case UInt8(ascii: "{"): return try readStructure(id: id, depth: depth + 1)
    case UInt8(ascii: "["): return try readArray(id: id, depth: depth + 1)
    case UInt8(ascii: "\""):
      let (text, isComplete) = try readString()
      return GeneratedContent(kind: .string(text), id: id, isComplete: isComplete)
    default: return try readWord(id: id, isRoot: depth == 0)
    }
  }

  private mutating func readStructure(
    id: GenerationID?, depth: Int
  ) throws(GeneratedContentError) -> GeneratedContent {
    try enter(depth)
    var values: [String: GeneratedContent] = [:]
    var keys: [String] = []
    let isComplete = try readMembers(until: UInt8(ascii: "}")) {
      reader throws(GeneratedContentError) in
      guard reader.peek == UInt8(ascii: "\"") else { throw reader.malformed("no key in quotes") }
      let (key, isWhole) = try reader.readString()
      reader.skipSpace()
      guard isWhole, let colon = reader.peek else { return false }
      guard colon == UInt8(ascii: ":") else { throw reader.malformed("no colon after a key") }
      reader.position += 1
      guard let value = try reader.readValue(id: id?.property(key), depth: depth) else {
        return false
      }
      if values.updateValue(value, forKey: key) == nil { keys.append(key) }
      return value.isComplete
    }
    return GeneratedContent(
      kind: .structure(properties: values, orderedKeys: keys), id: id, isComplete: isComplete)
  }

  private mutating func readArray(
    id: GenerationID?, depth: Int
  ) throws(GeneratedContentError) -> GeneratedContent {
    try enter(depth)
    var elements: [GeneratedContent] = []
    let isComplete = try readMembers(until: UInt8(ascii: "]")) {
      reader throws(GeneratedContentError) in
      guard let value = try reader.readValue(id: id?.element(elements.count), depth: depth) else {
        return false
      }
      elements.append(value)
      return value.isComplete
    }
    return GeneratedContent(kind: .array(elements), id: id, isComplete: isComplete)
  }

  /// Reads members with commas between them; false when the text ends before the closing byte.
  private mutating func readMembers(
    until end: UInt8,
    _ readMember: (inout PartialJSONReader) throws(GeneratedContentError) -> Bool
  ) throws(GeneratedContentError) -> Bool {
    skipSpace()
    if peek == end {
      position += 1
      return true
    }
    while true {
      skipSpace()
      guard peek != nil, try readMember(&self) else {
        guard isAtEnd else { throw malformed("a value is cut inside the text") }
        return false
      }
      skipSpace()
      guard let byte = peek else { return false }
      guard byte == end || byte == UInt8(ascii: ",") else {
        throw malformed("no comma after a value")
      }
      position += 1
      if byte == end { return true }
    }
  }

  /// A literal or a number; nil when it may go on behind the end of the text.
  private mutating func readWord(
    id: GenerationID?, isRoot: Bool
  ) throws(GeneratedContentError) -> GeneratedContent? {
    let start = position
    let isWordEnd: (UInt8) -> Bool = { [0x20, 0x0A, 0x0D, 0x09, 0x2C, 0x5D, 0x7D].contains($0) }
    while let byte = peek, !isWordEnd(byte) { position += 1 }
    let word = Array(bytes[start..<position])
    let parsed = (try? JSONDocument(parsing: word))?.root
    switch parsed {
    case .null: return GeneratedContent(kind: .null, id: id, isComplete: true)
    case .bool(let value): return GeneratedContent(kind: .bool(value), id: id, isComplete: true)
    case .number(let number):
      if isAtEnd, !isRoot { return nil }
      return GeneratedContent(
        kind: .number(number.double), id: id, isComplete: true, number: number)
    default: break
    }
    guard isAtEnd, Self.mayGoOn(word) else {
      position = start
      throw malformed("no value")
    }
    return nil
  }

  /// Whether a word that is no JSON yet can become some.
  private static func mayGoOn(_ word: [UInt8]) -> Bool {
    if ["true", "false", "null"].contains(where: { $0.utf8.starts(with: word) }) { return true }
    return (try? JSONDocument(parsing: word + [UInt8(ascii: "0")])) != nil
  }

  /// A string, and whether its closing quote is there; a character or escape cut by the end is left out.
  private mutating func readString() throws(GeneratedContentError) -> (String, Bool) {
    let start = position
    position += 1
    var end = position
    while let byte = peek, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw malformed("a control character in a string") }
      position += byte == UInt8(ascii: "\\") ? 2 : 1
      if position <= bytes.count { end = position }
    }
    guard position < bytes.count else {
      position = bytes.count
      return (try Self.longestString(Array(bytes[start..<end]), at: start), false)
    }
    position += 1
    guard let text = Self.string(Array(bytes[start..<position])) else {
      throw .malformedJSON(reason: "a string is malformed", offset: start)
    }
    return (text, true)
  }

  /// The string without its cut end: up to 11 bytes of an escape pair, or 3 of a character.
  private static func longestString(
    _ quoted: [UInt8], at start: Int
  ) throws(GeneratedContentError) -> String {
    for dropped in 0...min(11, quoted.count - 1) {
      let kept = quoted.dropLast(dropped) + [UInt8(ascii: "\"")]
      if let text = string(Array(kept)) { return text }
    }
    throw .malformedJSON(reason: "a string is malformed", offset: start)
  }

  private static func string(_ quoted: [UInt8]) -> String? {
    (try? JSONDocument(parsing: quoted))?.root.string
  }

  private mutating func enter(_ depth: Int) throws(GeneratedContentError) {
    guard depth <= Self.depthLimit else {
      throw malformed("values are nested more than \(Self.depthLimit) deep")
    }
    position += 1
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }
  private var isAtEnd: Bool { position >= bytes.count }

  private mutating func skipSpace() {
    while let byte = peek, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { position += 1 }
  }

  private func malformed(_ reason: String) -> GeneratedContentError {
    .malformedJSON(reason: reason, offset: position)
  }
}
