import SystemFiles

extension ExampleFamilies {
  /// As `heldOut`, with whether each example is held out.
  func choose(
    share: Double, seed: UInt64
  ) throws(FileError) -> (isHeld: [Bool], summary: Summary)? {
    guard let prepared = try prepared() else { return nil }
    let repeats = prepared.repeats
    var (classes, parts) = (prepared.classes, prepared.parts)
    let count = parts.count
    let target = min(max(Int((Double(count) * share).rounded()), 1), count - 1)
    let families = try summary(of: parts)
    while try parts.divide(where: { $0 > count - target }) {}
    func choice(
      _ parts: ExampleParts, _ classes: AnswerClasses
    ) throws(FileError) -> (HeldOutChoice, order: [Int32]) {
      let (groups, order) = try parts.drawn(keys, classes, seed: seed)
      return (HeldOutChoice(of: groups, target: target, count: count), order)
    }
    var (chosen, order) = try choice(parts, classes)
    if 2 * chosen.size < target {
      // Answers that come once are on one side in any case, and no reason to divide families.
      classes.dropSingles()
      (chosen, order) = try choice(parts, classes)
    }
    while 2 * chosen.size < target {
      let needed = parts.marks(order, where: chosen.isNeeded)
      guard try parts.divide(where: { _ in true }, among: needed) else { break }
      (chosen, order) = try choice(parts, classes)
    }
    let marks = parts.marks(order, where: chosen.isHeld)
    let isHeld = try parts.examples(in: marks, repeats)
    let absent = try classes.absent(from: isHeld).map { (found) throws(FileError) in
      AbsentAnswers(
        count: found.count, total: found.total, line: try line(of: found.example),
        example: found.example)
    }
    return (
      isHeld,
      Summary(
        count: families.count, largest: families.largest, lines: families.lines,
        examples: families.examples,
        isDivided: parts.partCount > families.count, absent: absent)
    )
  }

  /// The first example of the same content, of each; the classes; and the families.
  ///
  /// Nil where fewer than two examples differ.
  private func prepared() throws(FileError) -> (
    repeats: NumberList, classes: AnswerClasses, parts: ExampleParts
  )? {
    var sets = DisjointSets(count)
    var (joiner, reader) = (KeyJoiner(in: texts.folder), keys.reader())
    for example in 0..<count {
      if let high = try reader.next(), try reader.next() != nil {
        try joiner.add(high, example, &sets)
      }
    }
    try joiner.finish(&sets)
    // Kept apart, as families take memory for all examples, too.
    var (repeats, hasOthers) = (NumberList(in: texts.folder), false)
    for first in sets.firsts() {
      try repeats.append(UInt64(first))
      if first > 0 { hasOthers = true }
    }
    guard hasOthers else { return nil }
    return (
      repeats, try AnswerClasses(answers, repeats, in: texts.folder),
      try ExampleParts(texts, repeats)
    )
  }

  /// The line of an example in its file, from 1.
  func line(of example: Int) throws(FileError) -> Int {
    Int(try lines.read(example..<example + 1)[0])
  }

  private func summary(
    of parts: ExampleParts
  ) throws(FileError) -> (count: Int, largest: Int, lines: [Int]?, examples: [Int]?) {
    let (first, second) = parts.largest
    var lines: [Int]?
    if let second { lines = [try line(of: first), try line(of: second)] }
    return (parts.partCount, parts.size(first), lines, second.map { [first, $0] })
  }
}

/// Which examples are held out or learnt together; repetitions of another are in no part.
struct ExampleParts {
  private let texts: WordFamilies
  /// The number of the first example of each one's part; -1 for repetitions.
  private var firsts: [Int32]
  /// How many examples are in the part that begins with each.
  private var sizes: [Int32]
  private var likenesses: [Int32]?
  /// Examples that are no repetitions.
  let count: Int
  private(set) var partCount = 0

  /// Parts that are families, where `repeats` has the first example of the same content, of each.
  init(_ texts: WordFamilies, _ repeats: NumberList) throws(FileError) {
    self.texts = texts
    firsts = try texts.families()
    sizes = [Int32](repeating: 0, count: firsts.count)
    var (count, reader) = (0, repeats.reader())
    for example in firsts.indices {
      guard try reader.next() == UInt64(example) else {
        firsts[example] = -1
        continue
      }
      let first = Int(firsts[example])
      if sizes[first] == 0 { partCount += 1 }
      sizes[first] += 1
      count += 1
    }
    self.count = count
  }

