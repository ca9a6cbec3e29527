/// A piece of a template.
struct TemplateToken: Equatable {
  enum Kind: Equatable {
    /// Text between tags, white space already cut as the tags say.
    case text
    case blockBegin, blockEnd, variableBegin, variableEnd
    case name, string, integer, float, symbol
    case end
  }

  var kind: Kind
  /// The text of the token; of a string its contents.
  var text: String
  /// Bytes from the start of the template.
  var offset: Int
}

/// Cuts a template into tokens as jinja2 does with `trim_blocks` and `lstrip_blocks`.
struct TemplateLexer {
  /// The template with line feeds for all line ends, and without one at its end.
  let source: [UInt8]
  private let text: SourcedText
  private var tokens: [TemplateToken] = []
  private var position = 0
  /// Whether what was read before ends a line, so that white space before a tag starts one.
  private var startsLine = true

  init(_ template: String) throws(JinjaError) {
    var bytes: [UInt8] = []
    var isAfterReturn = false
    for byte in template.utf8 {
      if byte == UInt8(ascii: "\r") {
        bytes.append(UInt8(ascii: "\n"))
      } else if byte != UInt8(ascii: "\n") || !isAfterReturn {
        bytes.append(byte)
      }
      isAfterReturn = byte == UInt8(ascii: "\r")
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    source = bytes
    text = SourcedText(bytes, .template)
    guard bytes.count <= JinjaLimits.template else {
      throw JinjaError(
        .templateTooLong(bytes: bytes.count, limit: JinjaLimits.template), at: 0, in: [])
    }
  }

  /// All tokens, the last of which is `.end`.
  mutating func tokenize() throws(JinjaError) -> [TemplateToken] {
    while let tag = findTag() {
      switch source[tag + 1] {
      case UInt8(ascii: "#"): try readComment(tag)
      case UInt8(ascii: "{"): try readTag(tag, .variableBegin)
      default: if try !readRaw(tag) { try readTag(tag, .blockBegin) }
      }
    }
    add(.text, position..<source.count)
    tokens.append(TemplateToken(kind: .end, text: "", offset: source.count))
    return tokens
  }

  func fail(_ problem: String, at offset: Int) -> JinjaError {
    JinjaError(.syntax(problem), at: offset, in: source)
  }
}

extension TemplateLexer {
  /// The offset of the next `{%`, `{{` or `{#`.
  private func findTag() -> Int? {
    var index = position
    while index + 1 < source.count {
      if source[index] == UInt8(ascii: "{"), "%{#".utf8.contains(source[index + 1]) { return index }
      index += 1
    }
    return nil
  }

  /// The byte at `offset`; zero, which no rule knows, behind the end.
  private func byte(_ offset: Int) -> UInt8 { offset < source.count ? source[offset] : 0 }

  private func has(_ word: String, at offset: Int) -> Bool {
    var offset = offset
    for byte in word.utf8 {
      guard self.byte(offset) == byte else { return false }
      offset += 1
    }
    return true
  }

  private mutating func add(_ kind: TemplateToken.Kind, _ range: Range<Int>) {
    guard kind != .text || !range.isEmpty else { return }
    tokens.append(
      TemplateToken(
        kind: kind, text: String(decoding: source[range], as: UTF8.self), offset: range.lowerBound))
  }

  private func skippingSpace(_ offset: Int) -> Int {
    var offset = offset
    while offset < source.count, case let next = text.scalar(at: offset), next.scalar.isPythonSpace
    {
      offset = next.end
    }
    return offset
  }

  /// Adds the text before the tag at `tag` and goes on behind the tag's two characters and its sign.
  private mutating func addText(before tag: Int, isVariable: Bool) {
    let start = position
    var end = tag
    position = tag + 2
    switch position < source.count ? source[position] : 0 {
    case UInt8(ascii: "-"):
      position += 1
      while end > start, case let last = text.scalar(before: end), last.scalar.isPythonSpace {
        end = last.start
      }
    case UInt8(ascii: "+"): position += 1
    default: if !isVariable { end = strippedEnd(start..<tag) }
    }
    add(.text, start..<end)
  }

  /// Where the text ends without the white space between the start of a line and a tag.
  private func strippedEnd(_ range: Range<Int>) -> Int {
    let newline = source[range].lastIndex(of: UInt8(ascii: "\n"))
    guard newline != nil || startsLine else { return range.upperBound }
    let line = newline.map { $0 + 1 } ?? range.lowerBound
    return skippingSpace(line) >= range.upperBound ? line : range.upperBound
  }

