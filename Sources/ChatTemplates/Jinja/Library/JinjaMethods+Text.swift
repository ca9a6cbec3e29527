extension JinjaMethods {
  static let textMethods: [String: TextMethod] = [
    "strip": { _, text, arguments throws(JinjaFault) in try strip(text, arguments, true, true) },
    "lstrip": { _, text, arguments throws(JinjaFault) in try strip(text, arguments, true, false) },
    "rstrip": { _, text, arguments throws(JinjaFault) in try strip(text, arguments, false, true) },
    "split": { interpreter, text, arguments throws(JinjaFault) in
      try split(interpreter, text, arguments, fromEnd: false)
    },
    "rsplit": { interpreter, text, arguments throws(JinjaFault) in
      try split(interpreter, text, arguments, fromEnd: true)
    },
    "splitlines": { interpreter, text, arguments throws(JinjaFault) in
      try interpreter.reserve(parts: text.lineCount)
      let keeps = try arguments.bound(to: ["keepends"], of: "splitlines")[0]
      return .list(text.lines(keepsEnds: keeps?.isTrue ?? false).map { .text($0) })
    },
    "partition": { _, text, arguments throws(JinjaFault) in
      try partition(text, arguments, fromEnd: false)
    },
    "rpartition": { _, text, arguments throws(JinjaFault) in
      try partition(text, arguments, fromEnd: true)
    },
    "startswith": { _, text, arguments throws(JinjaFault) in
      try hasAffix(text, arguments, "startswith") { $0.hasPrefix($1) }
    },
    "endswith": { _, text, arguments throws(JinjaFault) in
      try hasAffix(text, arguments, "endswith") { $0.hasSuffix($1) }
    },
    "replace": { interpreter, text, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["old", "new", "count"], required: 2, of: "replace")
      return try replace(
        interpreter, text, textArgument(values[0], "replace"), textArgument(values[1], "replace"),
        values[2])
    },
    "join": { interpreter, text, arguments throws(JinjaFault) in
      let items = try arguments.bound(to: ["iterable"], required: 1, of: "join")[0] ?? .none
      var parts: [SourcedText] = []
      for item in try interpreter.values(of: items, for: "joined") {
        parts.append(try textArgument(item, "join"))
      }
      return .text(try join(interpreter, parts, text))
    },
    "upper": { _, text, arguments throws(JinjaFault) in
      try plain(text.uppercased, arguments, "upper")
    },
    "lower": { _, text, arguments throws(JinjaFault) in
      try plain(text.lowercased, arguments, "lower")
    },
    "casefold": { _, text, arguments throws(JinjaFault) in
      guard text.isASCII else { throw .unsupported("the method “casefold” beyond ASCII") }
      return try plain(text.lowercased, arguments, "casefold")
    },
    "title": { _, text, arguments throws(JinjaFault) in try plain(text.titled, arguments, "title")
    },
    "capitalize": { _, text, arguments throws(JinjaFault) in
      try plain(text.capitalized, arguments, "capitalize")
    },
    "swapcase": { _, text, arguments throws(JinjaFault) in
      try plain(text.swapped, arguments, "swapcase")
    },
    "isalpha": { _, text, _ in .bool(text.isAlphabetic) },
    "isalnum": { _, text, _ in .bool(text.isAlphanumeric) },
    "isascii": { _, text, _ in .bool(text.isASCII) },
    "isdecimal": { _, text, _ in .bool(text.isDecimal) },
    "isdigit": { _, text, _ in .bool(text.isDigit) },
    "isnumeric": { _, text, _ in .bool(text.isNumeric) },
    "isspace": { _, text, _ in .bool(text.isSpace) },
    "islower": { _, text, _ in .bool(text.isLower) },
    "isupper": { _, text, _ in .bool(text.isUpper) },
    "istitle": { _, text, _ in .bool(text.isTitle) },
    "find": { _, text, arguments throws(JinjaFault) in
      .integer(try find(text, arguments, "find", fromEnd: false) ?? -1)
    },
    "rfind": { _, text, arguments throws(JinjaFault) in
      .integer(try find(text, arguments, "rfind", fromEnd: true) ?? -1)
    },
    "index": { _, text, arguments throws(JinjaFault) in
      try index(find(text, arguments, "index", fromEnd: false))
    },
    "rindex": { _, text, arguments throws(JinjaFault) in
      try index(find(text, arguments, "rindex", fromEnd: true))
    },
    "count": { _, text, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["sub", "start", "end"], required: 1, of: "count")
      let (part, _) = try bounded(text, values)
      let needle = try textArgument(values[0], "count")
      return .integer(needle.isEmpty ? part.count + 1 : part.occurrences(of: needle).count)
    },
    "removeprefix": { _, text, arguments throws(JinjaFault) in
      let prefix = try textArgument(
        arguments.bound(to: ["prefix"], required: 1, of: "removeprefix")[0], "removeprefix")
      return .text(text.hasPrefix(prefix) ? text[prefix.bytes.count..<text.bytes.count] : text)
    },
    "removesuffix": { _, text, arguments throws(JinjaFault) in
      let suffix = try textArgument(
        arguments.bound(to: ["suffix"], required: 1, of: "removesuffix")[0], "removesuffix")
      return .text(
        text.hasSuffix(suffix) ? text[0..<(text.bytes.count - suffix.bytes.count)] : text)
    },
    "ljust": { interpreter, text, arguments throws(JinjaFault) in
      try pad(interpreter, text, arguments, "ljust") { _ in 0 }
    },
    "rjust": { interpreter, text, arguments throws(JinjaFault) in
      try pad(interpreter, text, arguments, "rjust") { $0 }
    },
    "center": { interpreter, text, arguments throws(JinjaFault) in
      try pad(interpreter, text, arguments, "center", left: nil)
    },
    "zfill": { interpreter, text, arguments throws(JinjaFault) in
      let width = try arguments.bound(to: ["width"], required: 1, of: "zfill")[0]?.integer ?? 0
      let missing = max(0, max(width, 0) - text.count)
      try interpreter.reserve(missing)
      let isSigned = [UInt8(ascii: "-"), UInt8(ascii: "+")].contains(text.bytes.first)
      var result = text[0..<(isSigned ? 1 : 0)]
      result.append(String(repeating: "0", count: missing), .template)
      result.append(text[(isSigned ? 1 : 0)..<text.bytes.count])
      return .text(result)
    },
    "format": { interpreter, text, arguments throws(JinjaFault) in
      .text(try BraceFormat(text, interpreter).text(arguments))
    },
  ]

  private static func plain(
    _ text: SourcedText, _ arguments: JinjaArguments, _ name: String
  ) throws(JinjaFault) -> JinjaValue {
    try arguments.expectNone(of: name)
    return .text(text)
  }

  /// A text that has to be one.
  static func textArgument(
    _ value: JinjaValue?, _ function: String
  ) throws(JinjaFault) -> SourcedText {
    try value?.used()
    guard let text = value?.sourced else {
      throw .wrongType("\(function) takes texts, not a \(value?.typeName ?? "NoneType")")
    }
    return text
  }

  private static func integerArgument(
    _ value: JinjaValue?, _ function: String
  ) throws(JinjaFault) -> Int? {
    guard let value else { return nil }
    try value.used()
    guard let number = value.integer else {
      throw .wrongType("\(function) takes an integer, not a \(value.typeName)")
    }
    return number
  }

  static func strip(
    _ text: SourcedText, _ arguments: JinjaArguments, _ left: Bool, _ right: Bool
  ) throws(JinjaFault) -> JinjaValue {
    guard let characters = try arguments.bound(to: ["chars"], of: "strip")[0], !characters.isNone
    else { return .text(text.trimmed(left: left, right: right)) }
    let set = Set(try textArgument(characters, "strip").scalars.map(\.scalar))
    return .text(text.trimmed(left: left, right: right) { set.contains($0) })
  }

  private static func split(
    _ interpreter: Interpreter, _ text: SourcedText, _ arguments: JinjaArguments, fromEnd: Bool
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["sep", "maxsplit"], of: "split")
    let given = try integerArgument(values[1], "split") ?? -1
    let limit = given < 0 ? Int.max : given
    guard let value = values[0], !value.isNone else {
      try interpreter.reserve(parts: text.wordCount)
      let words = fromEnd ? text.wordsFromEnd(limit: limit) : text.words(limit: limit)
      return .list(words.map { .text($0) })
    }
    let separator = try textArgument(value, "split")
    guard !separator.isEmpty else { throw .wrongValue("split has an empty separator") }
    let most = min(limit, interpreter.partsLeft)
    let places =
      fromEnd
      ? text.occurrencesFromEnd(of: separator, limit: most)
      : text.occurrences(of: separator, limit: most)
    try interpreter.reserve(parts: places.count + 1)
    return .list(text.parts(at: places, of: separator).map { .text($0) })
  }

  private static func partition(
    _ text: SourcedText, _ arguments: JinjaArguments, fromEnd: Bool
  ) throws(JinjaFault) -> JinjaValue {
    let separator = try textArgument(
      arguments.bound(to: ["sep"], required: 1, of: "partition")[0], "partition")
    guard !separator.isEmpty else { throw .wrongValue("partition has an empty separator") }
    let places =
      fromEnd
      ? text.occurrencesFromEnd(of: separator, limit: 1) : text.occurrences(of: separator, limit: 1)
    guard let place = places.first else {
      let nothing = JinjaValue.string("")
      return .tuple(fromEnd ? [nothing, nothing, .text(text)] : [.text(text), nothing, nothing])
    }
    let end = place + separator.bytes.count
    return .tuple([
      .text(text[0..<place]), .text(text[place..<end]), .text(text[end..<text.bytes.count]),
    ])
  }

  private static func hasAffix(
    _ text: SourcedText, _ arguments: JinjaArguments, _ name: String,
    _ holds: (SourcedText, SourcedText) -> Bool
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["affix", "start", "end"], required: 1, of: name)
    let (part, start) = try bounded(text, values)
    guard start <= text.bytes.count else { return .bool(false) }
    if case .tuple(let affixes)? = values[0] {
      for affix in affixes where holds(part, try textArgument(affix, name)) { return .bool(true) }
      return .bool(false)
    }
    return .bool(holds(part, try textArgument(values[0], name)))
  }

  /// The part of a text between the second and third argument, and its first byte.
  private static func bounded(
    _ text: SourcedText, _ values: [JinjaValue?]
  ) throws(JinjaFault) -> (part: SourcedText, start: Int) {
    func given(_ value: JinjaValue?) throws(JinjaFault) -> Int? {
      if let value, value.isNone { return nil }
      return try integerArgument(value, "the method")
    }
    let (first, last) = (try given(values[1]), try given(values[2]))
    guard first != nil || last != nil else { return (text, 0) }
    let count = text.count
    func clamped(_ bound: Int) -> Int { bound < 0 ? max(0, max(bound, -count) + count) : bound }
    let start = clamped(first ?? 0)
    let end = min(clamped(last ?? count), count)
    guard start <= count else { return (SourcedText(), .max) }
    let offset = text.offset(ofScalar: start)
    guard start < end else { return (SourcedText(), offset) }
    return (text[offset..<text.offset(ofScalar: end)], offset)
  }

  /// Index of the scalar where something is found.
  private static func find(
    _ text: SourcedText, _ arguments: JinjaArguments, _ name: String, fromEnd: Bool
  ) throws(JinjaFault) -> Int? {
    let values = try arguments.bound(to: ["sub", "start", "end"], required: 1, of: name)
    let (part, start) = try bounded(text, values)
    let needle = try textArgument(values[0], name)
    guard start <= text.bytes.count else { return nil }
    let before = text[0..<start].count
    if needle.isEmpty { return before + (fromEnd ? part.count : 0) }
    let places =
      fromEnd
      ? part.occurrencesFromEnd(of: needle, limit: 1) : part.occurrences(of: needle, limit: 1)
    return places.first.map { before + part[0..<$0].count }
  }

  private static func index(_ found: Int?) throws(JinjaFault) -> JinjaValue {
    guard let found else { throw .wrongValue("a text is not found in another") }
    return .integer(found)
  }

  /// The text with as many characters more as `width` asks for; `left` says how many stand before it.
  private static func pad(
    _ interpreter: Interpreter, _ text: SourcedText, _ arguments: JinjaArguments, _ name: String,
    left: ((Int) -> Int)?
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["width", "fillchar"], required: 1, of: name)
    let width = try integerArgument(values[0], name) ?? 0
    let fill =
      try values[1].map { value throws(JinjaFault) in try textArgument(value, name) }
      ?? SourcedText(" ", .template)
    guard fill.count == 1 else { throw .wrongValue("\(name) fills with one character") }
    let missing = max(0, max(width, 0) - text.count)
    try interpreter.reserve(fill.bytes.count, times: missing)
    // Python's center puts the odd one left when the width is odd.
    try interpreter.step(missing / 8)
    let left = left?(missing) ?? missing / 2 + (missing & width & 1)
    var result = SourcedText()
    for _ in 0..<left { result.append(fill) }
    result.append(text)
    for _ in 0..<(missing - left) { result.append(fill) }
    return .text(result)
  }

  /// `text` with `new` for `old`, `count` times at most.
  static func replace(
    _ interpreter: Interpreter, _ text: SourcedText, _ old: SourcedText, _ new: SourcedText,
    _ count: JinjaValue?
  ) throws(JinjaFault) -> JinjaValue {
    let given = count.flatMap { $0.isNone ? nil : $0 }
    let number = try integerArgument(given, "replace") ?? -1
    let limit = number < 0 ? Int.max : number
    let places = old.isEmpty ? text.count + 1 : text.occurrences(of: old, limit: limit).count
    try interpreter.reserve(new.bytes.count, times: min(places, limit))
    try interpreter.step(min(places, limit) / 8)
    return .text(text.replacing(old, with: new, limit: limit))
  }

  static func join(
    _ interpreter: Interpreter, _ parts: [SourcedText], _ separator: SourcedText
  ) throws(JinjaFault) -> SourcedText {
    try interpreter.step(parts.count / 8)
    try interpreter.reserve(separator.bytes.count, times: parts.count)
    for part in parts { try interpreter.reserve(part.bytes.count) }
    return SourcedText.joining(parts, with: separator)
  }
}
