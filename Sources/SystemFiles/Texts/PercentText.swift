extension StringProtocol {
  /// The text that percent escapes stand for; nil where a `%` is not followed by two hexadecimal digits, and where the
  /// bytes are not UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      guard digits.count == 2 else { return nil }
      bytes.append(UInt8(digits[0] << 4 | digits[1]))
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text with percent escapes for all but letters and digits of ASCII and `-._~/`.
  package var percentEncoded: String {
    utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-._~/".utf8.contains(byte))
      return isPlain ? String(scalar) : "%" + Figures.hex(byte, 2, uppercase: true)
    }.joined()
  }
}
