// What has parts: objects, lists and the like.
extension GrammarCompiler {
  /// Where the rest of an object starts.
  private struct Rest {
    /// If nothing has come before.
    let first: Place
    /// If a comma comes before what is next.
    let further: Place
  }

  /// An object from its end to its start: for each property, and each number of optional ones before it that makes a
  /// difference, where the rest starts.
  mutating func object(
    _ properties: [Grammar.Property], _ minimum: Int, _ maximum: Int?, then next: Place
  ) throws(GrammarDefect) -> Place {
    let end = try literal([UInt8(ascii: "}")], then: next)
    let optional = properties.filter(\.isOptional)
    let required = properties.count - optional.count
    let least = max(0, minimum - required)
    let most = maximum.map { $0 - required }.flatMap { $0 < optional.count ? $0 : nil }
    let counts = 0...max(least, most ?? 0)
    // Too few may have come for the object to end.
    var rests = counts.map { $0 < least ? nil : Rest(first: end, further: end) }
    var behind: [Grammar.Rule] = []
    for property in properties.reversed() {
      let needed = levels.needed(by: property.rule)
      if needed == GrammarLevels.endless { continue }
      // Behind an optional one at least one has come.
      let isFirst = property.isOptional && counts.upperBound > 0
      let starts = try named(property, before: isFirst ? [nil] + rests.dropFirst() : rests)
      guard property.isOptional else {
        rests = starts
        continue
      }
      for count in counts {
        let left = levels.neededByLeast(least - count, of: behind)
        let taken = count < most ?? .max ? starts[min(count + 1, counts.upperBound)] : nil
        rests[count] = try either(taken, needed, or: rests[count], left)
      }
      behind.append(property.rule)
    }
    guard let start = rests[0] else { throw .endless }
    return try literal([UInt8(ascii: "{")], then: start.first)
  }

  /// Where a property starts behind which each of `rests` follows.
  private mutating func named(
    _ property: Grammar.Property, before rests: [Rest?]
  ) throws(GrammarDefect) -> [Rest?] {
    // Copies would multiply with those inside of them.
    let shared = try rests.count { $0 != nil } > 1 ? routine(property) : nil
    var starts: [Rest?] = []
    for rest in rests {
      guard let rest else {
        starts.append(nil)
        continue
      }
      let named: Place
      if let shared {
        named = try add(.call(routine: shared, next: rest.further, levels: 0))
      } else {
        named = try compile(property, then: rest.further)
      }
      starts.append(
        Rest(first: named, further: try literal(Array(", ".utf8), then: named)))
    }
    return starts
  }

  /// The key and the value of a property.
  private mutating func compile(
    _ property: Grammar.Property, then next: Place
  ) throws(GrammarDefect) -> Place {
    let key = JSONText.quoted(property.name) + Array(": ".utf8)
    return try literal(key, then: try compile(property.rule, then: next))
  }

  /// The same as a routine.
  private mutating func routine(_ property: Grammar.Property) throws(GrammarDefect) -> Int32 {
    let routine = newRoutine()
    program.routines[Int(routine)] = try compile(property, then: try add(.leave))
    return routine
  }

  /// An optional property that needs so many levels, or what follows if it is left out.
  private mutating func either(
    _ taken: Rest?, _ needed: Int32, or left: Rest?, _ rest: Int32
  ) throws(GrammarDefect) -> Rest? {
    guard let taken else { return left }
    guard let left else { return taken }
    func choice(_ taken: Place, _ left: Place) throws(GrammarDefect) -> Place {
      let next = rest > 0 ? try add(.room(levels: rest, next: left)) : left
      return try add(.split([try add(.room(levels: needed, next: taken)), next]))
    }
    return Rest(
      first: try choice(taken.first, left.first), further: try choice(taken.further, left.further))
  }

  /// Elements with a form each, behind which others may come.
  mutating func tuple(
    _ first: [Grammar.Rule], _ others: Grammar.Rule, _ minimum: Int, _ maximum: Int?,
    then next: Place
  ) throws(GrammarDefect) -> Place {
    guard !first.isEmpty else { return try list(others, minimum, maximum, then: next) }
    let (comma, bracket) = (Array(", ".utf8), Array("]".utf8))
    let end = try literal(bracket, then: next)
    var place = end
    if first.count < maximum ?? .max {
      place = try counted(
        max(0, minimum - first.count), maximum.map { $0 - first.count }, between: ([], bracket),
        [], levels: levels.needed(by: others), then: next
      ) { compiler, step throws(GrammarDefect) in
        try compiler.literal(comma, then: try compiler.compile(others, then: step))
      }
    }
    for (index, rule) in first.enumerated().reversed() where index < maximum ?? .max {
      let needed = levels.needed(by: rule)
      guard needed != GrammarLevels.endless else {
        place = end
        continue
      }
      let element = try compile(rule, then: place)
      place = index == 0 ? element : try literal(comma, then: element)
      if index >= minimum {
        place = try add(.split([add(.room(levels: needed, next: place)), end]))
      }
    }
    return try literal(Array("[".utf8), then: place)
  }

  mutating func list(
    _ element: Grammar.Rule, _ minimum: Int, _ maximum: Int?, then next: Place
  ) throws(GrammarDefect) -> Place {
    try counted(
      minimum, maximum, between: (Array("[".utf8), Array("]".utf8)), Array(", ".utf8),
      levels: levels.needed(by: element), then: next
    ) { compiler, step throws(GrammarDefect) in try compiler.compile(element, then: step) }
  }

  mutating func dictionary(
    _ value: Grammar.Rule, _ minimum: Int = 0, _ maximum: Int? = nil, then next: Place
  ) throws(GrammarDefect) -> Place {
    let needed = max(levels.needed(by: value), levels.needed(by: .text))
    return try counted(
      minimum, maximum, between: (Array("{".utf8), Array("}".utf8)), Array(", ".utf8),
      levels: needed,
      then: next
    ) { compiler, step throws(GrammarDefect) in
      let value = try compiler.compile(value, then: step)
      let content = try compiler.literal(Array(": ".utf8), then: value)
      return try compiler.compile(.text, then: content)
    }
  }

  /// Parts between brackets, as many as the bounds allow, with `separator` between them.
  mutating func counted(
    _ minimum: Int, _ maximum: Int?, between brackets: ([UInt8], [UInt8]),
    _ separator: [UInt8], levels: Int32, then next: Place,
    part: (inout GrammarCompiler, Place) throws(GrammarDefect) -> Place
  ) throws(GrammarDefect) -> Place {
    let end = try literal(brackets.1, then: next)
    guard levels != GrammarLevels.endless, maximum != 0 else {
      return try literal(brackets.0, then: end)
    }
    let step = try add(.leave)
    let first = try part(&self, step)
    let further = try literal(separator, then: first)
    let limit = Int(Int32.max)
    program.instructions[Int(step)] = .element(
      GrammarProgram.ListStep(
        minimum: Int32(min(minimum, limit)), maximum: maximum.map { Int32(min($0, limit)) },
        levels: levels, first: first, further: further, end: end))
    return try literal(brackets.0, then: try add(.open(next: step)))
  }
}
