/// A grammar as instructions over bytes: a machine with a stack runs all ways through it at once.
struct GrammarProgram: Sendable {
  /// Where an instruction stands.
  typealias Place = Int32

  enum Instruction: Sendable {
    /// Takes a byte of the range.
    case bytes(ClosedRange<UInt8>, next: Place)
    /// Takes bytes as long as they are a number.
    case number(rule: Int32, next: Place)
    /// Goes on at each of the places.
    case split([Place])
    /// Goes on only where so many levels may still be nested.
    case room(levels: Int32, next: Place)
    /// Goes on at a routine, so many levels further in, and, when that leaves, at `next`.
    case call(routine: Int32, next: Place, levels: Int32 = 1)
    /// Ends a routine.
    case leave
    /// Starts to count elements.
    case open(next: Place)
    /// Goes on with another element, or ends the list and the count.
    case element(ListStep)
    /// Ends the text.
    case accept
  }

  /// What comes at each place of a list where an element or the end may come.
  struct ListStep: Sendable {
    var minimum: Int32
    /// No bound if nil.
    var maximum: Int32?
    /// Levels that an element needs.
    var levels: Int32
    var first: Place
    /// Where a further element starts, with its comma.
    var further: Place
    var end: Place
  }

  /// Where characters of a JSON string come as they are, as many as there is room for.
  enum TextLoop: Sendable {
    case endless
    /// Counted by the stack.
    case counted(maximum: Int32)
  }

  /// Levels of lists and objects at most: what reads JSON here stops at 64.
  static let levelLimit: Int32 = 60

  var instructions: [Instruction] = []
  /// Where each routine starts.
  var routines: [Place] = []
  var numbers: [NumberRule] = []
  var start: Place = 0
  /// Texts by the place of the first of those characters; the others are reached with it.
  var textLoops: [Place: TextLoop] = [:]

  /// The highest byte that is taken anywhere but in numbers; 0 where there is none.
  var highestByte: UInt8 {
    instructions.reduce(0) { highest, instruction in
      guard case .bytes(let range, _) = instruction else { return highest }
      return max(highest, range.upperBound)
    }
  }
}
