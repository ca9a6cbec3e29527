/// How many tokens lead from each place of a program to its end at least, so that a text can be ended in time.
///
/// Texts without a choice count as the longest pieces, all others as bytes. A place knows only its own routine; what comes
/// when that is left is on the stack. The levels that a text may nest are not looked at: where they run out, the way may be
/// longer.
struct GrammarDistances: Sendable {
  typealias Place = GrammarProgram.Place

  /// To where the routine is left, or the text ends; with the lists that are not begun yet.
  private(set) var toEnd: [Int]
  /// To where the list around the place goes on or ends, if the place is inside of one.
  private(set) var toStep: [Int]
  /// That list's place.
  private(set) var step: [Place]
  private let program: GrammarProgram
  /// Where a token from each place leads.
  private var hop: [Place] = []

  /// Bytes that are looked at for a piece.
  private static let pieceLimit = 32
  /// More than any text has.
  private static let far = 1 << 40

  /// `longest` tells how many bytes of a text the longest piece at its start has.
  init(_ program: GrammarProgram, longest: ([UInt8]) -> Int) {
    self.program = program
    let count = program.instructions.count
    toEnd = Array(repeating: Self.far, count: count)
    toStep = toEnd
    step = Array(repeating: -1, count: count)
    hop = program.instructions.indices.map { hop(from: Place($0), longest) }
    let numbers = program.numbers.map { $0.bytesToEnd([]) }
    // Programs are made from their ends: a round or two settle what does not lead back.
    while settle(numbers) {}
  }

  private func hop(from start: Place, _ longest: ([UInt8]) -> Int) -> Place {
    var (text, places, place): ([UInt8], [Place], Place) = ([], [], start)
    while text.count < Self.pieceLimit,
      case .bytes(let range, let next) = program.instructions[Int(place)], range.count == 1
    {
      text.append(range.lowerBound)
      places.append(next)
      place = next
    }
    guard !places.isEmpty else { return start }
    return places[min(max(1, longest(text)), places.count) - 1]
  }

  /// Tokens of the list at `place` behind `count` elements, up to where its routine is left.
  func rest(ofListAt place: Place, count: Int32) -> Int {
    guard case .element(let list) = program.instructions[Int(place)] else { return Self.far }
    let missing = Int(max(0, list.minimum - count))
    guard missing > 0 else { return toEnd[Int(list.end)] }
    let further = Self.product(missing - (count == 0 ? 1 : 0), toStep[Int(list.further)])
    let first = count == 0 ? toStep[Int(list.first)] : 0
    return min(Self.far, first + further + toEnd[Int(list.end)])
  }

  /// Takes each place for what those behind it are by now; whether one has changed.
  private mutating func settle(_ numbers: [Int]) -> Bool {
    var changes = false
    for (index, instruction) in program.instructions.enumerated() {
      let (end, nearest, list) = distances(of: instruction, at: Place(index), numbers)
      guard end < toEnd[index] || nearest < toStep[index] else { continue }
      (toEnd[index], toStep[index]) = (min(end, toEnd[index]), min(nearest, toStep[index]))
      if list >= 0 { step[index] = list }
      changes = true
    }
    return changes
  }

  private func distances(
    of instruction: GrammarProgram.Instruction, at place: Place, _ numbers: [Int]
  ) -> (end: Int, step: Int, list: Place) {
    func behind(_ tokens: Int, _ next: Place) -> (end: Int, step: Int, list: Place) {
      let index = Int(next)
      return (
        min(Self.far, tokens + toEnd[index]), min(Self.far, tokens + toStep[index]), step[index]
      )
    }
    switch instruction {
    case .bytes(let range, let next):
      return behind(1, range.count == 1 ? hop[Int(place)] : next)
    case .number(let rule, let next): return behind(numbers[Int(rule)], next)
    case .room(_, let next): return behind(0, next)
    case .call(let routine, let next, _):
      return behind(toEnd[Int(program.routines[Int(routine)])], next)
    case .split(let places):
      return places.reduce((Self.far, Self.far, -1)) { least, next in
        let one = behind(0, next)
        return (min(least.0, one.end), min(least.1, one.step), max(least.2, one.list))
      }
    case .leave, .accept: return (0, Self.far, -1)
    case .open(let next): return (rest(ofListAt: next, count: 0), Self.far, -1)
    case .element: return (Self.far, 0, place)
    }
  }

  private static func product(_ count: Int, _ tokens: Int) -> Int {
    let (product, overflows) = count.multipliedReportingOverflow(by: tokens)
    return overflows ? far : min(far, product)
  }
}
