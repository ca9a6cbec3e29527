import SystemFiles

/// The classes of examples, where their answers are the names of classes; none where they are texts of their own.
///
/// Answers that come once are names of rare classes as long as few examples have one; else they are texts of their own beside
/// one that comes again, as where most examples have nothing to find.
struct AnswerClasses {
  /// Of each example the number of its class, from 1; 0 of one that has none.
  private var classes: NumberList
  /// How many examples are in each class, and the first of them.
  private var sizes: [Int32] = []
  private var firsts: [Int32] = []
  private var dropsSingles = false

  /// Of `answers`, two numbers each, without those of examples that repeat others.
  init(
    _ answers: NumberList, _ repeats: NumberList, in folder: String?
  ) throws(FileError) {
    classes = NumberList(in: folder)
    var (sets, joiner) = (DisjointSets(repeats.count), KeyJoiner(in: folder))
    try Self.forEach(answers, repeats) { (example, key) throws(FileError) in
      try joiner.add(key.high, example, &sets)
    }
    try joiner.finish(&sets)
    let roots = sets.firsts()
    var (counts, all) = ([Int32](repeating: 0, count: roots.count), 0)
    try Self.forEach(answers, repeats) { example, _ in
      counts[Int(roots[example])] += 1
      all += 1
    }
    let different = counts.count { $0 > 0 }
    guard ExampleFamilies.areClasses(different, of: all) else { return }
    let keepsSingles = counts.count { $0 == 1 } * 10 <= all
    var found: [(key: ContentKey, first: Int32)] = []
    try Self.forEach(answers, repeats) { example, key in
      guard roots[example] == example, keepsSingles || counts[example] > 1 else { return }
      found.append((key, Int32(example)))
    }
    found.sort { $0.key < $1.key }
    sizes = found.map { counts[Int($0.first)] }
    firsts = found.map(\.first)
    found = []
    for example in counts.indices { counts[example] = 0 }
    for (number, first) in firsts.enumerated() { counts[Int(first)] = Int32(number + 1) }
    var next = 0
    try Self.forEach(answers, repeats) { (example, _) throws(FileError) in
      while next < example { try add(0, &next) }
      try add(UInt64(counts[Int(roots[example])]), &next)
    }
    while next < roots.count { try add(0, &next) }
  }

  private mutating func add(_ value: UInt64, _ next: inout Int) throws(FileError) {
    try classes.append(value)
    next += 1
  }

  private static func forEach(
    _ answers: NumberList, _ repeats: NumberList,
    _ body: (_ example: Int, _ key: ContentKey) throws(FileError) -> Void
  ) throws(FileError) {
    var (reader, firsts) = (answers.reader(), repeats.reader())
    for example in 0..<repeats.count {
      let key = ContentKey(try reader.next(2))
      if try firsts.next() == UInt64(example), key.high != 0 || key.low != 0 {
        try body(example, key)
      }
    }
  }

  /// Whether the class of this number counts.
  private func counts(_ number: Int) -> Bool { !dropsSingles || sizes[number] > 1 }

  /// Takes classes of one example for none.
  mutating func dropSingles() { dropsSingles = true }

  private func forEach(_ body: (_ example: Int, _ number: Int) throws(FileError) -> Void)
    throws(FileError)
  {
    guard !sizes.isEmpty else { return }
    var reader = classes.reader()
    for example in 0..<classes.count {
      let number = Int(try reader.next() ?? 0) - 1
      if number >= 0, counts(number) { try body(example, number) }
    }
  }

  /// The groups of each class, and the classes of each of `count` groups, by the group of each example.
  func rows(
    _ folder: String?, _ count: Int, _ group: (_ example: Int) -> Int?
  ) throws(FileError) -> (members: NumberRows, classes: NumberRows) {
    var (members, own) = (PairSorter(in: folder), PairSorter(in: folder))
    try forEach { (example, number) throws(FileError) in
      guard let place = group(example) else { return }
      try members.add(UInt64(number), UInt64(place))
      try own.add(UInt64(place), UInt64(number))
    }
    return (
      try NumberRows(sizes.count, members), try NumberRows(sizes.isEmpty ? 0 : count, own)
    )
  }

  /// How many classes have no example that is held out, of how many, and the first example of them; nil where there are none.
  func absent(from isHeld: [Bool]) throws(FileError) -> (count: Int, total: Int, example: Int)? {
    var isMeasured = sizes.map { _ in false }
    try forEach { example, number in
      if isHeld[example] { isMeasured[number] = true }
    }
    let all = sizes.indices.filter(counts)
    let missed = all.filter { !isMeasured[$0] }
    guard let first = missed.map({ firsts[$0] }).min() else { return nil }
    return (missed.count, all.count, Int(first))
  }
}
