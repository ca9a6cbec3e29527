extension JSONValue {
  /// The value on one line: keys in their order, a space after each comma and colon, non-ASCII kept.
  ///
  /// Equal to Python's `json.dumps(value, ensure_ascii=False)`, but for numbers, which stay as they were written.
  public var line: String {
    var text = ""
    writeLine(to: &text)
    return text
  }

  private func writeLine(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let number): text += number.text
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += ", " }
        value.writeLine(to: &text)
      }
      text += "]"
    case .object(let object):
      text += "{"
      for (index, member) in object.members.enumerated() {
        if index > 0 { text += ", " }
        Self.write(member.key, to: &text)
        text += ": "
        member.value.writeLine(to: &text)
      }
      text += "}"
    }
  }
}
