/// How many tokens were proposed to passes and how many of them came, by their place behind what was known.
package struct ProposalCounts: Sendable, Equatable {
  /// Tokens proposed in the first place behind what was known, in the second, and so on.
  package internal(set) var proposed: [Int] = []
  /// Those of them that came.
  package internal(set) var accepted: [Int] = []

  mutating func add(_ other: ProposalCounts) {
    for (place, count) in other.proposed.enumerated() {
      for _ in 0..<count { note(place, isAccepted: false) }
      for _ in 0..<other.accepted[place] { note(place, isAccepted: true) }
    }
  }

  mutating func note(_ place: Int, isAccepted: Bool) {
    while proposed.count <= place {
      proposed.append(0)
      accepted.append(0)
    }
    if isAccepted { accepted[place] += 1 } else { proposed[place] += 1 }
  }
}
