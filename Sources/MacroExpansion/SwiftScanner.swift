/// A piece of Swift source between spaces and comments.
struct SwiftToken: Equatable {
  enum Kind: Equatable {
    /// A name, with its backticks, or a keyword.
    case word
    /// A number, or a string or regex literal as a whole.
    case literal
    /// One character of punctuation, or `->`.
    case mark
  }

  let kind: Kind
  let text: String
  /// Bytes from the start of the source.
  let range: Range<Int>
  /// Whether a line ends before it.
  let startsLine: Bool

  /// Whether this is the literal of a text.
  var isString: Bool { kind == .literal && text.drop { $0 == "#" }.first == "\"" }

  /// Whether this is the mark `text`.
  func isMark(_ text: String) -> Bool { kind == .mark && self.text == text }
}

/// Cuts Swift source into tokens, as far as a declaration's outline needs: brackets, names, and literals as a whole.
struct SwiftScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var startsLine = true
  private var tokens: [SwiftToken] = []

  private init(_ source: String) {
    bytes = Array(source.utf8)
  }

  /// The tokens of `source`.
  static func tokens(of source: String) -> [SwiftToken] {
    var scanner = SwiftScanner(source)
    scanner.scan()
    return scanner.tokens
  }

  private mutating func scan() {
    skipTrivia()
    while position < bytes.count {
      scanToken()
      skipTrivia()
    }
  }

  private mutating func scanToken() {
    let start = position
    let byte = bytes[position]
    var kind = SwiftToken.Kind.mark
    if let delimiter = LiteralDelimiter(at: position, in: bytes, mayBeRegex: mayStartRegex) {
      skipLiteral(delimiter)
      kind = .literal
    } else if byte == UInt8(ascii: "`") {
      repeat { position += 1 } while position < bytes.count && bytes[position] != byte
      position += 1
      kind = .word
    } else if Self.isNamePart(byte) {
      kind = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? .literal : .word
      while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
    } else {
      position += has("->") ? 2 : 1
    }
    position = min(position, bytes.count)
    tokens.append(
      SwiftToken(
        kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self),
        range: start..<position, startsLine: startsLine))
    startsLine = false
  }

  /// Whether a slash at this place is a regex and not a division.
  private var mayStartRegex: Bool {
    guard let last = tokens.last else { return true }
    return last.kind == .mark && "([,:=".contains(last.text)
  }

  private mutating func skipLiteral(_ delimiter: LiteralDelimiter) {
    position += delimiter.open.count
    while position < bytes.count, !has(delimiter.close) {
      if has(delimiter.escape) {
        position += delimiter.escape.count
        if delimiter.isString, has("(") { skipInterpolation() } else { position += 1 }
      } else {
        position += 1
      }
    }
    position += delimiter.close.count
  }

  /// Steps over `(…)`, in which literals may stand.
  private mutating func skipInterpolation() {
    var depth = 0
    repeat {
      if let delimiter = LiteralDelimiter(at: position, in: bytes, mayBeRegex: false) {
        skipLiteral(delimiter)
        continue
      }
      if has("(") { depth += 1 }
      if has(")") { depth -= 1 }
      position += 1
    } while depth > 0 && position < bytes.count
  }

  private mutating func skipTrivia() {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == 0x0A || byte == 0x0D { startsLine = true }
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        position += 1
      } else if has("//") {
        while position < bytes.count, bytes[position] != 0x0A { position += 1 }
      } else if has("/*") {
        skipBlockComment()
      } else {
        return
      }
    }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if has("/*") {
        depth += 1
        position += 2
      } else if has("*/") {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0 && position < bytes.count
  }

  private func has(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private func has(_ text: [UInt8]) -> Bool { bytes[position...].starts(with: text) }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}

/// What a string or regex literal starts and ends with.
private struct LiteralDelimiter {
  let open: [UInt8]
  let close: [UInt8]
  let escape: [UInt8]
  let isString: Bool

  /// The delimiter of the literal that starts at `position`, if one does.
  init?(at position: Int, in bytes: [UInt8], mayBeRegex: Bool) {
    let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }
    let rest = bytes[(position + hashes.count)...]
    let mark: [UInt8]
    if rest.starts(with: "\"\"\"".utf8) {
      mark = Array("\"\"\"".utf8)
    } else if rest.first == UInt8(ascii: "\"") {
      mark = [UInt8(ascii: "\"")]
    } else if rest.first == UInt8(ascii: "/"), !hashes.isEmpty || mayBeRegex {
      mark = [UInt8(ascii: "/")]
    } else {
      return nil
    }
    isString = mark.first == UInt8(ascii: "\"")
    open = hashes + mark
    close = mark + hashes
    // A backslash alone escapes in a regex, whatever its number signs.
    escape = [UInt8(ascii: "\\")] + (isString ? Array(hashes) : [])
  }
}
