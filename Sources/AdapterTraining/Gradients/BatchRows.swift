import Kernels
import Tokenization

/// Rows that follow each other: the tokens of an example, or those with which several begin.
struct RowSegment: Sendable, Equatable {
  let rows: Range<Int>
  /// The rows of what stands before, from the first token on.
  var before: [Range<Int>] = []

  /// The position of its first row.
  var start: Int { before.reduce(0) { $0 + $1.count } }
  /// All rows that its own see, in the order of their positions, and the position of the first of each.
  var seen: [(position: Int, rows: Range<Int>)] {
    var position = 0
    return (before + [rows]).map { rows in
      defer { position += rows.count }
      return (position, rows)
    }
  }
}

/// The sequences of a batch, one behind the other.
struct BatchRows {
  private(set) var tokens: [Token] = []
  private(set) var segments: [RowSegment] = []
  /// Rows from which a token is foretold, and that token.
  private(set) var places: [Int] = []
  private(set) var targets: [Token] = []
  /// 1 for rows that the adapter acts on, and 0 for those before its invocation; nil where it acts on all.
  var active: [Float]? { activity.contains(0) ? activity : nil }
  private var activity: [Float] = []

  /// Tokens with which several examples have to begin for these to be rows once: fewer save less than they cost.
  static let fewestShared = 16

  /// With `sharesBeginnings`, what several examples begin with and nothing is foretold from has its rows once; what comes of a row
  /// depends on those before it alone.
  init(_ batch: TrainingBatch, sharesBeginnings: Bool) {
    var texts = batch.sequences.flatMap { sequence in
      zip(sequence.segments, sequence.starts).map { segment, start in
        Text(
          sequence.tokens[segment], sequence.targets[segment],
          start: start - segment.lowerBound)
      }
    }
    if sharesBeginnings {
      place(&texts, Array(texts.indices), from: 0, behind: [])
    } else {
      for index in texts.indices { place(&texts[index], from: 0, behind: []) }
    }
    for text in texts {
      for (index, target) in text.targets.enumerated() {
        guard let target else { continue }
        places.append(text.firstRow + index)
        targets.append(target)
      }
    }
  }

  /// Rows that all examples share.
  var commonCount: Int {
    segments.dropFirst().allSatisfy { !$0.before.isEmpty } ? segments.first?.rows.count ?? 0 : 0
  }

  /// The rows of `x` from which a token is foretold.
  func chosen(_ x: FloatMatrix) -> FloatMatrix { x.rows(places) }

  /// The inverse: `x` at those rows, zero at all others.
  func spread(_ x: FloatMatrix) -> FloatMatrix {
    var result = FloatMatrix(rows: tokens.count, columns: x.columns)
    for (row, place) in places.enumerated() {
      result.values.replaceSubrange(result.range(place), with: x.values[x.range(row)])
    }
    return result
  }
}

extension BatchRows {
  /// An example on its way into rows.
  private struct Text {
    let tokens: [Token]
    let targets: [Token?]
    /// The first token that the adapter acts on.
    let start: Int
    /// Where its first row would be, were all of them its own.
    var firstRow = 0

    init(_ tokens: ArraySlice<Token>, _ targets: ArraySlice<Token?>, start: Int) {
      (self.tokens, self.targets, self.start) = (Array(tokens), Array(targets), start)
    }

    /// Tokens that can be shared: nothing is foretold from them, another one follows, and the adapter acts on all or on none.
    var shareable: ArraySlice<Token> {
      let end = targets.firstIndex { $0 != nil } ?? max(tokens.count - 1, 0)
      return tokens[..<(start > 0 ? min(start, end) : end)]
    }

    /// Where it goes apart from `other`.
    func end(with other: Text) -> Int {
      zip(shareable, other.shareable).prefix { $0 == $1 }.count
    }
  }

  /// Gives a text the rows from its token `start` on.
  private mutating func place(_ text: inout Text, from start: Int, behind before: [Range<Int>]) {
    text.firstRow = tokens.count - start
    append(text.tokens[start...], behind: before)
    for (row, index) in zip(text.firstRow + start..<tokens.count, start...) {
      activity[row] = index >= text.start ? 1 : 0
    }
  }

  /// Gives texts that are alike up to `start` their rows from there on.
  private mutating func place(
    _ texts: inout [Text], _ indices: [Int], from start: Int, behind before: [Range<Int>]
  ) {
    for group in Self.groups(texts, indices, from: start) {
      let first = texts[group[0]]
      guard let end = group.dropFirst().map({ texts[$0].end(with: first) }).min() else {
        place(&texts[group[0]], from: start, behind: before)
        continue
      }
      let rows = append(first.tokens[start..<end], behind: before)
      if first.start > 0 { for row in rows { activity[row] = 0 } }
      place(&texts, group, from: end, behind: before + [rows])
    }
  }

  /// What texts have to have alike.
  private struct Beginning: Hashable {
    let tokens: ArraySlice<Token>
    let isActive: Bool
  }

  /// The texts by what follows on `start`, each alone where that is too short.
  private static func groups(_ texts: [Text], _ indices: [Int], from start: Int) -> [[Int]] {
    var groups: [[Int]] = []
    var places: [Beginning: Int] = [:]
    for index in indices {
      let key = Beginning(
        tokens: texts[index].shareable.dropFirst(start).prefix(fewestShared),
        isActive: texts[index].start == 0)
      if key.tokens.count == fewestShared, let place = places[key] {
        groups[place].append(index)
      } else {
        places[key] = groups.count
        groups.append([index])
      }
    }
    return groups
  }

  @discardableResult
  private mutating func append(
    _ more: ArraySlice<Token>, behind before: [Range<Int>]
  ) -> Range<Int> {
    let rows = tokens.count..<tokens.count + more.count
    tokens += more
    activity += more.map { _ in 1 }
    segments.append(RowSegment(rows: rows, before: before))
    return rows
  }
}
