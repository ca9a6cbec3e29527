import JSON

extension GrammarCompiler {
  /// These bytes, one after the other.
  mutating func literal(_ bytes: [UInt8], then next: Place) throws(GrammarDefect) -> Place {
    var place = next
    for byte in bytes.reversed() { place = try add(.bytes(byte...byte, next: place)) }
    return place
  }

  /// One of these, none of which is the beginning of another one; common beginnings are shared.
  mutating func literals(
    _ texts: Set<[UInt8]>, then next: Place
  ) throws(GrammarDefect) -> Place {
    guard !texts.isEmpty else { throw .emptyChoice }
    guard texts.count > 1, let shortest = texts.map(\.count).min() else {
      return try literal(texts.first ?? [], then: next)
    }
    var common: [UInt8] = []
    if let any = texts.first {
      let length = (0..<shortest).first { index in texts.contains { $0[index] != any[index] } }
      common = Array(any.prefix(length ?? shortest))
    }
    let groups = Dictionary(grouping: texts.map { $0.dropFirst(common.count) }) { $0.first ?? 0 }
    var places: [Place] = []
    for byte in groups.keys.sorted() {
      places.append(try literals(Set((groups[byte] ?? []).map(Array.init)), then: next))
    }
    return try literal(common, then: try add(.split(places)))
  }

  /// Places for the scalars of `set` in UTF-8.
  mutating func scalars(_ set: CharacterRanges, then next: Place) throws(GrammarDefect) -> [Place] {
    var places: [Place] = []
    for sequence in set.ranges.flatMap(UTF8Ranges.sequences) {
      var place = next
      for range in sequence.reversed() { place = try add(.bytes(range, next: place)) }
      places.append(place)
    }
    return places
  }

  /// A regular expression over characters, each written in one way only: as in a JSON string, or as it is.
  mutating func compile(
    _ pattern: PatternProgram, isQuoted: Bool = true, then next: Place
  ) throws(GrammarDefect) -> Place {
    var places: [Place] = []
    for instruction in pattern.instructions {
      switch instruction {
      case .accept: places.append(next)
      case .take(let set, let next):
        places.append(try characters(set.written, isQuoted, then: places[next]))
      // They may lead to places behind them.
      case .split: places.append(try add(.split([])))
      case .assertion, .look: preconditionFailure("nothing to write has them")
      }
    }
    for (place, instruction) in zip(places, pattern.instructions) {
      guard case .split(let targets) = instruction else { continue }
      program.instructions[Int(place)] = .split(targets.map { places[$0] })
    }
    return places[pattern.start]
  }

  private mutating func characters(
    _ set: CharacterRanges, _ isQuoted: Bool, then next: Place
  ) throws(GrammarDefect) -> Place {
    guard isQuoted else { return try add(.split(scalars(set, then: next))) }
    var places = try scalars(set.intersection(JSONText.plain), then: next)
    for scalar in set.subtracting(JSONText.plain).ranges.joined().compactMap(UnicodeScalar.init) {
      places.append(try literal(JSONText.escaped(scalar), then: next))
    }
    return try add(.split(places))
  }
}

extension GrammarCompiler {
  mutating func textRoutine() throws(GrammarDefect) -> Int32 {
    if let text { return text }
    let routine = newRoutine()
    text = routine
    let loop = try add(.leave)
    let end = try literal([UInt8(ascii: "\"")], then: try add(.leave))
    let plain = try scalars(JSONText.plain, then: loop)
    program.textLoops[plain[0]] = .endless
    program.instructions[Int(loop)] = .split(plain + [end, try escape(then: loop)])
    program.routines[Int(routine)] = try literal([UInt8(ascii: "\"")], then: loop)
    return routine
  }

  /// A backslash and what may follow it; a high surrogate only with a low one behind it.
  mutating func escape(then next: Place) throws(GrammarDefect) -> Place {
    let simple = try Array("\"\\/bfnrt".utf8).map { (byte) throws(GrammarDefect) in
      try literal([byte], then: next)
    }
    let hex = Array("0123456789abcdefABCDEF".utf8)
    let two = try digits([hex, hex], then: next)
    let four = try digits([Array("0123456789abcefABCEF".utf8), hex], then: two)
    let other = try digits([Array("dD".utf8), Array("01234567".utf8)], then: two)
    let low = try digits([Array("dD".utf8), Array("cdefCDEF".utf8)], then: two)
    let pair = try digits([hex, hex], then: try literal(Array("\\u".utf8), then: low))
    let high = try digits([Array("dD".utf8), Array("89abAB".utf8)], then: pair)
    let code = try literal([UInt8(ascii: "u")], then: try add(.split([four, other, high])))
    return try literal([UInt8(ascii: "\\")], then: try add(.split(simple + [code])))
  }

  /// One byte of each set in turn.
  mutating func digits(_ sets: [[UInt8]], then next: Place) throws(GrammarDefect) -> Place {
    var place = next
    for set in sets.reversed() {
      let target = place
      let places = try set.map { (byte) throws(GrammarDefect) in try literal([byte], then: target) }
      place = try add(.split(places))
    }
    return place
  }

  mutating func anythingRoutine() throws(GrammarDefect) -> Int32 {
    if let anything { return anything }
    let routine = newRoutine()
    anything = routine
    let leave = try add(.leave)
    let leaf = try [Grammar.Rule.text, .number(minimum: nil, maximum: nil), .boolean, .null].map {
      (rule) throws(GrammarDefect) in try compile(rule, then: leave)
    }
    let listRoutine = newRoutine()
    program.routines[Int(listRoutine)] = try list(.anything, 0, nil, then: try add(.leave))
    let list = try add(.call(routine: listRoutine, next: leave))
    let objectRoutine = newRoutine()
    program.routines[Int(objectRoutine)] = try dictionary(.anything, then: try add(.leave))
    let object = try add(.call(routine: objectRoutine, next: leave))
    program.routines[Int(routine)] = try add(
      .split(
        leaf + [
          try add(.room(levels: 2, next: list)), try add(.room(levels: 2, next: object)),
        ]))
    return routine
  }
}

/// How characters are written in the strings that a grammar fixes.
enum JSONText {
  /// Scalars that are written as they are.
  static let plain = CharacterRanges.all.subtracting(
    CharacterRanges([0...0x1F, 0x22...0x22, 0x5C...0x5C]))

  /// The string in quotes, with escapes only where they are needed.
  static func quoted(_ string: String) -> [UInt8] { Array(JSONValue.string(string).text.utf8) }

  /// The escape of a scalar that is not plain.
  static func escaped(_ scalar: UnicodeScalar) -> [UInt8] {
    Array(quoted(String(Character(scalar))).dropFirst().dropLast())
  }
}