  /// The end of the tag at `offset` whose last two characters are `close` and `}`; nil where none ends.
  private func tagEnd(_ close: UInt8, at offset: Int, trims: Bool) -> Int? {
    let sign = byte(offset)
    let isSigned = sign == UInt8(ascii: "-") || trims && sign == UInt8(ascii: "+")
    let end = isSigned ? offset + 3 : offset + 2
    guard byte(end - 2) == close, byte(end - 1) == UInt8(ascii: "}") else { return nil }
    if sign == UInt8(ascii: "-") { return skippingSpace(end) }
    return trims && !isSigned && byte(end) == UInt8(ascii: "\n") ? end + 1 : end
  }

  private mutating func readComment(_ tag: Int) throws(JinjaError) {
    addText(before: tag, isVariable: false)
    while position < source.count {
      if let end = tagEnd(UInt8(ascii: "#"), at: position, trims: true) { return advance(to: end) }
      position += 1
    }
    throw fail("a comment has no end “#}”", at: tag)
  }

  private mutating func advance(to end: Int) {
    position = end
    startsLine = source[end - 1] == UInt8(ascii: "\n")
  }

  /// Reads `{% raw %}…{% endraw %}` if there is one at `tag`.
  private mutating func readRaw(_ tag: Int) throws(JinjaError) -> Bool {
    guard let begin = wordTag("raw", at: tag, trims: false) else { return false }
    addText(before: tag, isVariable: false)
    advance(to: begin)
    var index = begin
    while let next = source[index...].firstIndex(of: UInt8(ascii: "{")) {
      if let end = wordTag("endraw", at: next, trims: true) {
        addText(before: next, isVariable: false)
        advance(to: end)
        return true
      }
      index = next + 1
    }
    throw fail("a raw block has no end “{% endraw %}”", at: tag)
  }

  /// The end of a tag that consists of one word.
  private func wordTag(_ word: String, at tag: Int, trims: Bool) -> Int? {
    guard has("{%", at: tag) else { return nil }
    let signed = has("-", at: tag + 2) || has("+", at: tag + 2)
    let start = skippingSpace(signed ? tag + 3 : tag + 2)
    guard has(word, at: start) else { return nil }
    let end = skippingSpace(start + word.utf8.count)
    if !trims {
      return has("-%}", at: end) ? skippingSpace(end + 3) : has("%}", at: end) ? end + 2 : nil
    }
    return tagEnd(UInt8(ascii: "%"), at: end, trims: true)
  }
}

extension TemplateLexer {
  private mutating func readTag(_ tag: Int, _ kind: TemplateToken.Kind) throws(JinjaError) {
    let isVariable = kind == .variableBegin
    addText(before: tag, isVariable: isVariable)
    add(kind, tag..<(tag + 2))
    let close = isVariable ? UInt8(ascii: "}") : UInt8(ascii: "%")
    var open: [UInt8] = []
    while true {
      if open.isEmpty, let end = tagEnd(close, at: position, trims: !isVariable) {
        tokens.append(
          TemplateToken(kind: isVariable ? .variableEnd : .blockEnd, text: "", offset: position))
        return advance(to: end)
      }
      position = skippingSpace(position)
      if open.isEmpty, tagEnd(close, at: position, trims: !isVariable) != nil { continue }
      guard position < source.count else { throw fail("a tag has no end", at: tag) }
      try readToken(&open)
    }
  }

  private mutating func readToken(_ open: inout [UInt8]) throws(JinjaError) {
    let byte = source[position]
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
    case UInt8(ascii: "'"), UInt8(ascii: "\""): try readString(byte)
    case _ where Self.isWord(byte): readName()
    default: try readSymbol(&open)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || isDigit(byte)
      || (0x61...0x7A).contains(byte | 0x20)
  }

  private mutating func readName() {
    let start = position
    while position < source.count, Self.isWord(source[position]) { position += 1 }
    add(.name, start..<position)
  }

  /// The end of digits, with single `_` between them, from `offset`.
  private func digits(_ offset: Int, _ isDigit: (UInt8) -> Bool = Self.isDigit) -> Int {
    var end = offset
    while end < source.count {
      if isDigit(source[end]) {
        end += 1
      } else if source[end] == UInt8(ascii: "_"), end > offset, end + 1 < source.count,
        isDigit(source[end + 1])
      {
        end += 2
      } else {
        break
      }
    }
    return end
  }

