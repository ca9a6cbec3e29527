import Adapters

/// An object of a JSON Schema; notes which of its keywords have been read, as a limit that nobody has read is not kept.
struct SchemaPart {
  /// The pointer to it.
  let place: String
  private let object: JSONObject
  private var read: Set<String> = []

  /// Keywords that limit no value.
  private static let annotations: Set = [
    "title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly",
    "$schema", "$id", "id", "$anchor", "$comment", "$defs", "definitions", "format",
    "contentEncoding", "contentMediaType",
  ]

  init(_ object: JSONObject, at place: String) { (self.object, self.place) = (object, place) }

  var keys: [String] { object.keys }

  /// - Throws: `.unsupportedKeyword` for the first keyword that limits values and that nobody has read.
  func expectNoMore() throws(GrammarDefect) {
    let rest = object.keys.first { !read.contains($0) && !Self.annotations.contains($0) }
    if let rest { throw unsupported(rest) }
  }

  func unsupported(_ key: String) -> GrammarDefect {
    .schema(.unsupportedKeyword(key), place: place)
  }

  /// What a keyword says, of whatever kind.
  mutating func value(_ key: String) -> JSONValue? {
    read.insert(key)
    return object[key]
  }

  private mutating func value<Value>(
    _ key: String, _ expected: String, _ convert: (JSONValue) -> Value?
  ) throws(GrammarDefect) -> Value? {
    guard let json = value(key) else { return nil }
    guard let value = convert(json) else {
      throw .schema(.wrongKind(json.line, expected: expected), place: "\(place)/\(key)")
    }
    return value
  }

  mutating func string(_ key: String) throws(GrammarDefect) -> String? {
    try value(key, "a string", \.string)
  }

  mutating func array(_ key: String) throws(GrammarDefect) -> [JSONValue]? {
    try value(key, "a list") { $0.array }
  }

  mutating func object(_ key: String) throws(GrammarDefect) -> JSONObject? {
    try value(key, "an object", \.object)
  }

  mutating func count(_ key: String) throws(GrammarDefect) -> Int? {
    try value(key, "a count") { json in json.integer.flatMap { $0 >= 0 ? $0 : nil } }
  }

  mutating func strings(_ key: String) throws(GrammarDefect) -> [String]? {
    try value(key, "a list of strings") { json in
      let strings = json.array?.compactMap(\.string)
      return strings?.count == json.array?.count ? strings : nil
    }
  }

  private mutating func number(_ key: String) throws(GrammarDefect) -> JSONNumber? {
    try value(key, "a number", \.number)
  }

  /// The names of types, one or several.
  mutating func types() throws(GrammarDefect) -> [String]? {
    if let name = object["type"]?.string {
      read.insert("type")
      return [name]
    }
    return try strings("type")
  }

  /// The values of `enum` or `const`.
  mutating func values() throws(GrammarDefect) -> [JSONValue]? {
    if let value = value("const") { return [value] }
    return try array("enum")
  }
}

extension SchemaPart {
  /// The rule of a text.
  mutating func text() throws(GrammarDefect) -> Grammar.Rule {
    let (minimum, maximum) = (try count("minLength"), try count("maxLength"))
    let format = try string("format").flatMap { Self.formats[$0] }
    let pattern = try string("pattern").map(Self.whole)
    let isSized = minimum ?? 0 > 0 || maximum != nil
    switch (pattern ?? format, isSized) {
    case (nil, false): return .text
    case (nil, true): return .sizedText(minimum: minimum ?? 0, maximum: maximum)
    case (let pattern?, false) where format == nil || format == pattern: return .pattern(pattern)
    // What fits both would have to be found.
    case (_, true): throw unsupported(maximum == nil ? "minLength" : "maxLength")
    default: throw unsupported("format")
    }
  }

  /// Patterns of the formats that are enforced, from RFC 3339, RFC 9562, RFC 5321 without quoting, and RFC 2673.
  private static let formats = {
    let date =
      #"\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))"#
    let time =
      #"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+\-](?:[01]\d|2[0-3]):[0-5]\d)"#
    let word = #"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?"#
    let byte = #"(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])"#
    return [
      "date": date, "time": time, "date-time": date + "T" + time,
      "uuid": #"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"#,
      "email": #"[A-Za-z0-9_+\-]{1,20}(?:\.[A-Za-z0-9_+\-]{1,20}){0,2}@(?:"# + word
        + #"\.){1,3}[A-Za-z]{2,10}"#,
      "ipv4": byte + #"(?:\."# + byte + "){3}",
    ]
  }()

