/// Follows programs of regular expressions through one text.
struct PatternSearch {
  private let text: [Unicode.Scalar]
  private var steps = 0

  /// Instructions that are passed in one text at most.
  private static let stepLimit = 20_000_000

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  /// Whether the program takes a part of the text; not where that would take too long to say.
  mutating func finds(_ program: PatternProgram) -> Bool {
    ends(of: program, onlyFirst: true).contains(true) && steps < Self.stepLimit
  }

  /// Whether a way that began anywhere ends, for each place between the characters.
  private mutating func ends(of program: PatternProgram, onlyFirst: Bool = false) -> [Bool] {
    guard steps < Self.stepLimit else { return [] }
    // Each look is settled for all places at once, which keeps the time linear.
    let looks = program.looks.map { ends(of: $0) }
    var found = Array(repeating: false, count: text.count + 1)
    var passed = Array(repeating: -1, count: program.instructions.count)
    var (ways, later): ([Int], [Int]) = ([], [])
    for count in 0...text.count where steps < Self.stepLimit {
      let place = program.isBackward ? text.count - count : count
      let next = character(program.isBackward ? place - 1 : place)
      ways.append(program.start)
      while let way = ways.popLast() {
        guard passed[way] != place else { continue }
        passed[way] = place
        steps += 1
        switch program.instructions[way] {
        case .take(let set, let target): if let next, set.contains(next) { later.append(target) }
        case .split(let targets): ways += targets
        case .assertion(let assertion, let target):
          if holds(assertion, at: place) { ways.append(target) }
        case .look(let look, let isWanted, let target):
          if looks[look][place] == isWanted { ways.append(target) }
        case .accept: found[place] = true
        }
      }
      if onlyFirst, found[place] { break }
      swap(&ways, &later)
    }
    return found
  }

  private func character(_ index: Int) -> Unicode.Scalar? {
    text.indices.contains(index) ? text[index] : nil
  }

  private func holds(_ assertion: PatternAssertion, at place: Int) -> Bool {
    func has(_ shorthand: CharacterClass.Shorthand, _ index: Int) -> Bool {
      character(index).map(shorthand.contains) ?? false
    }
    func isBoundary() -> Bool { has(.word, place - 1) != has(.word, place) }
    return switch assertion {
    case .textStart: place == 0
    case .textEnd: place == text.count
    case .lastLineEnd: place == text.count || place == text.count - 1 && has(.newline, place)
    case .lineStart: place == 0 || has(.newline, place - 1)
    case .lineEnd: place == text.count || has(.newline, place)
    case .wordBoundary: isBoundary()
    case .noWordBoundary: !isBoundary()
    }
  }
}
