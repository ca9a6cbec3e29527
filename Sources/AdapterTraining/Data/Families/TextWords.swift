/// What is kept of a text to tell which others are made like it: hashes of its words.
struct TextWords: Sendable {
  /// Texts of more words are compared by their sketch alone.
  private static let shortLimit = 32
  /// Texts of fewer words have no sketch.
  private static let longLimit = 12
  static let sketchSize = 64
  private static let shingle = 3

  /// What it says as a whole.
  let whole: UInt64
  /// Its words; none of a long text.
  private(set) var words: [UInt64] = []
  /// For each sentence of a short text where it ends, in words, and the hash of its words.
  private(set) var sentences: [UInt64] = []
  /// The smallest hashes of a long text, rising; none of a short one.
  private(set) var sketch: [UInt64] = []

  /// Of a text in parts that each begin a sentence.
  init(_ parts: [String]) {
    var reader = WordReader()
    for part in parts {
      reader.take(part)
      reader.finish()
    }
    // Where numbers are most of what is said, they are no places that vary.
    let fixed = reader.words.count { $0 != WordHash.number }
    let isMasked = TemplateKeys.areTemplate(fixed: fixed, of: reader.words.count)
    let own = isMasked ? reader.words : reader.spelled
    // Texts of signs alone, as of emoji, say nothing in words.
    let said = own.isEmpty ? parts.joined(separator: "\n").utf8.map { UInt64($0) } : own
    whole = said.reduce(0) { WordHash.joined($0, $1) }
    if own.count <= Self.shortLimit {
      words = own
      // Sentences are of masked words; of others the text is one.
      let ends = own.count == reader.words.count ? reader.sentenceEnds : [own.count]
      sentences = Self.sentences(own, ends)
    }
    if own.count >= Self.longLimit { sketch = Self.sketch(own) }
  }

  private static func sentences(_ words: [UInt64], _ ends: [Int]) -> [UInt64] {
    var (start, sentences) = (0, [UInt64]())
    for end in ends where end > start {
      sentences.append(UInt64(end))
      sentences.append(words[start..<end].reduce(0) { WordHash.joined($0, $1) })
      start = end
    }
    return sentences
  }

  private static func sketch(_ words: [UInt64]) -> [UInt64] {
    var hashes = (0...words.count - shingle).map { start in
      let hash = words[start..<start + shingle].reduce(0) { WordHash.joined($0, $1) }
      return WordHash.mixed(hash) >> 32
    }
    hashes.sort()
    var smallest: [UInt64] = []
    for hash in hashes where hash != smallest.last && smallest.count < sketchSize {
      smallest.append(hash)
    }
    return smallest
  }

  /// Whether half of the smallest hashes of both are in both.
  static func areAlike(_ a: [UInt32], _ b: [UInt32]) -> Bool {
    var (i, j, same, all) = (0, 0, 0, 0)
    while i < a.count, j < b.count, all < sketchSize {
      all += 1
      if a[i] == b[j] {
        (i, j, same) = (i + 1, j + 1, same + 1)
      } else if a[i] < b[j] {
        i += 1
      } else {
        j += 1
      }
    }
    all = min(sketchSize, all + a.count - i + b.count - j)
    return same >= 4 && same * 2 >= all
  }
}
