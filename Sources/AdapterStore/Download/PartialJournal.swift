import TensorFiles

/// What is known of the bytes of a partial download: which have come, and the digests of whole chunks.
///
/// Kept as lines that are only ever appended, without waiting for the disk: `+ <from> <to>` for bytes that were
/// written, `= <chunk> <digest>` for a chunk of 8 MiB that is complete. What a torn or lost line would have told
/// is merely not known.
struct PartialJournal: Sendable, Equatable {
  var received = ByteRanges()
  var chunks: [Int: String] = [:]

  static func line(received range: Range<Int>) -> String {
    "+ \(range.lowerBound) \(range.upperBound)\n"
  }

  static func line(chunk index: Int, _ digest: String) -> String { "= \(index) \(digest)\n" }

  /// Reads the journal's text; lines that cannot be read end it.
  init(reading bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 3, let number = Int(words[1]), number >= 0 else { return }
      if words[0] == "+", let end = Int(words[2]), end >= number, end <= 1 << 50 {
        received.insert(number..<end)
      } else if words[0] == "=", isSHA256(String(words[2])), number <= 1 << 27 {
        chunks[number] = String(words[2])
      } else {
        return
      }
    }
  }

  init() {}

  /// All of it, as briefly as it can be said.
  var text: String {
    received.ranges.map(Self.line(received:)).joined()
      + chunks.sorted { $0.key < $1.key }.map { Self.line(chunk: $0.key, $0.value) }.joined()
  }
}

/// Whether `text` is a SHA-256 as it is written here: 64 lowercase hexadecimal digits.
package func isSHA256(_ text: String) -> Bool {
  text.utf8.count == 64
    && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
}
