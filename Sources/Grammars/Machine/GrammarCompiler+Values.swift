extension GrammarCompiler {
  mutating func textRoutine() throws(GrammarDefect) -> Int32 {
    if let text { return text }
    let routine = newRoutine()
    text = routine
    let loop = try add(.leave)
    let end = try literal([UInt8(ascii: "\"")], then: try add(.leave))
    let places = try scalars(JSONText.plain, then: loop) + [end, try escape(then: loop)]
    program.instructions[Int(loop)] = .split(places)
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
    let object = try add(.call(routine: try anyObjectRoutine(routine), next: leave))
    program.routines[Int(routine)] = try add(
      .split(
        leaf + [
          try add(.room(levels: 2, next: list)), try add(.room(levels: 2, next: object)),
        ]))
    return routine
  }

  mutating func anyObjectRoutine(_ value: Int32) throws(GrammarDefect) -> Int32 {
    let routine = newRoutine()
    let end = try literal([UInt8(ascii: "}")], then: try add(.leave))
    let step = try add(.leave)
    let content = try literal(
      Array(": ".utf8), then: try add(.call(routine: value, next: step)))
    let member = try add(.call(routine: try textRoutine(), next: content))
    let further = try literal(Array(", ".utf8), then: member)
    program.instructions[Int(step)] = .element(
      GrammarProgram.ListStep(
        minimum: 0, maximum: nil, levels: 2, first: member, further: further, end: end))
    program.routines[Int(routine)] = try literal(
      [UInt8(ascii: "{")], then: try add(.open(next: step)))
    return routine
  }
}
