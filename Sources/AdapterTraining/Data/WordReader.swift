/// Cuts text into words, as hashes.
struct WordReader: Sendable {
  /// The words, with one mark for all numbers in a row.
  private(set) var words: [UInt64] = []
  /// The words with numbers as they stand.
  private(set) var spelled: [UInt64] = []
  /// Where sentences end, in words.
  private(set) var sentenceEnds: [Int] = []
  private var hash: UInt64 = 0
  private var isNumber = false
  private var scalar: UInt32 = 0
  private var missing = 0

  mutating func take(_ byte: UInt8) {
    switch byte {
    case 0x61...0x7A: add(byte)
    case 0x41...0x5A: add(byte | 0x20)
    case 0x30...0x39:
      isNumber = true
      add(byte)
    // Apostrophes are in words.
    case 0x27: break
    case 0x0A, 0x21, 0x2E, 0x3A, 0x3B, 0x3F: endSentence(at: byte)
    case 0x00..<0x80: endWord()
    case 0xC0..<0xE0: (scalar, missing) = (UInt32(byte & 0x1F), 1)
    case 0xE0..<0xF0: (scalar, missing) = (UInt32(byte & 0x0F), 2)
    case 0xF0...: (scalar, missing) = (UInt32(byte & 0x07), 3)
    default:
      guard missing > 0 else { return }
      (scalar, missing) = (scalar << 6 | UInt32(byte & 0x3F), missing - 1)
      if missing == 0 { take(scalar) }
    }
  }

  /// Forgets all words.
  mutating func clear() {
    words.removeAll(keepingCapacity: true)
    spelled.removeAll(keepingCapacity: true)
    sentenceEnds.removeAll(keepingCapacity: true)
  }

  /// Ends the last sentence.
  mutating func finish() {
    endWord()
    if sentenceEnds.last != words.count { sentenceEnds.append(words.count) }
  }

  private mutating func add(_ byte: UInt8) {
    hash = (hash &+ UInt64(byte) &+ 1) &* 0x0000_0100_0000_01B3
  }

  private mutating func take(_ value: UInt32) {
    guard let scalar = Unicode.Scalar(value), value != 0x2019 else { return }
    let properties = scalar.properties
    guard
      properties.isAlphabetic || properties.numericType != nil
        || properties.generalCategory == .nonspacingMark
    else { return endWord() }
    // In scripts without spaces each sign is a word.
    let isWhole = (0x2E80...0xA4CF).contains(value) || value >= 0x2_0000
    if isWhole { endWord() }
    for byte in properties.lowercaseMapping.utf8 { add(byte) }
    if isWhole { endWord() }
  }

  private mutating func endSentence(at byte: UInt8) {
    // 12.50 and 10:30 are one number.
    let isInside = isNumber && hash != 0 && (byte == 0x2E || byte == 0x3A)
    endWord()
    if !isInside, sentenceEnds.last != words.count { sentenceEnds.append(words.count) }
  }

  private mutating func endWord() {
    guard hash != 0 else { return }
    let word = WordHash.mixed(hash) | 2
    spelled.append(word)
    if !isNumber {
      words.append(word)
    } else if words.last != WordHash.number {
      words.append(WordHash.number)
    }
    (hash, isNumber) = (0, false)
  }
}

/// Hashes of words and of rows of them.
enum WordHash {
  /// What stands for every number.
  static let number: UInt64 = 1
  static let base: UInt64 = 0x9E37_79B9_7F4A_7C15

  static func joined(_ hash: UInt64, _ word: UInt64) -> UInt64 { hash &* base &+ word }

  /// Spreads every bit over all others, as the end of MurmurHash3 does.
  static func mixed(_ value: UInt64) -> UInt64 {
    var x = value
    x = (x ^ (x >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    x = (x ^ (x >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return x ^ (x >> 33)
  }
}
