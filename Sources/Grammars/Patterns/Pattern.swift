import SystemFiles

/// A regular expression that is searched for in texts, in time that grows with both and not faster.
///
/// It is read as Swift reads it, with Unicode scalars as characters, as in Python and in JSON Schema.
package struct Pattern {
  private let program: PatternProgram

  /// Reads `pattern`; letters are taken in both cases where `ignoresCase` says so.
  ///
  /// `limit` is the most parts that it may have, each as often as its counts say.
  package init(
    _ pattern: String, ignoresCase: Bool = false, limit: Int = 10_000
  ) throws(PatternDefect) {
    let node = try PatternParser.parse(pattern, for: .search, ignoresCase: ignoresCase)
    program = try PatternProgram(node, limit: limit)
  }

  /// Whether the pattern is found in `text`; not where that would take too long to say.
  package func occurs(in text: String) -> Bool {
    var search = PatternSearch(text)
    return search.finds(program)
  }
}

/// What keeps a pattern from being used.
package enum PatternDefect: Error, Equatable, CustomStringConvertible {
  /// A part is wrong or has no place here; the offset counts scalars.
  case part(String, offset: Int)
  case tooLarge(limit: Int)

  /// What is wrong with the pattern, to be read behind it.
  package var description: String {
    switch self {
    case .part(let part, let offset): "has \(part) at \(offset)"
    case .tooLarge: "has \(part)"
    }
  }

  /// The part that is wrong.
  var part: String {
    switch self {
    case .part(let part, _): part
    case .tooLarge(let limit):
      "more than \(Figures.grouped(limit)) parts with its counts written out"
    }
  }
}
