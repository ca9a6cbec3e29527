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

  /// A regular expression over the characters of a JSON string, each written in one way only.
  mutating func compile(_ node: PatternNode, then next: Place) throws(GrammarDefect) -> Place {
    switch node {
    case .scalar(let set):
      var places = try scalars(set.intersection(JSONText.plain), then: next)
      for range in set.subtracting(JSONText.plain).ranges {
        for value in range {
          guard let scalar = UnicodeScalar(value) else { continue }
          places.append(try literal(JSONText.escaped(scalar), then: next))
        }
      }
      return try add(.split(places))
    case .sequence(let nodes):
      var place = next
      for node in nodes.reversed() { place = try compile(node, then: place) }
      return place
    case .alternatives(let nodes):
      let places = try nodes.map { (node) throws(GrammarDefect) in try compile(node, then: next) }
      return try add(.split(places))
    case .repeated(let node, let minimum, let maximum):
      var place = next
      if let maximum {
        for _ in minimum..<max(minimum, maximum) {
          place = try add(.split([try compile(node, then: place), next]))
        }
      } else {
        place = try add(.leave)
        let body = try compile(node, then: place)
        program.instructions[Int(place)] = .split([body, next])
      }
      for _ in 0..<minimum { place = try compile(node, then: place) }
      return place
    }
  }
}
