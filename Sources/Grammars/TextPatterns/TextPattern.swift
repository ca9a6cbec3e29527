/// A regular expression of a file, searched for in texts in time that grows with both and not faster.
///
/// Swift's engine reads it and says what each character is; how parts follow each other is followed on all ways at
/// once, which no pattern makes slow. Characters are Unicode scalars, as in Python and in JSON Schema. What needs the engine as a
/// whole, such as a part that repeats what another one matched, may not repeat groups, and takes a letter and its marks as one.
package struct TextPattern {
  /// What keeps a pattern from being used.
  package enum Defect: Error, Equatable, CustomStringConvertible {
    case malformed
    case looksBehind
    case tooLong(limit: Int)
    case tooDeep(limit: Int)
    case tooCostly

    /// What is wrong, behind the pattern.
    package var description: String {
      switch self {
      case .malformed: "is no regular expression"
      case .looksBehind: "looks behind with (?<= or (?<!, which is not known here"
      case .tooLong(let limit): "has more than \(limit) characters"
      case .tooDeep(let limit): "has more than \(limit) parts inside each other"
      case .tooCostly: "takes too long to be searched for"
      }
    }

    /// What should be in the place of the pattern.
    package var expected: String {
      switch self {
      case .malformed: "a regular expression"
      case .looksBehind: "a regular expression without (?<= and (?<!"
      case .tooLong(let limit): "a regular expression of at most \(limit) characters"
      case .tooDeep(let limit): "a regular expression of at most \(limit) parts inside each other"
      case .tooCostly: "a regular expression that can be searched for quickly"
      }
    }
  }

  private enum Engine {
    case machine(TextPatternMachine)
    /// `turns` counts what it may try at each place of a text, one inside the other: where to start, and where to end each loop.
    case whole(Regex<AnyRegexOutput>, turns: Int)
  }

  /// Characters of a pattern at most.
  package static let lengthLimit = 4096
  /// Groups and classes inside each other at most; Swift's parser calls itself for each.
  package static let depthLimit = 64
  /// Steps of Swift's engine at most, about.
  private static let stepLimit = 1 << 32

  private let engine: Engine

  /// Reads `pattern` as Swift does; letters are taken in both cases where `ignoresCase` says so.
  package init(_ pattern: String, ignoresCase: Bool = false) throws(Defect) {
    guard pattern.utf8.count <= 4 * Self.lengthLimit, pattern.count <= Self.lengthLimit else {
      throw .tooLong(limit: Self.lengthLimit)
    }
    let parts = try TextPatternParser.parse(pattern, ignoresCase: ignoresCase)
    if parts == nil {
      // Where brackets are not understood, any two of them may stand inside each other.
      let openings = pattern.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }
      guard openings <= Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
    }
    // A mark behind a bracket makes one character of both, which Swift does not read.
    guard
      let expression = (try? Regex(pattern))
        ?? (try? Regex(TextPatternParser.escaped(pattern.unicodeScalars)))
    else {
      // Swift's engine does not know it.
      let isBehind = ["(?<=", "(?<!"].contains(where: pattern.contains)
      throw isBehind ? .looksBehind : .malformed
    }
    if let (node, atoms) = parts {
      engine = .machine(try TextPatternMachine(node, atoms))
      return
    }
    guard let loops = Self.loops(pattern), loops <= 3 else { throw .tooCostly }
    engine = .whole(
      (ignoresCase ? expression.ignoresCase() : expression).wordBoundaryKind(.simple),
      turns: pattern.hasPrefix("^") ? loops : loops + 1)
  }

  /// Whether the pattern is found in `text`; not where that would take too long to say.
  ///
  /// By characters: where it matches scalars, the engine takes no digit for a part of a word.
  package func occurs(in text: String) -> Bool {
    switch engine {
    case .machine(let machine): return machine.occurs(in: text)
    case .whole(let expression, let turns):
      var steps = 1
      for _ in 0..<turns {
        let (product, isTooLarge) = steps.multipliedReportingOverflow(by: text.utf8.count)
        guard !isTooLarge, product <= Self.stepLimit else { return false }
        steps = product
      }
      return text.contains(expression)
    }
  }

  /// How often something is repeated; nil where a group may be.
  private static func loops(_ pattern: String) -> Int? {
    var (loops, last): (Int, UInt8) = (0, 0)
    for byte in pattern.utf8 {
      if "*+{".utf8.contains(byte) {
        if last == UInt8(ascii: ")") { return nil }
        loops += 1
      }
      last = byte
    }
    return loops
  }
}
