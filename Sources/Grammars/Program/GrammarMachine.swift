/// Runs a program over bytes: all ways through it at once, each with a stack of its own.
///
/// What has been met once is kept: states by number, and for each of them where every byte leads.
struct GrammarMachine {
  /// A set of ways to go on; equal sets have equal numbers.
  typealias State = Int32

  /// One way: an instruction that takes bytes, the stack, and the digits so far of a number.
  private struct Way: Hashable {
    let place: GrammarProgram.Place
    let stack: Int32
    let digits: Int32
  }

  /// What lies on the stack: where a routine goes on, or how many elements a list has.
  private struct Frame: Hashable {
    let value: Int32
    let isCount: Bool
    let below: Int32
    let level: Int32
  }

  private struct Entry {
    let ways: [Way]
    let isEnd: Bool
  }

  /// No way goes on.
  static let dead: State = -1
  private static let unknown: State = -2
  private static let empty: Int32 = -1

  private let program: GrammarProgram
  private let distances: GrammarDistances
  private var states: [Entry] = []
  /// Where each byte leads from each state, 256 a state.
  private var table: [State] = []
  private var numbers: [[Way]: State] = [:]
  private var frames: [Frame] = []
  private var frameNumbers: [Frame: Int32] = [:]
  /// Beginnings of numbers, one of all that a rule takes for the same.
  private var digits: [[UInt8]] = []
  private var digitNumbers: [DigitKey: Int32] = [:]
  /// Tokens to the end from each state, and from where each routine on a stack goes on; -1 where nobody has asked yet.
  private var stateDistances: [Int] = []
  private var frameDistances: [Int] = []

  private struct DigitKey: Hashable {
    let rule: Int32
    let kind: NumberRule.Kind
  }

  /// Before the first byte.
  private(set) var start: State = dead

  /// `longest` tells how many bytes of a text the longest piece at its start has, which distances are counted in.
  init(_ program: GrammarProgram, longest: ([UInt8]) -> Int = { _ in 1 }) {
    self.program = program
    distances = GrammarDistances(program, longest: longest)
    start = add { machine, reach in
      machine.reach(program.start, stack: Self.empty, &reach)
    }
  }

  /// Places that were passed to find the states.
  private(set) var work = 0

  /// States met so far.
  var stateCount: Int { states.count }

  /// Whether the text may end here.
  func isEnd(_ state: State) -> Bool { states[Int(state)].isEnd }

  /// Whether no byte can follow.
  func isOver(_ state: State) -> Bool { states[Int(state)].ways.isEmpty }

  /// Where `byte` leads.
  @inline(__always)
  mutating func next(_ state: State, _ byte: UInt8) -> State {
    let known = table[Int(state) &* 256 &+ Int(byte)]
    return known == Self.unknown ? meet(state, byte) : known
  }

  @inline(never)
  private mutating func meet(_ state: State, _ byte: UInt8) -> State {
    let ways = states[Int(state)].ways
    let next = add { machine, reach in
      for way in ways { machine.take(byte, way, &reach) }
    }
    for other in alike(byte, ways) { table[Int(state) * 256 + Int(other)] = next }
    return next
  }

  /// The bytes around `byte` that every way takes as it takes that one.
  private func alike(_ byte: UInt8, _ ways: [Way]) -> ClosedRange<UInt8> {
    var (low, high): (UInt8, UInt8) = (0, 255)
    for way in ways {
      guard case .bytes(let range, _) = program.instructions[Int(way.place)] else {
        // Each digit of a number leads elsewhere.
        if NumberRule.bytes.contains(byte) { return byte...byte }
        if byte < NumberRule.bytes.lowerBound { high = min(high, NumberRule.bytes.lowerBound - 1) }
        if byte > NumberRule.bytes.upperBound { low = max(low, NumberRule.bytes.upperBound + 1) }
        continue
      }
      if byte < range.lowerBound {
        high = min(high, range.lowerBound - 1)
      } else if byte > range.upperBound {
        low = max(low, range.upperBound + 1)
      } else {
        (low, high) = (max(low, range.lowerBound), min(high, range.upperBound))
      }
    }
    return low...high
  }