  func size(_ first: Int) -> Int { Int(sizes[first]) }

  /// The first two examples of the largest part, or the first of those that are as large.
  var largest: (first: Int, second: Int?) {
    var first = 0
    for part in sizes.indices where sizes[part] > sizes[first] { first = part }
    return (first, firsts.indices.first { $0 > first && firsts[$0] == first })
  }

  /// Divides the parts of a size for which that holds by wordings, and those that are one by examples; false where there is nothing to divide.
  mutating func divide(
    where isDivided: (_ size: Int) -> Bool, among marks: [Bool]? = nil
  ) throws(FileError) -> Bool {
    var divided = marks ?? sizes.map { _ in true }
    for part in divided.indices {
      divided[part] = divided[part] && sizes[part] > 1 && isDivided(Int(sizes[part]))
    }
    guard divided.contains(true) else { return false }
    let alike = if let likenesses { likenesses } else { try texts.likenesses() }
    likenesses = alike
    var hasWordings = divided.map { _ in false }
    for example in firsts.indices where firsts[example] >= 0 {
      let first = Int(firsts[example])
      if alike[example] != alike[first] { hasWordings[first] = true }
    }
    for part in divided.indices where divided[part] {
      sizes[part] = 0
      partCount -= 1
    }
    for example in firsts.indices where firsts[example] >= 0 {
      let old = Int(firsts[example])
      guard divided[old] else { continue }
      let first = hasWordings[old] ? Int(alike[example]) : example
      firsts[example] = Int32(first)
      if sizes[first] == 0 { partCount += 1 }
      sizes[first] += 1
    }
    return true
  }

  /// The parts in the order in which a seed draws them, and their first examples.
  func drawn(
    _ keys: NumberList, _ classes: AnswerClasses, seed: UInt64
  ) throws(FileError) -> (DrawnGroups, order: [Int32]) {
    var (smallest, lots) = (firsts.map { _ in Int32(-1) }, PairSorter(in: texts.folder))
    var reader = keys.reader()
    func key(_ example: Int32) throws(FileError) -> ContentKey {
      let place = 2 * Int(example)
      return ContentKey(try keys.read(place..<place + 2)[...])
    }
    for example in firsts.indices {
      let own = ContentKey(try reader.next(2))
      guard firsts[example] >= 0 else { continue }
      let first = Int(firsts[example])
      if sizes[first] == 1 {
        try lots.add(own.lot(seed), UInt64(first))
      } else if smallest[first] < 0 {
        smallest[first] = Int32(example)
      } else if try own < key(smallest[first]) {
        smallest[first] = Int32(example)
      }
    }
    for first in smallest.indices where smallest[first] >= 0 {
      try lots.add(key(smallest[first]).lot(seed), UInt64(first))
    }
    var order: [Int32] = []
    order.reserveCapacity(partCount)
    try lots.forEach { _, first in order.append(Int32(first)) }
    // What was the smallest is now the place.
    for (place, first) in order.enumerated() { smallest[Int(first)] = Int32(place) }
    let (members, own) = try classes.rows(texts.folder, order.count) { example in
      firsts[example] >= 0 ? Int(smallest[Int(firsts[example])]) : nil
    }
    return (DrawnGroups(sizes: order.map { sizes[Int($0)] }, members: members, classes: own), order)
  }

  /// Of all examples those that begin parts in `order` for which that holds.
  func marks(_ order: [Int32], where holds: [Bool]) -> [Bool] {
    var marks = [Bool](repeating: false, count: firsts.count)
    for (place, first) in order.enumerated() where holds[place] { marks[Int(first)] = true }
    return marks
  }

  /// Whether each example is in the marked parts, as what it repeats is.
  func examples(in marks: [Bool], _ repeats: NumberList) throws(FileError) -> [Bool] {
    var (found, reader) = (marks, repeats.reader())
    for example in firsts.indices {
      let first = firsts[Int(try reader.next() ?? 0)]
      found[example] = marks[Int(first)]
    }
    return found
  }
}

extension ContentKey {
  init(_ numbers: ArraySlice<UInt64>) {
    (high, low) = (numbers[numbers.startIndex], numbers[numbers.startIndex + 1])
  }
}
