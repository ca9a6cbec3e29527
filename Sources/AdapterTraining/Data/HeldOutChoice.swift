/// Which groups of examples are held out: by rising lot, so that about as many examples are in them as are wanted.
struct HeldOutChoice {
  /// What is known of a group.
  struct Lot {
    /// A number by chance; groups with low ones come first.
    let value: UInt64
    /// Decides between groups of one number.
    let key: ContentKey
    /// How many examples are in the group.
    let size: Int
    /// The classes that its examples are of.
    let classes: Set<ContentKey>
  }

  /// Places of the groups that are held out; none where each class has one group.
  private(set) var groups: Set<Int> = []
  /// Places of the groups that are the last ones of a class to be learnt.
  private(set) var needed: Set<Int> = []
  /// How many examples are held out.
  private(set) var size = 0
  /// The groups of each class, in the order in which they are drawn.
  private var members: [ContentKey: [Int]] = [:]
  /// How many groups of each class are not held out.
  private var learnt: [ContentKey: Int]
  private let lots: [Lot]
  private let target: Int
  private let count: Int

  /// Chooses of groups of `count` examples, `target` of which are to be held out.
  init(of lots: [Lot], target: Int, count: Int) {
    (self.lots, self.target, self.count) = (lots, target, count)
    let order = lots.indices.sorted {
      (lots[$0].value, lots[$0].key) < (lots[$1].value, lots[$1].key)
    }
    for index in order {
      for name in lots[index].classes { members[name, default: []].append(index) }
    }
    learnt = members.mapValues(\.count)
    needed = Set(members.values.filter { $0.count == 1 }.joined())
    coverClasses()
    fill(order)
  }

  /// Holds a group of each class out that leaves others to learn: the first that fits, or else the smallest, up to twice the target.
  private mutating func coverClasses() {
    for (_, members) in members.sorted(by: { $0.key < $1.key })
    where groups.isDisjoint(with: members) {
      let others = members.filter { !needed.contains($0) }
      let next =
        others.first { size + lots[$0].size <= target }
        ?? others.filter { size + lots[$0].size <= min(2 * target, count - 1) }
        .min { lots[$0].size < lots[$1].size }
      if let next { take(next) }
    }
  }

  /// Takes more groups as far as they fit, and one more where that comes nearer to the target.
  private mutating func fill(_ order: [Int]) {
    func isFree(_ index: Int) -> Bool { !groups.contains(index) && !needed.contains(index) }
    for index in order where size + lots[index].size <= target && isFree(index) { take(index) }
    func miss(_ index: Int) -> Int { size + lots[index].size - target }
    let next = order.filter(isFree).min { miss($0) < miss($1) }
    if let next, size + lots[next].size < count, size == 0 || miss(next) < target - size {
      take(next)
    }
  }

  private mutating func take(_ index: Int) {
    groups.insert(index)
    size += lots[index].size
    for name in lots[index].classes {
      learnt[name, default: 0] -= 1
      guard learnt[name] == 1 else { continue }
      needed.formUnion(members[name, default: []].filter { !groups.contains($0) })
    }
  }
}
