import ChatTemplates

/// Examples that are made alike, by what is asked in them: near duplicates and fillings of one template are a family.
///
/// What is measured on an example says little when its family was learnt, so that families stand whole on one side of a
/// split. Holds hashes of words, and no text. Nothing depends on the order of the examples but the numbers.
public struct ExampleFamilies: Sendable {
  /// What was found.
  public struct Summary: Sendable, Equatable {
    /// How many families there are; an example that is like no other is one by itself.
    public let count: Int
    /// Different examples in the largest family.
    public let largest: Int
    /// Lines of two of them in their file, from 1; nil where no family has two.
    package let lines: [Int]?
    /// Whether families had to be divided by their wordings: one that was too large to stand on one side, or those that an answer
    /// cannot do without.
    package let isDivided: Bool
    /// Where examples have one of a few answers, those that no example has which is held out; nil where there are none.
    package internal(set) var absent: AbsentAnswers?
  }

  /// Answers of a few that are not measured.
  package struct AbsentAnswers: Sendable, Equatable {
    /// How many there are.
    package let count: Int
    /// How many answers there are in all.
    package let total: Int
    /// Line of an example with one of them in its file, from 1.
    package let line: Int
  }

  private var texts = WordFamilies()
  private var keys: [ContentKey] = []
  private var lines: [Int] = []
  private var answers: [ContentKey?] = []

  /// No examples yet.
  public init() {}

  /// How many examples there are.
  var count: Int { keys.count }

  /// Takes the next example.
  public mutating func add(_ example: TrainingExample) { add(example, key: example.key) }

  mutating func add(_ example: TrainingExample, key: ContentKey) {
    keys.append(key)
    lines.append(example.line)
    answers.append(example.answerKey)
    texts.add(example.asked)
  }

  /// For each example, in the order in which they came, the number of the first one of its family, from 0.
  func families() -> [Int] { texts.families() }

  /// Chooses whole families to hold out, so that about `share` of the different examples are in them, above 0 and below 1.
  ///
  /// Where examples have one of a few answers, some of each are held out and some are learnt, as far as an answer has two
  /// families and no more than twice the share is held out.
  /// A family that leaves too few others is divided: by wording, or, where that is one too, by example. Those that are the last
  /// of an answer are, where less than half of the share can be held out without them. Seed and contents decide.
  /// Nil where fewer than two examples differ.
  public func heldOut(share: Double, seed: UInt64) -> (examples: Set<Int>, summary: Summary)? {
    var seen: Set<ContentKey> = []
    let different = keys.indices.filter { seen.insert(keys[$0]).inserted }
    guard different.count > 1 else { return nil }
    let target = min(
      max(Int((Double(different.count) * share).rounded()), 1), different.count - 1)
    let families = families()
    let groups = Dictionary(grouping: different) { families[$0] }.values
      .sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    var classes = classes(different)
    let likenesses = texts.likenesses()
    var parts = divided(groups, likenesses, target: target, of: different.count)
    func choice() -> HeldOutChoice {
      HeldOutChoice(
        of: parts.map { lot($0, seed, classes) }, target: target, count: different.count)
    }
    var chosen = choice()
    if 2 * chosen.size < target {
      // Answers that come once are on one side in any case, and no reason to divide families.
      classes = classes.filter { $0.value.count > 1 }
      chosen = choice()
    }
    while 2 * chosen.size < target {
      let pieces = parts.indices.map { place in
        chosen.needed.contains(place) ? Self.pieces(of: parts[place], likenesses) : [parts[place]]
      }
      guard pieces.contains(where: { $0.count > 1 }) else { break }
      parts = Array(pieces.joined())
      chosen = choice()
    }
    let chosenKeys = Set(chosen.groups.flatMap { place in parts[place].map { keys[$0] } })
    let held = Set(keys.indices.filter { chosenKeys.contains(keys[$0]) })
    let first = groups[0]
    return (
      held,
      Summary(
        count: groups.count, largest: first.count,
        lines: first.count > 1 ? [lines[first[0]], lines[first[1]]] : nil,
        isDivided: parts.count > groups.count, absent: absent(classes, from: held))
    )
  }

  /// Whether so many different answers of so many examples are the names of classes, and not texts of their own.
  static func areClasses(_ different: Int, of examples: Int) -> Bool {
    examples >= 20 && different > 1 && different <= mostClasses(of: examples)
  }

  /// How many classes so many examples have at most.
  static func mostClasses(of examples: Int) -> Int { examples / 5 }

  /// The examples of each answer, where answers are the names of classes; empty where they are texts of their own.
  ///
  /// Answers that come once are names of rare classes as long as few examples have one; else they are texts of their own beside
  /// one that comes again, as where most examples have nothing to find.
  private func classes(_ examples: [Int]) -> [ContentKey: [Int]] {
    var classes: [ContentKey: [Int]] = [:]
    for index in examples {
      if let answer = answers[index] { classes[answer, default: []].append(index) }
    }
    let count = classes.values.reduce(0) { $0 + $1.count }
    guard Self.areClasses(classes.count, of: count) else { return [:] }
    let repeated = classes.filter { $0.value.count > 1 }
    return (classes.count - repeated.count) * 10 <= count ? classes : repeated
  }

  private func absent(_ classes: [ContentKey: [Int]], from held: Set<Int>) -> AbsentAnswers? {
    let missed = classes.values.filter { held.isDisjoint(with: $0) }
    guard let first = missed.map({ $0[0] }).min() else { return nil }
    return AbsentAnswers(count: missed.count, total: classes.count, line: lines[first])
  }

  /// The groups, the largest of which are divided until what is not in them can be held out.
  private func divided(
    _ groups: [[Int]], _ likenesses: [Int], target: Int, of count: Int
  ) -> [[Int]] {
    var groups = groups
    while let place = groups.indices.max(by: { groups[$0].count < groups[$1].count }),
      count - groups[place].count < target
    {
      groups += Self.pieces(of: groups.remove(at: place), likenesses)
    }
    return groups
  }

  /// The wordings of a group, or, where it is one, its examples.
  private static func pieces(of group: [Int], _ likenesses: [Int]) -> [[Int]] {
    let wordings = Dictionary(grouping: group) { likenesses[$0] }.values
    return wordings.count > 1 ? wordings.sorted { $0[0] < $1[0] } : group.map { [$0] }
  }

  /// What decides when a group is chosen, which does not depend on the order of its examples.
  private func lot(
    _ group: [Int], _ seed: UInt64, _ classes: [ContentKey: [Int]]
  ) -> HeldOutChoice.Lot {
    let key = group.map { keys[$0] }.min() ?? keys[group[0]]
    return HeldOutChoice.Lot(
      value: key.lot(seed), key: key, size: group.count,
      classes: Set(group.compactMap { answers[$0] }.filter { classes[$0] != nil }))
  }
}

extension TrainingExample {
  /// What is asked, in parts: all messages but the instructions and the last answer; a text as a whole.
  fileprivate var asked: [String] {
    switch content {
    case .text(let text): [text]
    case .chat(let messages, _):
      messages.dropLast().filter { $0.role != .system }.map(\.content)
    }
  }
}

extension ContentKey: Comparable {
  static func < (left: ContentKey, right: ContentKey) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// A number that depends on seed and content alone.
  fileprivate func lot(_ seed: UInt64) -> UInt64 {
    let bytes = [seed, high, low].flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return ContentKey(bytes).high
  }
}
