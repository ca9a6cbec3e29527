/// A regular expression as instructions over scalars; all ways through it are followed at once.
struct PatternProgram {
  enum Instruction {
    /// Takes a scalar of the set.
    case take(CharacterClass, next: Int)
    /// Goes on at each of the places.
    case split([Int])
    case assertion(PatternAssertion, next: Int)
    /// Goes on where the look of this number finds what it is for, or does not.
    case look(Int, isWanted: Bool, next: Int)
    case accept
  }

  /// An instruction goes on at those before it, but for splits, which may lead back to their own start.
  private(set) var instructions: [Instruction] = [.accept]
  private(set) var start = 0
  /// Programs of what comes, which run from the end of a text to its start, and of what has come.
  private(set) var looks: [PatternProgram] = []
  let isBackward: Bool
  private var room: Int

  /// - Throws: `PatternDefect.tooLarge` beyond `limit` instructions.
  init(_ node: PatternNode, isBackward: Bool = false, limit: Int) throws(PatternDefect) {
    (self.isBackward, room) = (isBackward, limit)
    do throws(Full) { start = try add(node, then: 0) } catch { throw .tooLarge(limit: limit) }
  }

  private struct Full: Error {}

  private mutating func add(_ instruction: Instruction) throws(Full) -> Int {
    guard instructions.count < room else { throw Full() }
    instructions.append(instruction)
    return instructions.count - 1
  }

  /// The place where `node` starts, behind which it goes on at `next`.
  private mutating func add(_ node: PatternNode, then next: Int) throws(Full) -> Int {
    switch node {
    case .take(let set): return try add(.take(set, next: next))
    case .assertion(let assertion): return try add(.assertion(assertion, next: next))
    case .look(let node, let isBehind, let isWanted):
      let look = try self.look(node, isBehind)
      return try add(.look(look, isWanted: isWanted, next: next))
    case .sequence(let nodes):
      var place = next
      for node in isBackward ? nodes : nodes.reversed() { place = try add(node, then: place) }
      return place
    case .alternatives(let nodes):
      let places = try nodes.map { (node) throws(Full) in try add(node, then: next) }
      return try add(.split(places))
    case .repeated(let node, let minimum, let maximum):
      var place = try add(node, upTo: maximum.map { $0 - minimum }, then: next)
      for _ in 0..<minimum {
        let before = place
        place = try add(node, then: before)
        // What takes nothing may be repeated without end.
        if place == before { break }
      }
      return place
    }
  }

  /// As many of `node` as may be left out.
  private mutating func add(
    _ node: PatternNode, upTo count: Int?, then next: Int
  ) throws(Full) -> Int {
    var place = next
    if let count {
      for _ in 0..<count { place = try add(.split([add(node, then: place), next])) }
    } else {
      place = try add(.split([]))
      instructions[place] = .split([try add(node, then: place), next])
    }
    return place
  }

  private mutating func look(_ node: PatternNode, _ isBehind: Bool) throws(Full) -> Int {
    let left = room - instructions.count
    do throws(PatternDefect) {
      looks.append(try PatternProgram(node, isBackward: !isBehind, limit: left))
    } catch { throw Full() }
    // Those of a look are counted with the rest.
    room -= looks[looks.count - 1].size
    return looks.count - 1
  }

  /// Instructions with those of all looks.
  private var size: Int { looks.reduce(instructions.count) { $0 + $1.size } }
}
