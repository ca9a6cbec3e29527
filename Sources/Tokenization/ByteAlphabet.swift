/// The characters that byte-level vocabularies spell bytes with: printable Latin-1 stands for itself, the other
/// 68 bytes for U+0100 and up.
///
/// Source: `bytes_to_unicode` of <https://github.com/openai/gpt-2/blob/master/src/encoder.py>.
enum ByteAlphabet {
  /// The byte that each scalar below U+0144 stands for, or -1.
  private static let byteOfScalar: [Int16] = {
    var table = [Int16](repeating: -1, count: 0x144)
    var next = 0x100
    for byte in 0..<256 {
      let isPrintable = (0x21...0x7E).contains(byte) || (0xA1...0xAC).contains(byte) || byte >= 0xAE
      table[isPrintable ? byte : next] = Int16(byte)
      if !isPrintable { next += 1 }
    }
    return table
  }()

  /// Appends the bytes that `text`, UTF-8 of the alphabet, spells; false when some character is not in the alphabet.
  static func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
    let table = byteOfScalar
    var index = 0
    while index < text.count {
      let lead = text[index]
      var scalar = Int(lead)
      if lead >= 0x80 {
        // Two-byte forms are all that the alphabet needs.
        guard lead & 0xE0 == 0xC0, index + 1 < text.count, text[index + 1] & 0xC0 == 0x80 else {
          return false
        }
        scalar = Int(lead & 0x1F) << 6 | Int(text[index + 1] & 0x3F)
        index += 1
      }
      guard scalar < table.count, table[scalar] >= 0 else { return false }
      bytes.append(UInt8(table[scalar]))
      index += 1
    }
    return true
  }
}
