import SystemFiles

extension JSONValue {
  /// The text that Apple's exporter writes: keys sorted, 4 spaces of indent, non-ASCII kept, no newline at the end.
  ///
  /// Equal to Python's `json.dumps(value, indent=4, sort_keys=True, ensure_ascii=False)`.
  public var text: String {
    var text = ""
    write(to: &text, indent: 0)
    return text
  }

  /// The value on one line: keys in their order, a space after each comma and colon, non-ASCII kept.
  ///
  /// Equal to Python's `json.dumps(value, ensure_ascii=False)`, but for numbers, which stay as they were written.
  public var line: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// Appends the value, `indent` steps inside, or on one line when that is nil.
  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let number): text += number.text
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      Self.writeList(values, brackets: ("[", "]"), to: &text, indent: indent) {
        $0.write(to: &$1, indent: $2)
      }
    case .object(let object):
      let members = indent == nil ? object.members : object.sorted
      Self.writeList(members, brackets: ("{", "}"), to: &text, indent: indent) {
        Self.write($0.key, to: &$1)
        $1 += ": "
        $0.value.write(to: &$1, indent: $2)
      }
    }
  }

  private static func writeList<Element>(
    _ elements: [Element], brackets: (String, String), to text: inout String, indent: Int?,
    write: (Element, inout String, Int?) -> Void
  ) {
    func newLine(_ indent: Int) { text += "\n" + String(repeating: "    ", count: indent) }
    text += brackets.0
    for (index, element) in elements.enumerated() {
      if index > 0 { text += indent == nil ? ", " : "," }
      if let indent { newLine(indent + 1) }
      write(element, &text, indent.map { $0 + 1 })
    }
    if let indent, !elements.isEmpty { newLine(indent) }
    text += brackets.1
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    var rest = string[...]
    while let place = rest.utf8.firstIndex(where: isEscaped) {
      text += rest[..<place]
      text += escape(rest.utf8[place])
      rest = rest[rest.utf8.index(after: place)...]
    }
    text += rest
    text += "\""
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\t"): "\\t"
    case 0x8: "\\b"
    case 0xC: "\\f"
    case ..<0x20: "\\u" + Figures.hex(UInt32(byte), 4)
    default: "\\" + String(Unicode.Scalar(byte))
    }
  }
}
