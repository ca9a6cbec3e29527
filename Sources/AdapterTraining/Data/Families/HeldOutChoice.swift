import SystemFiles

/// Groups of examples in the order in which they are drawn, by their places in it.
struct DrawnGroups {
  /// How many examples are in each group.
  let sizes: [Int32]
  /// The groups of each class, rising.
  let members: NumberRows
  /// The classes of each group.
  let classes: NumberRows
}

/// Rows of numbers, one behind the other.
struct NumberRows {
  private var starts: [Int32] = [0]
  private var values: [Int32] = []

  /// So many rows, of pairs of a row and a number; those that are equal count once.
  init(_ count: Int, _ pairs: consuming PairSorter) throws(FileError) {
    var (starts, values, last) = ([Int32(0)], [Int32](), Int32(-1))
    try pairs.forEach { (row, value) throws(FileError) in
      while starts.count <= row {
        starts.append(Int32(values.count))
        last = -1
      }
      if last != Int32(value) { values.append(Int32(value)) }
      last = Int32(value)
    }
    while starts.count <= count { starts.append(Int32(values.count)) }
    (self.starts, self.values) = (starts, values)
  }

  var count: Int { starts.count - 1 }

  subscript(_ row: Int) -> ArraySlice<Int32> { values[Int(starts[row])..<Int(starts[row + 1])] }
}

/// Which groups of examples are held out: in the order of their draw, so that about as many examples are in them as are wanted.
struct HeldOutChoice {
  /// Whether each group is held out; none where each class has one group.
  private(set) var isHeld: [Bool]
  /// Whether each group is the last one of a class to be learnt.
  private(set) var isNeeded: [Bool]
  /// How many examples are held out.
  private(set) var size = 0
  /// How many groups of each class are not held out.
  private var learnt: [Int32]
  private let groups: DrawnGroups
  private let target: Int
  private let count: Int

  /// Chooses of groups of `count` examples, `target` of which are to be held out.
  init(of groups: DrawnGroups, target: Int, count: Int) {
    (self.groups, self.target, self.count) = (groups, target, count)
    isHeld = groups.sizes.map { _ in false }
    isNeeded = isHeld
    learnt = (0..<groups.members.count).map { Int32(groups.members[$0].count) }
    for row in learnt.indices where learnt[row] == 1 {
      for group in groups.members[row] { isNeeded[Int(group)] = true }
    }
    coverClasses()
    fill()
  }

  private func size(_ group: Int32) -> Int { Int(groups.sizes[Int(group)]) }

  /// Holds a group of each class out that leaves others to learn: the first that fits, or else the smallest, up to twice the target.
  private mutating func coverClasses() {
    for row in 0..<groups.members.count {
      let members = groups.members[row]
      guard !members.contains(where: { isHeld[Int($0)] }) else { continue }
      if let next = member(of: members) { take(Int(next)) }
    }
  }

  private func member(of groups: ArraySlice<Int32>) -> Int32? {
    var smallest: Int32?
    for group in groups where !isNeeded[Int(group)] {
      if size + size(group) <= target { return group }
      guard size + size(group) <= min(2 * target, count - 1) else { continue }
      if smallest.map({ size(group) < size($0) }) ?? true { smallest = group }
    }
    return smallest
  }

  /// Takes more groups as far as they fit, and one more where that comes nearer to the target.
  private mutating func fill() {
    let all = Int32(0)..<Int32(groups.sizes.count)
    for group in all where size + size(group) <= target && isFree(group) { take(Int(group)) }
    var next: Int32?
    for group in all where isFree(group) && next.map({ size(group) < size($0) }) ?? true {
      next = group
    }
    guard let next, size + size(next) < count else { return }
    if size == 0 || size + size(next) - target < target - size { take(Int(next)) }
  }

  private func isFree(_ group: Int32) -> Bool { !isHeld[Int(group)] && !isNeeded[Int(group)] }

  private mutating func take(_ group: Int) {
    isHeld[group] = true
    size += Int(groups.sizes[group])
    guard groups.classes.count > 0 else { return }
    for row in groups.classes[group].map(Int.init) {
      learnt[row] -= 1
      guard learnt[row] == 1 else { continue }
      for other in groups.members[row] where !isHeld[Int(other)] { isNeeded[Int(other)] = true }
    }
  }
}
