/// Reads the few forms of JSON that a safetensors header uses, with the byte of every defect.
struct JSONScanner {
  private let bytes: [UInt8]
  private let path: String
  private let start: Int
  private var position = 0

  init(_ bytes: [UInt8], path: String, start: Int) {
    self.bytes = bytes
    self.path = path
    self.start = start
  }

  func defect(_ defect: SafetensorsDefect, at offset: Int) -> TensorFileError {
    .safetensors(defect, path: path, offset: offset)
  }

  func checkStart() throws(TensorFileError) {
    guard let first = bytes.first else { throw expected("“{”") }
    guard first == UInt8(ascii: "{") else { throw defect(.headerStart(first), at: start) }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw defect(.headerNotUTF8, at: start)
    }
  }

  mutating func checkEnd() throws(TensorFileError) {
    skipSpace()
    guard position == bytes.count else { throw defect(.trailingHeader, at: start + position) }
  }

  /// Reads an object; `body` is called after each “key:” and reads the value.
  mutating func object(
    _ body: (inout JSONScanner, String, Int) throws(TensorFileError) -> Void
  ) throws(TensorFileError) {
    try expect("{")
    if skip("}") { return }
    repeat {
      skipSpace()
      let offset = start + position
      let key = try string()
      guard key.utf8.count <= SafetensorsLimits.nameBytes else {
        throw defect(.longName(bytes: key.utf8.count), at: offset)
      }
      try expect(":")
      try body(&self, key, offset)
    } while skip(",")
    try expect("}")
  }

  mutating func stringTable() throws(TensorFileError) -> [String: String] {
    var table: [String: String] = [:]
    try object { json, key, offset throws(TensorFileError) in
      guard table.count < SafetensorsLimits.strings else {
        throw json.defect(.tooManyStrings, at: offset)
      }
      guard table.updateValue(try json.string(), forKey: key) == nil else {
        throw json.defect(.duplicateName(key), at: offset)
      }
    }
    return table
  }

  /// As `stringTable()`, or `null` for an empty one, as mlx writes it; the reference reads both.
  mutating func optionalStringTable() throws(TensorFileError) -> [String: String] {
    skipSpace()
    guard bytes[position...].starts(with: Array("null".utf8)) else { return try stringTable() }
    position += 4
    return [:]
  }

  /// Reads an array of whole numbers from 0.
  mutating func numbers(tensor: String) throws(TensorFileError) -> [Int] {
    try expect("[")
    if skip("]") { return [] }
    var result: [Int] = []
    repeat {
      guard result.count < SafetensorsLimits.dimensions else {
        throw defect(.tooManyDimensions(tensor: tensor), at: start + position)
      }
      result.append(try number(tensor: tensor))
    } while skip(",")
    try expect("]")
    return result
  }

  private mutating func number(tensor: String) throws(TensorFileError) -> Int {
    skipSpace()
    let first = position
    var value = 0
    while position < bytes.count, case let digit = Int(bytes[position]) - 48, 0...9 ~= digit {
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow2) = tens.addingReportingOverflow(digit)
      guard !overflow, !overflow2 else {
        throw defect(.badNumber(tensor: tensor), at: start + first)
      }
      value = sum
      position += 1
    }
    let isFraction = position < bytes.count && [46, 69, 101].contains(bytes[position])
    let hasLeadingZero = position > first + 1 && bytes[first] == 48
    guard position > first, !isFraction, !hasLeadingZero else {
      throw defect(.badNumber(tensor: tensor), at: start + first)
    }
    return value
  }

  mutating func string() throws(TensorFileError) -> String {
    try expect("\"")
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<32:
        throw defect(
          .syntax(expected: "a string without control characters"), at: start + position - 1)
      default: text.append(byte)
      }
    }
    throw expected("the closing quote of a string")
  }

  private mutating func escape(into text: inout [UInt8]) throws(TensorFileError) {
    let offset = start + position - 1
    guard position < bytes.count else { throw defect(.badEscape, at: offset) }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(8)
    case UInt8(ascii: "f"): text.append(12)
    case UInt8(ascii: "n"): text.append(10)
    case UInt8(ascii: "r"): text.append(13)
    case UInt8(ascii: "t"): text.append(9)
    case UInt8(ascii: "u"):
      guard let scalar = unicodeEscape() else { throw defect(.badEscape, at: offset) }
      text.append(contentsOf: Character(scalar).utf8)
    default: throw defect(.badEscape, at: offset)
    }
  }

  /// Four hexadecimal digits after “\u”, or a surrogate pair of two such escapes.
  private mutating func unicodeEscape() -> Unicode.Scalar? {
    guard let high = hexadecimalDigits() else { return nil }
    guard 0xD800..<0xDC00 ~= high else { return Unicode.Scalar(high) }
    guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    position += 2
    guard let low = hexadecimalDigits(), 0xDC00..<0xE000 ~= low else { return nil }
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func hexadecimalDigits() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    position += 4
    return value
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(TensorFileError) {
    guard skip(character) else { throw expected("“\(character)”") }
  }

  private func expected(_ what: String) -> TensorFileError {
    defect(.syntax(expected: what), at: start + position)
  }

  /// Steps over `character`, if it comes next after white space.
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, [32, 9, 10, 13].contains(bytes[position]) { position += 1 }
  }
}
