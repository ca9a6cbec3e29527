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

/// `text.format(values)`.
struct BraceFormat {
  private let format: SourcedText
  private let interpreter: Interpreter

  init(_ format: SourcedText, _ interpreter: Interpreter) {
    (self.format, self.interpreter) = (format, interpreter)
  }

  func text(_ arguments: JinjaArguments) throws(JinjaFault) -> SourcedText {
    guard !format.isMarkup else { throw .unsupported("a format that “safe” or “escape” made") }
    var result = SourcedText()
    var offset = 0
    var next = 0
    try interpreter.reserve(format.bytes.count)
    while offset < format.bytes.count {
      let start = offset
      while offset < format.bytes.count, !"{}".utf8.contains(format.bytes[offset]) { offset += 1 }
      result.append(format[start..<offset])
      guard offset < format.bytes.count else { break }
      let brace = format.bytes[offset]
      if offset + 1 < format.bytes.count, format.bytes[offset + 1] == brace {
        result.append(format[offset..<(offset + 1)])
        offset += 2
        continue
      }
      guard brace == UInt8(ascii: "{"),
        let end = format.bytes[offset...].firstIndex(of: UInt8(ascii: "}"))
      else { throw .wrongValue("a brace in a format stands alone") }
      let field = try field(format[(offset + 1)..<end], arguments, &next)
      try interpreter.reserve(field.bytes.count)
      result.append(field)
      offset = end + 1
    }
    return result
  }

  private func field(
    _ field: SourcedText, _ arguments: JinjaArguments, _ next: inout Int
  ) throws(JinjaFault) -> SourcedText {
    guard !field.bytes.contains(UInt8(ascii: "{")) else {
      throw .unsupported("a field in a format of a field")
    }
    let colon = field.bytes.firstIndex(of: UInt8(ascii: ":")) ?? field.bytes.count
    let bang = field.bytes[..<colon].firstIndex(of: UInt8(ascii: "!")) ?? colon
    var value = try self.value(field[0..<bang].string, arguments, &next)
    switch field[bang..<colon].string {
    case "": break
    case "!s": value = .text(try interpreter.written(value))
    case "!r": value = .text(try interpreter.shown(value))
    default: throw .unsupported("a conversion in a format")
    }
    return try part(value, field[min(colon + 1, field.bytes.count)..<field.bytes.count])
  }

  private func value(
    _ name: String, _ arguments: JinjaArguments, _ next: inout Int
  ) throws(JinjaFault) -> JinjaValue {
    try interpreter.step(arguments.named.count / 8)
    let first = name.prefix { $0 != "." && $0 != "[" }
    var value: JinjaValue
    if first.isEmpty || Int(first) != nil {
      let index = Int(first) ?? next
      // Below zero once numbers have been written out.
      guard first.isEmpty ? next >= 0 : next <= 0 else {
        throw .wrongValue("a format counts some of its values and numbers others")
      }
      next = first.isEmpty ? next + 1 : -1
      guard arguments.positional.indices.contains(index) else {
        throw .wrongArguments("a format has no value \(index)")
      }
      value = arguments.positional[index]
    } else {
      guard let named = arguments.named.first(where: { $0.name == first }) else {
        throw .wrongArguments("a format has no value “\(first)”")
      }
      value = named.value
    }
    var rest = name.dropFirst(first.count)
    while let mark = rest.first {
      rest = rest.dropFirst()
      let part = rest.prefix { mark == "[" ? $0 != "]" : $0 != "." && $0 != "[" }
      rest = rest.dropFirst(part.count + (mark == "[" ? 1 : 0))
      let key = mark == "[" ? Int(part).map(JinjaValue.integer) ?? .string(String(part)) : nil
      if let key {
        value = try interpreter.item(key, of: value)
      } else {
        value = try interpreter.attribute(String(part), of: value)
      }
    }
    return value
  }

  private func part(_ value: JinjaValue, _ text: SourcedText) throws(JinjaFault) -> SourcedText {
    guard !text.isEmpty else { return try interpreter.written(value) }
    var specification = try specification(text)
    try interpreter.step(specification.cost(of: value))
    switch value {
    case .integer, .double, .bool:
      if specification.kind == "s" {
        if value.sourced == nil, case .double = value {} else { specification.kind = "d" }
      }
      let (sign, digits) = try specification.digits(of: value)
      return specification.padded(SourcedText(digits, .template), sign: sign, isNumber: true)
    case .text(var string):
      guard specification.kind == "s" else {
        throw .wrongValue("“\(specification.kind)” in a format takes a number")
      }
      if let precision = specification.precision {
        string = string[0..<string.offset(ofScalar: precision)]
      }
      return specification.padded(string, isNumber: false)
    default: throw .wrongType("a \(value.typeName) has no formats")
    }
  }

  /// `[[fill]align][sign][#][0][width][,][.precision][type]`.
  private func specification(_ text: SourcedText) throws(JinjaFault) -> FormatSpecification {
    var specification = FormatSpecification()
    var offset = 0
    func next() -> Unicode.Scalar? {
      offset < text.bytes.count ? text.scalar(at: offset).scalar : nil
    }
    func isAlignment(_ scalar: Unicode.Scalar) -> Bool { "<>^=".unicodeScalars.contains(scalar) }
    if let first = next() {
      let end = text.scalar(at: 0).end
      if end < text.bytes.count, case let second = text.scalar(at: end), isAlignment(second.scalar)
      {
        specification.fill = text[0..<end]
        specification.alignment = second.scalar
        offset = second.end
      } else if isAlignment(first) {
        specification.alignment = first
        offset = end
      }
    }
    if let sign = next(), "+- ".unicodeScalars.contains(sign) {
      specification.sign = sign
      offset += 1
    }
    if next() == "#" {
      specification.isAlternative = true
      offset += 1
    }
    if next() == "0" {
      if specification.alignment == nil {
        specification.fill = SourcedText("0", .template)
        specification.alignment = "="
      }
      offset += 1
    }
    specification.width = try FormatReading.number(text, &offset) ?? 0
    if let groups = next(), groups == "," || groups == "_" {
      specification.groups = groups
      offset += 1
    }
    if next() == "." {
      offset += 1
      specification.precision = try FormatReading.number(text, &offset)
    }
    if let kind = next() {
      specification.kind = kind
      offset = text.scalar(at: offset).end
    }
    guard offset == text.bytes.count else { throw .wrongValue("a format cannot be read") }
    return specification
  }
}
