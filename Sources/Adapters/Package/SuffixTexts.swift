public import SystemFiles
import TensorFiles

/// The texts of a suffix store as a package carries them, in `draft_suffixes.bin`.
///
/// All numbers are little-endian and have 4 bytes:
///
/// | Byte | What |
/// |---|---|
/// | 0 | `FMSUFFIX` |
/// | 8 | version, 1 |
/// | 12 | pieces of the base's vocabulary |
/// | 16 | SHA-256 of these, as ``vocabularyDigest`` is |
/// | 48 | texts: t |
/// | 52 | tokens of all texts: n |
/// | 56 | 8 bytes of zero |
/// | 64 | for each text how often it came and how many tokens it has, 8 t bytes |
/// | 64 + 8 t | the tokens, 4 n bytes, and the end |
///
/// Texts rise, compared token by token, so that the same texts always give the same bytes.
public struct SuffixTexts: Sendable, Equatable {
  /// A text, and how often it came.
  public struct Text: Sendable, Equatable {
    /// Its tokens, one or more.
    public var tokens: [Int32]
    /// How often it came, `1...1_048_576`.
    public var count: Int

    /// A text that came `count` times.
    public init(_ tokens: [Int32], count: Int = 1) { (self.tokens, self.count) = (tokens, count) }
  }

  /// Pieces of the vocabulary that the tokens are of.
  public let vocabularySize: Int
  /// SHA-256 of the vocabulary, 64 lowercase hexadecimal digits: of the pieces as GGUF writes them in
  /// `tokenizer.ggml.tokens`, each with its length in 8 bytes before it.
  public let vocabularyDigest: String
  /// The texts, each once, in rising order.
  public let texts: [Text]

  /// Tokens of all texts, at most.
  public static let tokenLimit = 1 << 20
  /// How often a text may have come.
  public static let countLimit = 1 << 20

  /// Sorts and joins `texts`; those without tokens are left out.
  ///
  /// - Throws: What the file could not hold; places are those of the file that it would be.
  public init(
    _ texts: [Text], vocabularySize: Int, vocabularyDigest: String
  ) throws(SuffixDefect) {
    self.vocabularySize = vocabularySize
    self.vocabularyDigest = vocabularyDigest
    self.texts = Self.joined(texts.filter { !$0.tokens.isEmpty })
    _ = try Self(bytes: TensorBytes(bytes))
  }

  private static func joined(_ texts: [Text]) -> [Text] {
    var joined: [Text] = []
    for text in texts.sorted(by: { $0.tokens.lexicographicallyPrecedes($1.tokens) }) {
      if let last = joined.last, last.tokens == text.tokens {
        joined[joined.count - 1].count = min(last.count + text.count, countLimit)
      } else {
        joined.append(text)
      }
    }
    return joined
  }

  /// Tokens of all texts.
  public var tokenCount: Int { texts.reduce(0) { $0 + $1.tokens.count } }
  /// Tokens of the longest text.
  public var longest: Int { texts.map(\.tokens.count).max() ?? 0 }
}

extension SuffixTexts {
  private static let magic = Array("FMSUFFIX".utf8)
  private static let headSize = 64

  /// The content of the file.
  public var bytes: [UInt8] {
    var bytes = Self.magic
    func append(_ value: Int) {
      for shift in stride(from: 0, to: 32, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    append(1)
    append(vocabularySize)
    bytes += Self.octets(vocabularyDigest)
    append(texts.count)
    append(tokenCount)
    bytes += [UInt8](repeating: 0, count: 8)
    for text in texts {
      append(text.count)
      append(text.tokens.count)
    }
    for text in texts { for token in text.tokens { append(Int(token)) } }
    return bytes
  }

  private static func octets(_ digest: String) -> [UInt8] {
    let digits = digest.compactMap(\.hexDigitValue)
    precondition(digits.count == 64, "a digest has 64 digits")
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Reads the content of a file.
  ///
  /// - Throws: The first defect.
  public init(bytes: TensorBytes) throws(SuffixDefect) {
    guard bytes.count >= Self.headSize else { throw .head(size: bytes.count) }
    func number(_ offset: Int) -> Int { Int(loadInteger(bytes, at: offset, as: UInt32.self)) }
    guard bytes.slice(0..<8).array == Self.magic else { throw .magic }
    guard number(8) == 1 else { throw .version(number(8)) }
    let (size, textCount, tokenCount) = (number(12), number(48), number(52))
    guard (1...Int(Int32.max)).contains(size) else { throw .vocabularySize(size) }
    guard (1...Self.tokenLimit).contains(tokenCount) else { throw .tokenCount(tokenCount) }
    guard (1...tokenCount).contains(textCount) else {
      throw .textCount(textCount, tokens: tokenCount)
    }
    guard number(56) == 0, number(60) == 0 else { throw .reserved }
    // Both counts are below 2²⁰ here.
    let expected = Self.headSize + 8 * textCount + 4 * tokenCount
    guard bytes.count == expected else { throw .size(bytes.count, expected: expected) }
    vocabularySize = size
    vocabularyDigest = hexadecimal(bytes.slice(16..<48).array)
    texts = try Self.texts(bytes, textCount, tokenCount, vocabularySize: size)
  }

  private static func texts(
    _ bytes: TensorBytes, _ textCount: Int, _ tokenCount: Int, vocabularySize: Int
  ) throws(SuffixDefect) -> [Text] {
    var texts: [Text] = []
    texts.reserveCapacity(textCount)
    let first = headSize + 8 * textCount
    var offset = first
    for index in 0..<textCount {
      let place = headSize + 8 * index
      let count = Int(loadInteger(bytes, at: place, as: UInt32.self))
      let length = Int(loadInteger(bytes, at: place + 4, as: UInt32.self))
      guard (1...countLimit).contains(count) else {
        throw .count(count, text: index, offset: place)
      }
      let left = (bytes.count - offset) / 4
      guard (1...max(1, left)).contains(length), left > 0 else {
        throw .length(length, text: index, offset: place + 4, left: left)
      }
      var tokens: [Int32] = []
      tokens.reserveCapacity(length)
      for _ in 0..<length {
        let token = loadInteger(bytes, at: offset, as: UInt32.self)
        guard token < vocabularySize else {
          throw .token(token, text: index, offset: offset, vocabularySize: vocabularySize)
        }
        tokens.append(Int32(token))
        offset += 4
      }
      if let last = texts.last, !last.tokens.lexicographicallyPrecedes(tokens) {
        throw .order(text: index, offset: offset - 4 * length)
      }
      texts.append(Text(tokens, count: count))
    }
    guard offset == bytes.count else {
      throw .sum((offset - first) / 4, tokens: tokenCount)
    }
    return texts
  }
}
