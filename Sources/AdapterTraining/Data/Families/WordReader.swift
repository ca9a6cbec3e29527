@_spi(_Unicode) import Swift

/// Cuts text into words, as hashes; Unicode's ways to write a letter are one.
struct WordReader: Sendable {
  /// The words, with one mark for all numbers in a row.
  private(set) var words: [UInt64] = []
  /// The words with numbers as they stand.
  private(set) var spelled: [UInt64] = []
  /// Where sentences end, in words.
  private(set) var sentenceEnds: [Int] = []
  private var hash: UInt64 = 0
  private var isNumber = false
  private var kind = WordHash.Kind.word

  mutating func take(_ text: String) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in text.utf8 { take(byte) }
    } else {
      for scalar in text._nfc { take(scalar.narrow) }
    }
  }

  private mutating func take(_ byte: UInt8) {
    switch byte {
    case 0x61...0x7A: addPlain(byte)
    case 0x41...0x5A: addPlain(byte | 0x20)
    case 0x30...0x39:
      addPlain(byte)
      isNumber = true
    // Apostrophes are in words.
    case 0x27: break
    case 0x0A, 0x21, 0x2E, 0x3A, 0x3B, 0x3F: endSentence(at: byte)
    default: endWord()
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

  private mutating func addPlain(_ byte: UInt8) {
    if kind != .word { endWord() }
    add(byte)
  }

  private mutating func add(_ byte: UInt8) {
    hash = (hash &+ UInt64(byte) &+ 1) &* 0x0000_0100_0000_01B3
  }

  private mutating func take(_ scalar: Unicode.Scalar) {
    guard scalar.value >= 0x80 else { return take(UInt8(scalar.value)) }
    guard scalar.value != 0x2019, !scalar.isLeftOut else { return }
    let properties = scalar.properties
    guard properties.isAlphabetic || properties.numericType != nil || scalar.isMark else {
      return scalar.endsSentence ? endSentence(at: 0) : endWord()
    }
    // In scripts without spaces each letter or sign with its marks is a word.
    let kind: WordHash.Kind = scalar.isSign ? .sign : scalar.isUnspaced ? .letter : .word
    if self.kind != kind || kind != .word && !scalar.isMark { endWord() }
    self.kind = kind
    for byte in properties.lowercaseMapping.utf8 { add(byte) }
  }

  private mutating func endSentence(at byte: UInt8) {
    // 12.50 and 10:30 are one number.
    let isInside = isNumber && hash != 0 && (byte == 0x2E || byte == 0x3A)
    endWord()
    if !isInside, sentenceEnds.last != words.count { sentenceEnds.append(words.count) }
  }

  private mutating func endWord() {
    defer { (hash, isNumber, kind) = (0, false, .word) }
    guard hash != 0 else { return }
    let word = WordHash.word(hash, kind)
    spelled.append(word)
    if !isNumber {
      words.append(word)
    } else if words.last != WordHash.number {
      words.append(WordHash.number)
    }
  }
}

/// Hashes of words and of rows of them.
enum WordHash {
  /// What stands for every number.
  static let number: UInt64 = 1
  static let base: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// What a word is, in its last two bits.
  enum Kind: UInt64 {
    /// A letter of a script without spaces, such as Thai.
    case letter = 0
    /// A sign of Chinese or Japanese.
    case sign = 1
    /// A word between spaces, with either last bit: what is held out depends on it.
    case word = 2
  }

  static func word(_ hash: UInt64, _ kind: Kind) -> UInt64 {
    kind == .word ? mixed(hash) | 2 : mixed(hash) & ~3 | kind.rawValue
  }

  static func isLetter(_ word: UInt64) -> Bool { word & 3 == Kind.letter.rawValue }

  static func isSign(_ word: UInt64) -> Bool { word & 3 == Kind.sign.rawValue && word != number }

  static func joined(_ hash: UInt64, _ word: UInt64) -> UInt64 { hash &* base &+ word }

  /// Spreads every bit over all others, as the end of MurmurHash3 does.
  static func mixed(_ value: UInt64) -> UInt64 {
    var x = value
    x = (x ^ (x >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    x = (x ^ (x >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return x ^ (x >> 33)
  }
}
