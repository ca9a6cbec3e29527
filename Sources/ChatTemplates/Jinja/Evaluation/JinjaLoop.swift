/// The variable `loop`, and what a loop reads its items from.
///
/// Items are asked whether they are wanted only when the loop comes to them, or looks ahead.
final class JinjaLoop {
  private let items: [JinjaValue]
  private var position = 0
  private var ahead: JinjaValue?
  private var current: JinjaValue?
  private var before: JinjaValue?
  private var last: [JinjaValue]?
  private(set) var index0 = -1
  /// How many recursive loops are around this one.
  let level: Int
  let depth: Int
  /// Whether an item passes the condition of the loop; nil without one.
  var isWanted: ((JinjaValue) throws(JinjaFault) -> Bool)?
  /// The text of the body for other items; nil when the loop is not recursive.
  var recurse: ((JinjaValue) throws(JinjaFault) -> SourcedText)?

  /// A loop over `items`, which are those of `source`.
  init(items: [JinjaValue], of source: JinjaValue, level: Int) {
    (self.items, self.level) = (items, level)
    depth = source.depth + 1
  }

  /// Lets go of what holds the variables around the loop.
  func end() { (isWanted, recurse) = (nil, nil) }

  /// Lets go of what `loop.changed` was asked last, in which loops may be that have more of it.
  func forget() { last = nil }

  private func pull() throws(JinjaFault) -> JinjaValue? {
    while position < items.count {
      position += 1
      let item = items[position - 1]
      guard let isWanted else { return item }
      if try isWanted(item) { return item }
    }
    return nil
  }

  private func peek() throws(JinjaFault) -> JinjaValue? {
    if ahead == nil { ahead = try pull() }
    return ahead
  }

  func next() throws(JinjaFault) -> JinjaValue? {
    guard let value = try peek() else { return nil }
    ahead = nil
    index0 += 1
    (before, current) = (current, value)
    return value
  }

  /// All items that pass, for which all are asked.
  private func length() throws(JinjaFault) -> Int {
    guard let isWanted else { return items.count }
    var count = index0 + 1 + (ahead == nil ? 0 : 1)
    for item in items[position...] where try isWanted(item) { count += 1 }
    return count
  }

  /// `loop.name`; nil when there is no such thing.
  func attribute(_ name: String) throws(JinjaFault) -> JinjaValue? {
    switch name {
    case "index": return .integer(index0 + 1)
    case "index0": return .integer(index0)
    case "first": return .bool(index0 == 0)
    case "last": return .bool(try peek() == nil)
    case "length": return .integer(try length())
    case "revindex": return .integer(try length() - index0)
    case "revindex0": return .integer(try length() - index0 - 1)
    case "depth": return .integer(level + 1)
    case "depth0": return .integer(level)
    case "previtem":
      return index0 == 0 ? .undefined("there is no previous item") : before
    case "nextitem": return try peek() ?? .undefined("there is no next item")
    case "cycle": return .function(cycle)
    case "changed": return .function(changed)
    default: return nil
    }
  }

  private var cycle: JinjaFunction {
    JinjaFunction("loop.cycle", of: .loop(self)) { [self] _, arguments throws(JinjaFault) in
      guard !arguments.positional.isEmpty else {
        throw .wrongArguments("loop.cycle needs values to choose from")
      }
      return arguments.positional[index0 % arguments.positional.count]
    }
  }

  private var changed: JinjaFunction {
    JinjaFunction("loop.changed", of: .loop(self)) {
      [self] interpreter, arguments throws(JinjaFault) in
      let values = arguments.positional
      if let last {
        let (before, now) = (JinjaValue.list(last), JinjaValue.list(values))
        try interpreter.stepComparing(before, now)
        if try before.equals(now) { return .bool(false) }
      } else {
        interpreter.keep(self)
      }
      last = values
      return .bool(true)
    }
  }
}
