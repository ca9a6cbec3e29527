/// Values as text: as a template prints them, as Python shows them, and as JSON.
extension JinjaValue {
  /// What `{{ value }}` writes; numbers and the like are written as the template's own.
  ///
  /// - Throws: `JinjaFault.tooMuchText` beyond `limit` bytes, which a few values inside each other many times can take.
  func written(limit: Int) throws(JinjaFault) -> SourcedText {
    switch self {
    case .undefined: return SourcedText()
    case .text(let text): return text
    default:
      var text = SourcedText()
      try write(into: &text, depth: 0, limit)
      return text
    }
  }

  /// Adds Python's `repr`.
  private func write(
    into text: inout SourcedText, depth: Int, _ limit: Int
  ) throws(JinjaFault) {
    guard text.bytes.count <= limit else { throw .tooMuchText(limit: limit) }
    guard depth < JinjaLimits.nesting else { throw .tooDeep(limit: JinjaLimits.nesting) }
    switch self {
    case .undefined: text.append("Undefined", .data)
    case .none: text.append("None", .template)
    case .bool(let value): text.append(value ? "True" : "False", .template)
    case .integer(let value): text.append("\(value)", .template)
    case .huge(let digits): text.append(digits, .data)
    case .double(let value): text.append(value.pythonText, .template)
    case .text(let value): value.writeQuoted(into: &text)
    case .list(let items): try Self.write(items, "[", "]", into: &text, depth, limit)
    case .tuple(let items):
      try Self.write(items, "(", items.count == 1 ? ",)" : ")", into: &text, depth, limit)
    case .view(let name, let items):
      try Self.write(items, "dict_\(name)([", "])", into: &text, depth, limit)
    case .dictionary(let dictionary): try Self.write(dictionary, into: &text, depth, limit)
    case .range(let start, let end, let step, _):
      text.append(step == 1 ? "range(\(start), \(end))" : "range(\(start), \(end), \(step))", .data)
    case .namespace(let namespace):
      text.append("<Namespace ", .data)
      try Self.write(namespace.values, into: &text, depth, limit)
      text.append(">", .data)
    case .macro(let macro): text.append("<Macro '\(macro.definition.name)'>", .data)
    case .generator, .function, .loop:
      throw .unsupported("the text of a \(typeName), which has an address in it,")
    }
  }

  private static func write(
    _ items: JinjaList, _ open: String, _ close: String, into text: inout SourcedText, _ depth: Int,
    _ limit: Int
  ) throws(JinjaFault) {
    text.append(open, .data)
    for (index, item) in items.enumerated() {
      if index > 0 { text.append(", ", .data) }
      try item.write(into: &text, depth: depth + 1, limit)
    }
    text.append(close, .data)
  }

  private static func write(
    _ dictionary: JinjaDictionary, into text: inout SourcedText, _ depth: Int,
    _ limit: Int
  ) throws(JinjaFault) {
    text.append("{", .data)
    for (index, item) in dictionary.items.enumerated() {
      if index > 0 { text.append(", ", .data) }
      try item.key.write(into: &text, depth: depth + 1, limit)
      text.append(": ", .data)
      try item.value.write(into: &text, depth: depth + 1, limit)
    }
    text.append("}", .data)
  }

  /// Python's `repr`.
  func shown(limit: Int) throws(JinjaFault) -> SourcedText {
    var text = SourcedText()
    try write(into: &text, depth: 0, limit)
    return text
  }
}

extension SourcedText {
  /// Adds the text as a literal of Python.
  fileprivate func writeQuoted(into text: inout SourcedText) {
    let quote: Unicode.Scalar =
      bytes.contains(UInt8(ascii: "'")) && !bytes.contains(UInt8(ascii: "\"")) ? "\"" : "'"
    text.append("\(quote)", .data)
    for (scalar, range) in scalars {
      let origin = source(at: range.lowerBound)
      switch scalar {
      case quote, "\\": text.append("\\\(scalar)", origin)
      case "\n": text.append("\\n", origin)
      case "\r": text.append("\\r", origin)
      case "\t": text.append("\\t", origin)
      default:
        text.append(scalar.isPythonPrintable ? "\(scalar)" : scalar.pythonEscape, origin)
      }
    }
    text.append("\(quote)", .data)
  }
}

extension Unicode.Scalar {
  fileprivate var isPythonPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator: self == " "
    default: true
    }
  }

  fileprivate var pythonEscape: String {
    let (prefix, width) = value < 0x100 ? ("\\x", 2) : value < 0x10000 ? ("\\u", 4) : ("\\U", 8)
    return prefix + String(value, radix: 16).padded(to: width)
  }
}

extension String {
  /// The text with zeros in front.
  func padded(to width: Int) -> String {
    String(repeating: "0", count: max(0, width - utf8.count)) + self
  }
}

extension Double {
  /// The shortest text that reads back as the number, in Python's form.
  var pythonText: String {
    guard isFinite else { return isNaN ? "nan" : self < 0 ? "-inf" : "inf" }
    let sign = self.sign == .minus ? "-" : ""
    let (digits, point) = shortestDigits
    // Python changes to exponents below 1e-4 and from 1e16.
    if point > 16 || point < -3 {
      let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
      let exponent = abs(point - 1)
      return sign + digits.prefix(1) + fraction + (point > 0 ? "e+" : "e-")
        + "\(exponent)".padded(to: 2)
    }
    if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
    if point >= digits.count {
      return sign + digits + String(repeating: "0", count: point - digits.count) + ".0"
    }
    return sign + digits.prefix(point) + "." + digits.dropFirst(point)
  }

  /// The digits of the shortest text without zeros at its ends, and where the point stands among them.
  private var shortestDigits: (digits: String, point: Int) {
    let parts = magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = mantissa.joined()
    var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.count > 1, digits.hasPrefix("0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
    return digits == "0" ? ("0", 1) : (digits, point)
  }
}
