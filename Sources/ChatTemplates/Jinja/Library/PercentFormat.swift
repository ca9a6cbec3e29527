/// `text % values`.
struct PercentFormat {
  private let format: SourcedText
  private let interpreter: Interpreter

  init(_ format: SourcedText, _ interpreter: Interpreter) {
    (self.format, self.interpreter) = (format, interpreter)
  }

  func text(_ values: JinjaValue) throws(JinjaFault) -> SourcedText {
    guard !format.isMarkup else { throw .unsupported("a format that “safe” or “escape” made") }
    var arguments: [JinjaValue] = [values]
    if case .tuple(let items) = values { arguments = Array(items) }
    var used = 0
    var result = SourcedText()
    var offset = 0
    var hasNames = false
    try interpreter.reserve(format.bytes.count)
    while offset < format.bytes.count {
      guard let percent = format.bytes[offset...].firstIndex(of: UInt8(ascii: "%")) else { break }
      result.append(format[offset..<percent])
      offset = percent + 1
      if byte(offset) == UInt8(ascii: "%") {
        result.append(format[offset..<(offset + 1)])
        offset += 1
        continue
      }
      let name = try readName(&offset)
      let specification = try readSpecification(&offset)
      let value: JinjaValue
      if let name {
        hasNames = true
        guard case .dictionary(let dictionary) = values, let item = dictionary[name] else {
          throw .wrongValue("the format has no value “\(name)”")
        }
        value = item
      } else {
        guard used < arguments.count else { throw .wrongArguments("a format has too few values") }
        value = arguments[used]
        used += 1
      }
      try interpreter.step(specification.cost(of: value))
      let part = try part(value, specification)
      try interpreter.reserve(part.bytes.count)
      result.append(part)
    }
    result.append(format[offset..<format.bytes.count])
    // A dictionary, a list or nothing at all may stand there for names.
    guard hasNames || used == arguments.count || mayBeUnused(values) else {
      throw .wrongArguments("a format has too many values")
    }
    return result
  }

  private func mayBeUnused(_ values: JinjaValue) -> Bool {
    switch values {
    case .dictionary, .list: true
    default: false
    }
  }

  private func byte(_ offset: Int) -> UInt8 {
    offset < format.bytes.count ? format.bytes[offset] : 0
  }

  private func readName(_ offset: inout Int) throws(JinjaFault) -> String? {
    guard byte(offset) == UInt8(ascii: "(") else { return nil }
    guard let end = format.bytes[offset...].firstIndex(of: UInt8(ascii: ")")) else {
      throw .wrongValue("a name in a format has no end")
    }
    defer { offset = end + 1 }
    return format[(offset + 1)..<end].string
  }

  private func readSpecification(_ offset: inout Int) throws(JinjaFault) -> FormatSpecification {
    var specification = FormatSpecification()
    specification.alignment = ">"
    flags: while true {
      switch byte(offset) {
      case UInt8(ascii: "-"): specification.alignment = "<"
      case UInt8(ascii: "+"): specification.sign = "+"
      case UInt8(ascii: " "): if specification.sign == "-" { specification.sign = " " }
      case UInt8(ascii: "#"): specification.isAlternative = true
      case UInt8(ascii: "0"):
        specification.fill = SourcedText("0", .template)
        if specification.alignment != "<" { specification.alignment = "=" }
      default: break flags
      }
      offset += 1
    }
    specification.width = try FormatReading.number(format, &offset) ?? 0
    if byte(offset) == UInt8(ascii: ".") {
      offset += 1
      specification.precision = try FormatReading.number(format, &offset) ?? 0
    }
    guard offset < format.bytes.count else { throw .wrongValue("a format ends in the middle") }
    let (kind, end) = format.scalar(at: offset)
    specification.kind = kind
    offset = end
    return specification
  }

  private func part(
    _ value: JinjaValue, _ specification: FormatSpecification
  ) throws(JinjaFault) -> SourcedText {
    var specification = specification
    switch specification.kind {
    case "s", "r":
      var text =
        try specification.kind == "s" ? interpreter.written(value) : interpreter.shown(value)
      if let precision = specification.precision {
        text = text[0..<text.offset(ofScalar: precision)]
      }
      if specification.alignment == "=" {
        specification.alignment = ">"
        specification.fill = SourcedText(" ", .template)
      }
      return specification.padded(text, isNumber: false)
    case "d", "i", "u", "x", "X", "o", "f", "F":
      try value.used()
      if specification.alignment == "<" { specification.fill = SourcedText(" ", .template) }
      var (sign, digits) = try specification.digits(of: value)
      if let precision = specification.precision, !["f", "F"].contains(specification.kind) {
        digits = digits.padded(to: precision)
      }
      return specification.padded(SourcedText(digits, .template), sign: sign, isNumber: true)
    default: throw .unsupported("“%\(specification.kind)” in a format")
    }
  }
}

/// What `%` and `format` read alike.
enum FormatReading {
  /// A number of digits, if there is one.
  static func number(_ text: SourcedText, _ offset: inout Int) throws(JinjaFault) -> Int? {
    let digits = text.bytes[offset...].prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    offset += digits.count
    guard let number = Int(String(decoding: digits, as: UTF8.self)),
      number <= FormatSpecification.limit
    else {
      throw .wrongValue("a format asks for more than \(FormatSpecification.limit) characters")
    }
    return number
  }
}
