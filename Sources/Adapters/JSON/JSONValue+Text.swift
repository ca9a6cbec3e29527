extension JSONValue {
  /// The text that Apple's exporter writes: keys sorted, 4 spaces of indent, non-ASCII kept, no newline at the end.
  ///
  /// Equal to Python's `json.dumps(value, indent=4, sort_keys=True, ensure_ascii=False)`.
  public var text: String {
    var text = ""
    write(to: &text, indent: 0)
    return text
  }

  private func write(to text: inout String, indent: Int) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let number): text += number.text
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      Self.writeList(values, brackets: ("[", "]"), to: &text, indent: indent) { value, text in
        value.write(to: &text, indent: indent + 1)
      }
    case .object(let object):
      Self.writeList(object.sorted, brackets: ("{", "}"), to: &text, indent: indent) {
        member, text in
        Self.write(member.key, to: &text)
        text += ": "
        member.value.write(to: &text, indent: indent + 1)
      }
    }
  }

  private static func writeList<Element>(
    _ elements: [Element], brackets: (String, String), to text: inout String, indent: Int,
    write: (Element, inout String) -> Void
  ) {
    text += brackets.0
    for (index, element) in elements.enumerated() {
      text += index == 0 ? "\n" : ",\n"
      text += String(repeating: "    ", count: indent + 1)
      write(element, &text)
    }
    if !elements.isEmpty { text += "\n" + String(repeating: "    ", count: indent) }
    text += brackets.1
  }

  static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case ..<" ":
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
