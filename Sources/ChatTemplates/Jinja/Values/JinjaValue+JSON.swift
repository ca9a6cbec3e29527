/// How `tojson` writes, which is how Python's `json.dumps` does with what transformers hands it.
struct JinjaJSON {
  var isASCII = false
  /// What a level is indented by; nil for all on one line.
  var indent: SourcedText?
  var itemSeparator = SourcedText(", ", .data)
  var keySeparator = SourcedText(": ", .data)
  var sortsKeys = false

  /// Bytes that stand around a value `depth` levels inside others.
  func width(at depth: Int) -> Int {
    itemSeparator.bytes.count + keySeparator.bytes.count + (indent?.bytes.count ?? 0) * depth
  }

  /// Writes `value`; what is not in a string of the template's own is data.
  func text(_ value: JinjaValue) throws(JinjaFault) -> SourcedText {
    var text = SourcedText()
    try write(value, 0, into: &text)
    return text
  }

  private func write(
    _ value: JinjaValue, _ depth: Int, into text: inout SourcedText
  ) throws(JinjaFault) {
    guard depth < JinjaLimits.nesting else { throw .tooDeep(limit: JinjaLimits.nesting) }
    switch value {
    case .none, .bool, .integer, .huge, .double: text.append(try Self.plain(value), .data)
    case .text(let string): write(string, into: &text)
    case .list(let items), .tuple(let items):
      try write("[", "]", items.count, depth, into: &text) {
        (index, text: inout SourcedText) throws(JinjaFault) in
        try write(items[index], depth + 1, into: &text)
      }
    case .dictionary(let dictionary):
      let items = sortsKeys ? try Self.sorted(dictionary.items) : dictionary.items
      try write("{", "}", items.count, depth, into: &text) {
        (index, text: inout SourcedText) throws(JinjaFault) in
        write(try Self.key(items[index].key), into: &text)
        text.append(keySeparator)
        try write(items[index].value, depth + 1, into: &text)
      }
    default: throw .wrongType("a \(value.typeName) cannot be written as JSON")
    }
  }

  private func write(
    _ open: String, _ close: String, _ count: Int, _ depth: Int, into text: inout SourcedText,
    item: (Int, inout SourcedText) throws(JinjaFault) -> Void
  ) throws(JinjaFault) {
    text.append(open, .data)
    for index in 0..<count {
      if index > 0 { text.append(itemSeparator) }
      breakLine(depth + 1, into: &text)
      try item(index, &text)
    }
    if count > 0 { breakLine(depth, into: &text) }
    text.append(close, .data)
  }

  private func breakLine(_ depth: Int, into text: inout SourcedText) {
    guard let indent else { return }
    text.append("\n", .data)
    for _ in 0..<depth { text.append(indent) }
  }

  private static func sorted(
    _ items: [(key: JinjaValue, value: JinjaValue)]
  ) throws(JinjaFault) -> [(key: JinjaValue, value: JinjaValue)] {
    let order = try JinjaSorting.order(items.map(\.key))
    return order.map { items[$0] }
  }

  private static func key(_ key: JinjaValue) throws(JinjaFault) -> SourcedText {
    switch key {
    case .text(let text): return text
    case .none, .bool, .integer, .huge, .double: return SourcedText(try plain(key), .data)
    default: throw .wrongType("a \(key.typeName) cannot be a key of JSON")
    }
  }

  private static func plain(_ value: JinjaValue) throws(JinjaFault) -> String {
    switch value {
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return "\(value)"
    case .huge(let digits): return digits
    case .double(let value) where value.isNaN: return "NaN"
    case .double(let value) where value.isInfinite: return value < 0 ? "-Infinity" : "Infinity"
    case .double(let value): return value.pythonText
    default: return "null"
    }
  }

  private func write(_ string: SourcedText, into text: inout SourcedText) {
    text.append("\"", .data)
    var start = 0
    var offset = 0
    while offset < string.bytes.count {
      let (scalar, end) = string.scalar(at: offset)
      if let escape = escape(scalar) {
        if start < offset { text.append(string[start..<offset]) }
        text.append(escape, string.source(at: offset))
        start = end
      }
      offset = end
    }
    if start < offset { text.append(string[start..<offset]) }
    text.append("\"", .data)
  }

  private func escape(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\u{8}": "\\b"
    case "\u{C}": "\\f"
    case _ where scalar.value < 0x20: "\\u" + String(scalar.value, radix: 16).padded(to: 4)
    case _ where isASCII && scalar.value > 0x7F:
      UTF16.encode(scalar)?.map { "\\u" + String($0, radix: 16).padded(to: 4) }.joined()
    default: nil
    }
  }
}

/// Sorting with an order that can fail.
enum JinjaSorting {
  /// The indices of `keys` in a stable order.
  static func order(_ keys: [JinjaValue], isReversed: Bool = false) throws(JinjaFault) -> [Int] {
    var fault: JinjaFault?
    func isLess(_ left: Int, _ right: Int) -> Bool {
      guard fault == nil else { return false }
      do throws(JinjaFault) { return try keys[left].isLess(than: keys[right]) } catch {
        fault = error
        return false
      }
    }
    // A reversed order keeps equal ones in place, so it is not the order read backwards.
    let order = keys.indices.sorted { left, right in
      if isReversed ? isLess(right, left) : isLess(left, right) { return true }
      if isReversed ? isLess(left, right) : isLess(right, left) { return false }
      return left < right
    }
    if let fault { throw fault }
    return order
  }
}
