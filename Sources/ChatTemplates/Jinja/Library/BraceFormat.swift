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