  private mutating func readNumber() {
    let start = position
    let prefix = start + 1 < source.count ? source[start + 1] | 0x20 : 0
    if source[start] == UInt8(ascii: "0"), "xob".utf8.contains(prefix) {
      let end = digits(start + 2) { byte in
        prefix == UInt8(ascii: "x")
          ? Self.isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
          : prefix == UInt8(ascii: "o") ? (0x30...0x37).contains(byte) : byte & 0xFE == 0x30
      }
      if end > start + 2 {
        position = end
        return add(.integer, start..<end)
      }
    }
    var end = digits(start)
    var isFloat = false
    if start == 0 || source[start - 1] != UInt8(ascii: ".") {
      if has(".", at: end), case let fraction = digits(end + 1), fraction > end + 1 {
        (end, isFloat) = (fraction, true)
      }
      if has("e", at: end) || has("E", at: end) {
        let sign = has("+", at: end + 1) || has("-", at: end + 1) ? end + 2 : end + 1
        let exponent = digits(sign)
        if exponent > sign { (end, isFloat) = (exponent, true) }
      }
    }
    position = end
    add(isFloat ? .float : .integer, start..<end)
  }

  private static let symbols = Array("+-/*%~[](){}><=.:|,;".utf8)

  private mutating func readSymbol(_ open: inout [UInt8]) throws(JinjaError) {
    let (first, second) = (source[position], byte(position + 1))
    let isLong =
      switch first {
      case UInt8(ascii: "/"), UInt8(ascii: "*"): second == first
      case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: ">"), UInt8(ascii: "<"):
        second == UInt8(ascii: "=")
      default: false
      }
    guard isLong || Self.symbols.contains(first) else {
      throw fail(
        "the character “\(text.scalar(at: position).scalar)” means nothing here", at: position)
    }
    switch first {
    case UInt8(ascii: "("): open.append(UInt8(ascii: ")"))
    case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
    case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
      guard open.popLast() == first else {
        throw fail("“\(Unicode.Scalar(first))” closes nothing", at: position)
      }
    default: break
    }
    let end = position + (isLong ? 2 : 1)
    add(.symbol, position..<end)
    position = end
  }
}

extension TemplateLexer {
  private mutating func readString(_ quote: UInt8) throws(JinjaError) {
    let start = position
    var scalars = String.UnicodeScalarView()
    position += 1
    while position < source.count, source[position] != quote {
      if source[position] == UInt8(ascii: "\\") {
        try readEscape(start, &scalars)
      } else {
        let next = text.scalar(at: position)
        scalars.append(next.scalar)
        position = next.end
      }
    }
    guard position < source.count else { throw fail("a string has no end", at: start) }
    position += 1
    tokens.append(TemplateToken(kind: .string, text: String(scalars), offset: start))
  }

  /// Reads what follows a backslash, as Python does in its own strings.
  private mutating func readEscape(
    _ start: Int, _ scalars: inout String.UnicodeScalarView
  ) throws(JinjaError) {
    guard position + 1 < source.count else { throw fail("a string has no end", at: start) }
    let place = position
    let next = text.scalar(at: position + 1)
    position = next.end
    switch next.scalar {
    case "\n": break
    case "n": scalars.append("\n")
    case "t": scalars.append("\t")
    case "r": scalars.append("\r")
    case "a": scalars.append("\u{7}")
    case "b": scalars.append("\u{8}")
    case "f": scalars.append("\u{C}")
    case "v": scalars.append("\u{B}")
    case "\\", "'", "\"": scalars.append(next.scalar)
    case "x": scalars.append(try readHexadecimal(2, at: place))
    case "u": scalars.append(try readHexadecimal(4, at: place))
    case "U": scalars.append(try readHexadecimal(8, at: place))
    case "N":
      throw fail("names of characters (“\\N”) are not supported; write the character", at: place)
    case "0"..."7": scalars.append(readOctal(next.scalar))
    default:
      scalars.append("\\")
      scalars.append(next.scalar)
    }
  }

  private mutating func readHexadecimal(
    _ count: Int, at place: Int
  ) throws(JinjaError) -> Unicode.Scalar {
    let digits = String(decoding: source[position...].prefix(count), as: UTF8.self)
    guard digits.utf8.count == count, let value = UInt32(digits, radix: 16), digits.first != "+",
      let scalar = Unicode.Scalar(value)
    else { throw fail("an escape in a string is no character", at: place) }
    position += count
    return scalar
  }

  private mutating func readOctal(_ first: Unicode.Scalar) -> Unicode.Scalar {
    var value = first.value - 0x30
    var count = 1
    while count < 3, position < source.count, (0x30...0x37).contains(source[position]) {
      value = value * 8 + UInt32(source[position] - 0x30)
      position += 1
      count += 1
    }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }
}
