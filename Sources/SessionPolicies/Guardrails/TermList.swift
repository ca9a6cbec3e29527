public import Foundation

/// Refuses texts that have certain words or phrases.
///
/// Case, accents, width, characters that nobody sees and all between words make no difference. A term is found as whole words, but in scripts that
/// do not separate words anywhere.
public struct TermList: ContentCheck {
  /// What it is called where it refuses something.
  public let name: String
  /// What it judges.
  public let sources: Set<CheckedContent.Source>
  /// Terms by their first word.
  private let phrases: [String: [[String]]]
  /// Terms of scripts that do not separate words.
  private let fragments: [String]

  /// A list of terms; those without a letter or digit are passed over.
  public init(
    _ terms: [String], name: String = "TermList",
    sources: Set<CheckedContent.Source> = Set(CheckedContent.Source.allCases)
  ) {
    (self.name, self.sources) = (name, sources)
    var phrases: [String: [[String]]] = [:]
    var fragments: [String] = []
    for term in terms {
      let folded = Self.folded(term)
      let words = Self.words(of: folded)
      guard let first = words.first else { continue }
      if folded.unicodeScalars.contains(where: \.isOfJoinedScript) {
        fragments.append(words.joined())
      } else {
        phrases[first, default: []].append(words)
      }
    }
    (self.phrases, self.fragments) = (phrases, fragments)
  }

  /// The terms in a file, one on each line; blank lines and those that begin with `#` are none.
  ///
  /// - Throws: What reading the file throws.
  public init(
    contentsOf file: URL, name: String = "TermList",
    sources: Set<CheckedContent.Source> = Set(CheckedContent.Source.allCases)
  ) throws {
    let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
    self.init(
      lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.hasPrefix("#") },
      name: name, sources: sources)
  }

  /// True: a term is found once all of it is there, and then the sentence that ends it is not shown.
  public var judgesParts: Bool { true }

  /// A violation that names the first term that is found.
  public func verdict(on content: CheckedContent) -> ContentVerdict {
    guard let term = term(in: content.text) else { return .pass }
    return .violation("it has '\(term)'")
  }

  private func term(in text: String) -> String? {
    let folded = Self.folded(text)
    let words = Self.words(of: folded)
    for (index, word) in words.enumerated() {
      for phrase in phrases[word] ?? [] where words[index...].starts(with: phrase) {
        return phrase.joined(separator: " ")
      }
    }
    guard !fragments.isEmpty else { return nil }
    let joined = words.joined()
    return fragments.first { joined.contains($0) }
  }

  private static func folded(_ text: String) -> String {
    var scalars = text.unicodeScalars
    scalars.removeAll { $0.properties.isDefaultIgnorableCodePoint }
    return String(scalars).precomposedStringWithCompatibilityMapping.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  private static func words(of folded: String) -> [String] {
    folded.split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }
}

extension Unicode.Scalar {
  /// Whether it is of a script that does not separate words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
  fileprivate var isOfJoinedScript: Bool {
    properties.isIdeographic || (0x3040...0x30FF).contains(value)
      || (0x0E00...0x0EFF).contains(value) || (0x1000...0x109F).contains(value)
      || (0x1780...0x17FF).contains(value)
  }
}
