/// Version of an adapter, ordered by the rules of Semantic Versioning 2.0.0.
///
/// Numbers may have any number of digits. Two versions that differ only in their build metadata are equal, as they have
/// the same precedence.
public struct AdapterVersion: Sendable {
  /// The version as it was written.
  public let description: String
  private let numbers: [String]
  private let prerelease: [String]

  /// The version of a package that states none: the lowest release.
  public static let unstated = AdapterVersion(known: "0.0.0")

  /// Bytes that a version may have.
  static let lengthLimit = 64

  /// Parses `text`: three numbers, then pre-release identifiers after `-` and build metadata after `+`.
  ///
  /// Nil for anything that the specification's grammar does not have, and for more than 64 bytes.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.lengthLimit else { return nil }
    let (rest, build) = Self.split(text, at: "+")
    let (core, prerelease) = Self.split(rest, at: "-")
    numbers = Self.parts(core)
    self.prerelease = prerelease.map(Self.parts) ?? []
    guard numbers.count == 3, numbers.allSatisfy(Self.isNumber),
      self.prerelease.allSatisfy(Self.isPrereleasePart),
      (build.map(Self.parts) ?? []).allSatisfy(Self.isWord)
    else { return nil }
    description = text
  }

  private init(known text: StaticString) {
    description = "\(text)"
    numbers = Self.parts(description)
    prerelease = []
  }

  /// Whether it was published for trial, as `2.0.0-beta.1` is.
  public var isPrerelease: Bool { !prerelease.isEmpty }
}

extension AdapterVersion: CustomStringConvertible {}

extension AdapterVersion: Comparable {
  /// Whether both have the same precedence.
  public static func == (left: AdapterVersion, right: AdapterVersion) -> Bool {
    left.numbers == right.numbers && left.prerelease == right.prerelease
  }

  /// Whether `left` is older.
  public static func < (left: AdapterVersion, right: AdapterVersion) -> Bool {
    if left.numbers != right.numbers {
      return left.numbers.lexicographicallyPrecedes(right.numbers, by: isLess)
    }
    // A release is newer than all that led to it.
    guard left.isPrerelease && right.isPrerelease else {
      return left.isPrerelease && !right.isPrerelease
    }
    return left.prerelease.lexicographicallyPrecedes(right.prerelease, by: isLess)
  }

  /// Numbers by value and before words; words by their bytes.
  private static func isLess(_ left: String, _ right: String) -> Bool {
    switch (isDigits(left), isDigits(right)) {
    case (true, true):
      let (a, b) = (left.utf8.count, right.utf8.count)
      return a == b ? left.utf8.lexicographicallyPrecedes(right.utf8) : a < b
    case (false, false): return left.utf8.lexicographicallyPrecedes(right.utf8)
    case (let isNumber, _): return isNumber
    }
  }
}

extension AdapterVersion: Hashable {
  /// Feeds what decides about equality.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(numbers)
    hasher.combine(prerelease)
  }
}

extension AdapterVersion: Codable {
  /// Reads the version from a string.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let version = AdapterVersion(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not a semantic version"))
    }
    self = version
  }

  /// Writes the version as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension AdapterVersion {
  /// What stands before and after the first `mark`; nil for the latter where there is none.
  private static func split(_ text: String, at mark: Character) -> (String, String?) {
    guard let place = text.firstIndex(of: mark) else { return (text, nil) }
    return (String(text[..<place]), String(text[text.index(after: place)...]))
  }

  private static func parts(_ text: String) -> [String] {
    text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  private static func isDigits(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func isNumber(_ text: String) -> Bool {
    isDigits(text) && (text == "0" || !text.hasPrefix("0"))
  }

  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || $0 != UInt8(ascii: "_") && AdapterIdentifier.isNameByte($0)
      }
  }

  private static func isPrereleasePart(_ text: String) -> Bool {
    isDigits(text) ? isNumber(text) : isWord(text)
  }
}