  /// The characters of a JSON string that can follow as they are, whichever they are; none outside of such texts.
  ///
  /// How many at most, and how many tokens end the text behind them.
  mutating func text(_ state: State) -> (room: Int, distance: Int) {
    var text = (room: 0, distance: 0)
    for way in states[Int(state)].ways {
      guard let loop = program.textLoops[way.place] else { continue }
      switch loop {
      case .endless: text.room = .max
      // The count has the character that comes next.
      case .counted(let maximum):
        text.room = max(text.room, Int(maximum - frames[Int(way.stack)].value) + 1)
      }
      text.distance = max(text.distance, distance(of: way))
    }
    return text
  }

  /// The only byte that can follow, if there is just one and the text cannot end.
  func onlyByte(_ state: State) -> UInt8? {
    guard !isEnd(state) else { return nil }
    var only: UInt8?
    for way in states[Int(state)].ways {
      guard case .bytes(let range, _) = program.instructions[Int(way.place)],
        range.count == 1, only == nil || only == range.lowerBound
      else { return nil }
      only = range.lowerBound
    }
    return only
  }

  /// How many tokens end the text at least, or nearly.
  @inline(__always)
  mutating func distance(_ state: State) -> Int {
    let known = stateDistances[Int(state)]
    return known < 0 ? measure(state) : known
  }

  @inline(never)
  private mutating func measure(_ state: State) -> Int {
    var distance = isEnd(state) ? 0 : Int.max
    for way in states[Int(state)].ways { distance = min(distance, self.distance(of: way)) }
    stateDistances[Int(state)] = distance
    return distance
  }

  private mutating func distance(of way: Way) -> Int {
    guard way.digits != Self.empty,
      case .number(let rule, let next) = program.instructions[Int(way.place)]
    else { return distance(from: way.place, stack: way.stack) }
    return program.numbers[Int(rule)].bytesToEnd(digits[Int(way.digits)])
      + distance(from: next, stack: way.stack)
  }

  private mutating func distance(from place: GrammarProgram.Place, stack: Int32) -> Int {
    guard stack != Self.empty else { return distances.toEnd[Int(place)] }
    let frame = frames[Int(stack)]
    guard frame.isCount else { return distances.toEnd[Int(place)] + distance(behind: stack) }
    return distances.toStep[Int(place)]
      + distances.rest(ofListAt: distances.step[Int(place)], count: frame.value)
      + distance(behind: frame.below)
  }

  /// Tokens to the end from where the routine of a frame goes on.
  private mutating func distance(behind stack: Int32) -> Int {
    guard stack != Self.empty else { return 0 }
    if frameDistances[Int(stack)] < 0 {
      let frame = frames[Int(stack)]
      frameDistances[Int(stack)] = distance(from: frame.value, stack: frame.below)
    }
    return frameDistances[Int(stack)]
  }

  /// The ways that have been reached, and those places that have been passed without taking a byte.
  private struct Reach {
    var ways: Set<Way> = []
    var passed: Set<Way> = []
    var isEnd = false
  }

  private mutating func add(_ body: (inout GrammarMachine, inout Reach) -> Void) -> State {
    var reach = Reach()
    body(&self, &reach)
    work += 1 + reach.passed.count + reach.ways.count
    guard reach.isEnd || !reach.ways.isEmpty else { return Self.dead }
    let ways = reach.ways.sorted {
      ($0.place, $0.stack, $0.digits) < ($1.place, $1.stack, $1.digits)
    }
    // The end is a way, too: it tells states apart.
    let end = Way(place: -1, stack: Self.empty, digits: Self.empty)
    let key = reach.isEnd ? [end] + ways : ways
    if let state = numbers[key] { return state }
    let state = State(states.count)
    numbers[key] = state
    states.append(Entry(ways: ways, isEnd: reach.isEnd))
    table.append(contentsOf: repeatElement(Self.unknown, count: 256))
    stateDistances.append(-1)
    return state
  }

