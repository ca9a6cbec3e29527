@_spi(_Unicode) import Swift

extension PlainText {
  private static let quotes: [Unicode.Scalar: Unicode.Scalar] = {
    let kinds: [(String, Unicode.Scalar)] = [
      ("‘’‚‛‹›", "'"), ("“”„‟«»「」『』｢｣〝〞", "\""), ("–—‐‑−", "-"), ("\u{A0}", " "),
    ]
    return kinds.reduce(into: [:]) { quotes, kind in
      for scalar in kind.0.unicodeScalars { quotes[scalar] = kind.1 }
    }
  }()

  /// The text with straight quotes, hyphens for dashes, digits and marks of ASCII for those of other scripts and widths, and without what is
  /// not seen or may be left out: joiners, marks of direction, vowel signs of Arabic and Hebrew.
  static func straight(_ text: String) -> String {
    string(
      composed(text).unicodeScalars.compactMap { scalar in
        scalar.value < 0x80 ? scalar : scalar.isLeftOut ? nil : quotes[scalar] ?? scalar.narrow
      })
  }

  /// What a regular expression is looked for in: the text with single blanks and with the quotes and dashes of keyboards, else as it is written.
  static func searched(_ text: String) -> String {
    let straight = text.unicodeScalars.map {
      "‘’“”–—\u{A0}".unicodeScalars.contains($0) ? quotes[$0] ?? $0 : $0
    }
    return parts(string(straight)).map { String($0) }.joined(separator: " ")
  }

  /// The text in Unicode's form NFC.
  static func composed(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : string(text._nfc)
  }
}

extension Unicode.Scalar {
  /// Whether readers do without it.
  var isLeftOut: Bool {
    switch value {
    case 0x0640, 0x064B...0x0652, 0x0670: true
    case 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7: true
    case 0xAD, 0x061C, 0x180E, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069: true
    case 0xFE00...0xFE0F, 0xFEFF: true
    default: false
    }
  }

  /// The scalar of ASCII for a digit, and for one of full width.
  var narrow: Unicode.Scalar {
    if value == 0x3000 { return " " }
    if (0xFF01...0xFF5E).contains(value) { return Unicode.Scalar(value - 0xFEE0) ?? self }
    guard isDigit, let digit = properties.numericValue else { return self }
    return Unicode.Scalar(UInt8(0x30 + digit))
  }
}
