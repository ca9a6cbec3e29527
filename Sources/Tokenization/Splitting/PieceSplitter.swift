/// Cuts a text, given as scalars with their traits, into pieces.
struct PieceSplitter {
  private let scalars: [UInt32]
  private let traits: [ScalarTraits]

  init(scalars: [UInt32]) {
    let table = ScalarTraitsTable.shared
    self.scalars = scalars
    traits = scalars.map { table[$0] }
  }

  /// Where each piece ends, ascending; the last end is the number of scalars.
  func ends(_ preTokenizer: PreTokenizer) -> [Int] {
    var ends = scalars.isEmpty ? [] : [scalars.count]
    for pattern in preTokenizer.patterns {
      var next: [Int] = []
      next.reserveCapacity(max(ends.count, scalars.count / 4))
      var start = 0
      for end in ends {
        split(start..<end, by: pattern, into: &next)
        start = end
      }
      ends = next
    }
    return ends
  }

  private func split(_ piece: Range<Int>, by pattern: PiecePattern, into ends: inout [Int]) {
    switch pattern {
    case .alternatives(let alternatives):
      split(piece, by: alternatives, into: &ends)
    case .trailingWhitespace:
      var start = piece.upperBound
      while start > piece.lowerBound, traits[start - 1].contains(.whitespace) { start -= 1 }
      if start > piece.lowerBound { ends.append(start) }
      if start < piece.upperBound { ends.append(piece.upperBound) }
    }
  }

  private func split(
    _ piece: Range<Int>, by alternatives: [[PatternStep]], into ends: inout [Int]
  ) {
    var position = piece.lowerBound
    var pieceStart = position
    while position < piece.upperBound {
      guard let end = match(alternatives, at: position, limit: piece.upperBound) else {
        position += 1
        continue
      }
      if pieceStart < position { ends.append(position) }
      ends.append(end)
      position = end
      pieceStart = end
    }
    if pieceStart < piece.upperBound { ends.append(piece.upperBound) }
  }

  /// The end of the first alternative that matches at least one scalar at `position`.
  @inline(__always)
  private func match(_ alternatives: [[PatternStep]], at position: Int, limit: Int) -> Int? {
    for steps in alternatives {
      if let end = match(steps, 0, at: position, limit: limit), end > position { return end }
    }
    return nil
  }

  /// The end of steps `index...` at `position`; a run gives back scalars while what follows does not match.
  private func match(_ steps: [PatternStep], _ index: Int, at position: Int, limit: Int) -> Int? {
    guard index < steps.count else { return position }
    switch steps[index] {
    case .run(let set, let minimum, let maximum):
      var end = position
      let furthest = maximum < limit - position ? position + maximum : limit
      while end < furthest, set.contains(traits[end]) { end += 1 }
      if index + 1 == steps.count { return end >= position + minimum ? end : nil }
      while end >= position + minimum {
        if let match = match(steps, index + 1, at: end, limit: limit) { return match }
        end -= 1
      }
      return nil
    case .contraction(let ignoringCase):
      let length = contraction(at: position, limit: limit, ignoringCase: ignoringCase)
      return length == 0 ? nil : match(steps, index + 1, at: position + length, limit: limit)
    case .optionalContraction:
      let length = contraction(at: position, limit: limit, ignoringCase: true)
      return match(steps, index + 1, at: position + length, limit: limit)
    case .notBeforeText:
      let isClear = position == limit || traits[position].contains(.whitespace)
      return isClear ? match(steps, index + 1, at: position, limit: limit) : nil
    }
  }

  /// The length of `'s`, `'t`, `'m`, `'d`, `'re`, `'ve` or `'ll` at `position`, else 0.
  private func contraction(at position: Int, limit: Int, ignoringCase: Bool) -> Int {
    guard position + 1 < limit, scalars[position] == 0x27 else { return 0 }
    let bit: UInt32 = ignoringCase ? 0x20 : 0
    // Only ASCII letters differ from a small ASCII letter in this bit alone.
    switch scalars[position + 1] | bit {
    case 0x73, 0x74, 0x6D, 0x64: return 2
    case let first where position + 2 < limit:
      let second = scalars[position + 2] | bit
      let isPair = second == 0x65 ? first == 0x72 || first == 0x76 : first == 0x6C && second == 0x6C
      return isPair ? 3 : 0
    default: return 0
    }
  }
}