  private mutating func take(_ byte: UInt8, _ way: Way, _ reach: inout Reach) {
    switch program.instructions[Int(way.place)] {
    case .bytes(let range, let next):
      if range.contains(byte) { self.reach(next, stack: way.stack, &reach) }
    case .number(let rule, let next):
      takeDigit(byte, way, rule, next, &reach)
    default: preconditionFailure("only these take bytes")
    }
  }

  private mutating func takeDigit(
    _ byte: UInt8, _ way: Way, _ index: Int32, _ next: GrammarProgram.Place, _ reach: inout Reach
  ) {
    let rule = program.numbers[Int(index)]
    let text = (way.digits == Self.empty ? [] : digits[Int(way.digits)]) + [byte]
    guard rule.mayGoOn(text) else { return }
    reach.ways.insert(Way(place: way.place, stack: way.stack, digits: number(of: text, index)))
    if rule.isWhole(text) { self.reach(next, stack: way.stack, &reach) }
  }

  /// Adds the ways that start at `place`, through all instructions that take no byte.
  private mutating func reach(
    _ place: GrammarProgram.Place, stack: Int32, _ reach: inout Reach
  ) {
    guard reach.passed.insert(Way(place: place, stack: stack, digits: Self.empty)).inserted else {
      return
    }
    switch program.instructions[Int(place)] {
    case .bytes, .number:
      reach.ways.insert(Way(place: place, stack: stack, digits: Self.empty))
    case .split(let places):
      for place in places { self.reach(place, stack: stack, &reach) }
    case .room(let levels, let next):
      if level(stack) + levels <= GrammarProgram.levelLimit {
        self.reach(next, stack: stack, &reach)
      }
    case .call(let routine, let next, let levels):
      let frame = push(next, levels: levels, on: stack)
      self.reach(program.routines[Int(routine)], stack: frame, &reach)
    case .leave:
      let frame = frames[Int(stack)]
      self.reach(frame.value, stack: frame.below, &reach)
    case .open(let next):
      self.reach(next, stack: push(0, on: stack), &reach)
    case .element(let step): reachElement(step, stack: stack, &reach)
    case .accept: reach.isEnd = true
    }
  }

  private mutating func reachElement(
    _ step: GrammarProgram.ListStep, stack: Int32, _ reach: inout Reach
  ) {
    let frame = frames[Int(stack)]
    let count = frame.value
    if count >= step.minimum { self.reach(step.end, stack: frame.below, &reach) }
    guard step.maximum.map({ count < $0 }) ?? true,
      frame.level + step.levels <= GrammarProgram.levelLimit
    else { return }
    // Without a bound the count stops where it makes no more difference, so that states come again.
    let counted = step.maximum == nil ? min(count + 1, max(step.minimum, 1)) : count + 1
    let stack = push(counted, on: frame.below)
    self.reach(count == 0 ? step.first : step.further, stack: stack, &reach)
  }

  private func level(_ stack: Int32) -> Int32 {
    stack == Self.empty ? 0 : frames[Int(stack)].level
  }

  /// Puts a count on the stack, or, with `levels`, a place.
  private mutating func push(_ value: Int32, levels: Int32? = nil, on below: Int32) -> Int32 {
    let frame = Frame(
      value: value, isCount: levels == nil, below: below, level: level(below) + (levels ?? 0))
    if let number = frameNumbers[frame] { return number }
    let number = Int32(frames.count)
    frames.append(frame)
    frameDistances.append(-1)
    frameNumbers[frame] = number
    return number
  }

  private mutating func number(of text: [UInt8], _ rule: Int32) -> Int32 {
    let key = DigitKey(rule: rule, kind: program.numbers[Int(rule)].kind(of: text))
    if let number = digitNumbers[key] { return number }
    let number = Int32(digits.count)
    digits.append(text)
    digitNumbers[key] = number
    return number
  }
}
