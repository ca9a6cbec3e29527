/// Follows a regular expression through a text on all ways at once.
struct TextPatternMachine {
  private enum Instruction {
    case atom(Int, next: Int)
    case anchor(TextPatternNode.Anchor, next: Int)
    case split([Int])
    /// Goes on where a machine matches what comes, or does not.
    case ahead(start: Int, isWanted: Bool, next: Int)
    case accept
  }

  private static let sizeLimit = 10_000
  /// Ways that are looked at in one text.
  private static let stepLimit = 20_000_000

  private var instructions: [Instruction] = [.accept]
  private var start = 0
  private let atoms: [Regex<AnyRegexOutput>]
  /// The atom that tells what a part of a word is.
  private let word: Regex<AnyRegexOutput>

  init(_ node: TextPatternNode, _ atoms: [TextPatternAtom]) throws(TextPattern.Defect) {
    var expressions: [Regex<AnyRegexOutput>] = []
    for atom in atoms { expressions.append(try Self.expression(atom)) }
    self.atoms = expressions
    let word = TextPatternParser.escaped(#"\w"#.unicodeScalars)
    self.word = try Self.expression(TextPatternAtom(pattern: word, ignoresCase: false))
    start = try add(node, then: 0)
  }

  private static func expression(
    _ atom: TextPatternAtom
  ) throws(TextPattern.Defect) -> Regex<AnyRegexOutput> {
    guard let expression = try? Regex(atom.pattern) else { throw .malformed }
    return atom.ignoresCase ? expression.ignoresCase() : expression
  }

  private mutating func add(_ instruction: Instruction) throws(TextPattern.Defect) -> Int {
    guard instructions.count < Self.sizeLimit else { throw .tooCostly }
    instructions.append(instruction)
    return instructions.count - 1
  }

  /// The place where `node` starts, behind which it goes on at `next`.
  private mutating func add(
    _ node: TextPatternNode, then next: Int
  ) throws(TextPattern.Defect) -> Int {
    switch node {
    case .atom(let atom): return try add(.atom(atom, next: next))
    case .anchor(let anchor): return try add(.anchor(anchor, next: next))
    case .sequence(let nodes):
      var place = next
      for node in nodes.reversed() { place = try add(node, then: place) }
      return place
    case .alternatives(let nodes):
      var places: [Int] = []
      for node in nodes { places.append(try add(node, then: next)) }
      return try add(.split(places))
    case .ahead(let node, let isWanted):
      return try add(.ahead(start: add(node, then: 0), isWanted: isWanted, next: next))
    case .repeated(let node, let minimum, let maximum):
      var place = next
      if let maximum {
        for _ in minimum..<max(minimum, maximum) {
          place = try add(.split([add(node, then: place), next]))
        }
      } else {
        place = try add(.split([]))
        instructions[place] = .split([try add(node, then: place), next])
      }
      for _ in 0..<minimum {
        place = try add(node, then: place)
        // What takes nothing may be repeated without end.
        if place == next { break }
      }
      return place
    }
  }

  /// Whether the expression is found in `text`; not where that would take too long to say.
  func occurs(in text: String) -> Bool {
    var run = Run(self, text)
    return run.search(from: start, at: 0, isAnchored: false) && !run.isTooLong
  }

  /// One search through one text.
  private struct Run {
    private let machine: TextPatternMachine
    private let characters: [Unicode.Scalar]
    /// The number of each character among those that are different.
    private var kinds: [Int] = []
    private var different: [Unicode.Scalar] = []
    /// What each atom says of each kind.
    private var takes: [[Bool?]]
    private var words: [Bool?]
    private var steps = 0
    var isTooLong: Bool { steps >= TextPatternMachine.stepLimit }
    /// What is known of places where a part was to come.
    private var known: [Ahead: Bool] = [:]

    private struct Ahead: Hashable {
      let start: Int
      let position: Int
    }

    /// Places that are under way at a character.
    private struct Ways {
      var places: [Int] = []
      var isIn: [Bool]
      var isFound = false

      init(_ count: Int) { isIn = Array(repeating: false, count: count) }

      mutating func clear() {
        for place in places { isIn[place] = false }
        places.removeAll(keepingCapacity: true)
      }
    }

    init(_ machine: TextPatternMachine, _ text: String) {
      (self.machine, characters) = (machine, Array(text.unicodeScalars))
      var numbers: [Unicode.Scalar: Int] = [:]
      for character in characters {
        let number = numbers[character] ?? different.count
        if number == different.count {
          numbers[character] = number
          different.append(character)
        }
        kinds.append(number)
      }
      words = Array(repeating: nil, count: different.count)
      takes = Array(repeating: [], count: machine.atoms.count)
    }

    mutating func search(from start: Int, at first: Int, isAnchored: Bool) -> Bool {
      var (now, later) = (Ways(machine.instructions.count), Ways(machine.instructions.count))
      steps += machine.instructions.count / 64
      for position in first...characters.count {
        if position == first || !isAnchored { reach(start, position, &now) }
        if now.isFound { return true }
        guard position < characters.count, !isTooLong else { break }
        if isAnchored, now.places.isEmpty { break }
        for place in now.places {
          guard case .atom(let atom, let next) = machine.instructions[place] else { continue }
          if isTaken(position, by: atom) { reach(next, position + 1, &later) }
        }
        if later.isFound { return true }
        now.clear()
        swap(&now, &later)
      }
      return false
    }

    /// Adds the places that are reached without a character.
    private mutating func reach(_ place: Int, _ position: Int, _ ways: inout Ways) {
      var open = [place]
      while let place = open.popLast() {
        guard !ways.isIn[place] else { continue }
        ways.isIn[place] = true
        ways.places.append(place)
        steps += 1
        switch machine.instructions[place] {
        case .accept: ways.isFound = true
        case .atom: break
        case .split(let places): open += places
        case .anchor(let anchor, let next): if holds(anchor, position) { open.append(next) }
        case .ahead(let start, let isWanted, let next):
          if matches(start, position) == isWanted { open.append(next) }
        }
      }
    }

    private mutating func matches(_ start: Int, _ position: Int) -> Bool {
      let ahead = Ahead(start: start, position: position)
      if let known = known[ahead] { return known }
      let matches = search(from: start, at: position, isAnchored: true)
      known[ahead] = matches
      return matches
    }

    private mutating func holds(_ anchor: TextPatternNode.Anchor, _ position: Int) -> Bool {
      switch anchor {
      case .start: return position == 0
      case .end: return position == characters.count
      case .boundary, .inside:
        let isBefore = position > 0 && isWord(position - 1)
        let isBehind = position < characters.count && isWord(position)
        return (isBefore != isBehind) == (anchor == .boundary)
      }
    }

    private mutating func isTaken(_ position: Int, by atom: Int) -> Bool {
      let kind = kinds[position]
      if takes[atom].isEmpty { takes[atom] = Array(repeating: nil, count: different.count) }
      if let known = takes[atom][kind] { return known }
      let isTaken = String(different[kind]).wholeMatch(of: machine.atoms[atom]) != nil
      takes[atom][kind] = isTaken
      return isTaken
    }

    private mutating func isWord(_ position: Int) -> Bool {
      let kind = kinds[position]
      if let known = words[kind] { return known }
      let isWord = String(different[kind]).wholeMatch(of: machine.word) != nil
      words[kind] = isWord
      return isWord
    }
  }
}
