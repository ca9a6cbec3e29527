extension String {
  /// The text with control characters and direction marks spelled out, so that a file's content cannot steer a terminal.
  var printable: String {
    guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.steersTerminal {
        text += scalar.escaped
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text as it may go to a terminal while it is being generated: line ends and tabs stay, other controls go.
  var withoutControls: String {
    var text = self
    text.unicodeScalars.removeAll { $0.steersTerminal && $0 != "\n" && $0 != "\t" }
    return text
  }
}

extension Unicode.Scalar {
  /// True for C0 and C1 controls, DEL, and the marks that reorder text.
  fileprivate var steersTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  fileprivate var escaped: String {
    switch self {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{" + String(value, radix: 16) + "}"
    }
  }
}