  /// A pattern of whole texts; one of JSON Schema matches anywhere, and anchors belong to alternatives.
  private static func whole(_ pattern: String) -> String {
    let anything = #"(?:.|\n|\t)*"#
    let parts = alternatives(pattern).map { part in
      let slashes = part.dropLast().reversed().prefix { $0 == "\\" }.count
      let (starts, ends) = (part.first == "^", part.last == "$" && slashes.isMultiple(of: 2))
      let middle = String(part.dropFirst(starts ? 1 : 0).dropLast(ends ? 1 : 0))
      return (starts ? "" : anything) + middle + (ends ? "" : anything)
    }
    return parts.count == 1 ? parts[0] : "(?:" + parts.joined(separator: "|") + ")"
  }

  /// The parts of a pattern between the bars that stand in no group or class.
  private static func alternatives(_ pattern: String) -> [[Character]] {
    var (parts, depth, isClass, isEscaped) = ([[Character]()], 0, false, false)
    for character in pattern {
      if character == "|", depth == 0, !isClass, !isEscaped {
        parts.append([])
        continue
      }
      parts[parts.count - 1].append(character)
      guard !isEscaped else {
        isEscaped = false
        continue
      }
      switch character {
      case "\\": isEscaped = true
      case "[": isClass = true
      case "]": isClass = false
      case "(" where !isClass: depth += 1
      case ")" where !isClass: depth -= 1
      default: break
      }
    }
    return parts
  }
}

extension SchemaPart {
  /// The bounds of a number; those that exclude themselves become the next number of as many digits as are generated.
  mutating func bounds(
    isInteger: Bool
  ) throws(GrammarDefect) -> (minimum: JSONNumber?, maximum: JSONNumber?) {
    if let step = try number("multipleOf"), !isInteger || step.double != 1 {
      throw unsupported("multipleOf")
    }
    let minimum = try bound("minimum", "exclusiveMinimum", above: true)
    return (minimum, try bound("maximum", "exclusiveMaximum", above: false))
  }

  private mutating func bound(
    _ key: String, _ exclusiveKey: String, above: Bool
  ) throws(GrammarDefect) -> JSONNumber? {
    let bound = try number(key)
    guard let excluded = try number(exclusiveKey) else { return bound }
    guard let decimal = JSONDecimal(excluded), let next = decimal.neighbour(above: above) else {
      throw unsupported(exclusiveKey)
    }
    guard let bound else { return next }
    guard let first = JSONDecimal(bound), let second = JSONDecimal(next) else { return bound }
    return (above ? first < second : second < first) ? next : bound
  }
}

extension JSONDecimal {
  /// The nearest number above or below with as many digits behind the point as numbers of a grammar have, or one more than
  /// this one has; nil where there would be hundreds.
  fileprivate func neighbour(above: Bool) -> JSONNumber? {
    let fraction = max(NumberRule.usualDigits, digits.count - point)
    guard abs(point) <= 300, fraction <= 300 else { return nil }
    // The digits of the magnitude on a grid with a place in front for a carry.
    let whole = max(point, 1) + 1
    var grid = [UInt8](repeating: 0, count: whole - point) + digits
    grid += [UInt8](repeating: 0, count: whole + fraction - grid.count)
    let grows = isZero || above != isNegative
    for index in grid.indices.reversed() {
      if grows {
        grid[index] = grid[index] == 9 ? 0 : grid[index] + 1
        if grid[index] != 0 { break }
      } else {
        grid[index] = grid[index] == 0 ? 9 : grid[index] - 1
        if grid[index] != 9 { break }
      }
    }
    let text = grid.map(String.init)
    let sign = isZero ? !above : isNegative
    let head = text.prefix(whole).drop { $0 == "0" }.joined()
    return JSONNumber(
      text: (sign ? "-" : "") + (head.isEmpty ? "0" : head) + "."
        + text.suffix(fraction).joined())
  }
}

extension JSONValue {
  /// Whether JSON Schema calls the value so.
  func isOf(type: String) -> Bool {
    switch self {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .number(let number):
      type == "number" || type == "integer" && JSONDecimal(number)?.isInteger ?? false
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}
