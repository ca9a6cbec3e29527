extension Unicode.Scalar {
  /// Whether it is of a script that sets no spaces between words: Thai, Lao, Tibetan, Burmese, Khmer, and all of ``isSign``.
  package var isUnspaced: Bool {
    isSign || (0x0E00...0x109F).contains(value) || (0x1780...0x17FF).contains(value)
      || (0xA9E0...0xA9FF).contains(value) || (0xAA60...0xAA7F).contains(value)
  }

  /// Whether it is of a script whose signs count as words: Chinese and Japanese.
  var isSign: Bool {
    (0x2E80...0xA4CF).contains(value) || (0xF900...0xFAFF).contains(value)
      || (0xFF66...0xFF9F).contains(value) || value >= 0x1_B000 && value < 0x1_B300
      || value >= 0x2_0000 && value < 0x4_0000
  }

  /// Whether it ends a sentence, with blanks behind it where the script has any.
  var endsSentence: Bool { Self.ends.contains(self) }

  private static let ends = Set<Unicode.Scalar>(".!?。｡؟۔।॥።။។".unicodeScalars)

  /// Whether it is written onto the letter before it.
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
