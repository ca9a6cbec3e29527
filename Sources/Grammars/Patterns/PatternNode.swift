/// A part of a regular expression.
indirect enum PatternNode {
  /// One scalar of a set.
  case take(CharacterClass)
  /// Nothing, at places of one kind.
  case assertion(PatternAssertion)
  /// Nothing, where a part comes or, with `isBehind`, has come; or where it does not.
  case look(PatternNode, isBehind: Bool, isWanted: Bool)
  /// One after the other.
  case sequence([PatternNode])
  /// One of several.
  case alternatives([PatternNode])
  /// Several times; without `maximum` any number of them.
  case repeated(PatternNode, minimum: Int, maximum: Int?)
}

/// A kind of places between the characters of a text.
enum PatternAssertion {
  case textStart
  case textEnd
  /// The end, or that of the last line before a newline.
  case lastLineEnd
  case lineStart
  case lineEnd
  case wordBoundary
  case noWordBoundary
}

extension Grammar {
  /// Some texts that match `pattern`, one at least for each of its alternatives; nil for one that cannot be enforced.
  package static func samples(of pattern: String) -> [String]? {
    guard let node = try? PatternParser.parse(pattern, for: .whole),
      (try? PatternProgram(node, limit: GrammarCompiler.limit)) != nil
    else { return nil }
    return node.samples.map { scalars in
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      return text
    }
  }
}

extension PatternNode {
  private static let sampleLimit = 64

  /// The first one is the plainest.
  fileprivate var samples: [[UnicodeScalar]] {
    switch self {
    case .take(let set):
      return [set.written.ranges.first.flatMap { UnicodeScalar($0.upperBound) }.map { [$0] } ?? []]
    case .assertion, .look: return [[]]
    case .alternatives(let nodes):
      return Array(nodes.flatMap(\.samples).prefix(Self.sampleLimit))
    case .repeated(let node, let minimum, let maximum):
      let parts = node.samples
      func samples(_ last: [[UnicodeScalar]]) -> [[UnicodeScalar]] {
        let before = Array(repeating: parts[0], count: max(minimum, 1) - 1).flatMap(\.self)
        return last.map { before + $0 }
      }
      guard maximum != 0 else { return [[]] }
      return minimum == 0 ? [[]] + samples(parts) : samples(parts)
    case .sequence(let nodes):
      let parts = nodes.map(\.samples)
      var samples = [parts.flatMap { $0[0] }]
      for (index, part) in parts.enumerated() {
        for other in part.dropFirst() where samples.count < Self.sampleLimit {
          let before = parts[..<index].flatMap { $0[0] }
          samples.append(before + other + parts[(index + 1)...].flatMap { $0[0] })
        }
      }
      return samples
    }
  }
}
