extension SchemaPart {
  /// The rule of a text.
  mutating func text() throws(GrammarDefect) -> Grammar.Rule {
    let (minimum, maximum) = (try count("minLength"), try count("maxLength"))
    let format = try string("format").flatMap { Self.formats[$0] }
    let pattern = try pattern()
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

  /// The pattern of whole texts.
  private mutating func pattern() throws(GrammarDefect) -> String? {
    guard let pattern = try string("pattern") else { return nil }
    let whole = Self.whole(pattern)
    do throws(GrammarDefect) {
      _ = try PatternParser.parse(whole)
    } catch .unsupportedPattern(_, let part, _) {
      // Nobody wrote the whole one, so that no place in it says anything.
      throw .schema(.unsupportedPattern(pattern, part: part), place: "\(place)/pattern")
    }
    return whole
  }

  /// A pattern of whole texts; one of JSON Schema matches anywhere, and anchors belong to alternatives.
  private static func whole(_ pattern: String) -> String {
    // It holds for all of them.
    let flag = "(?i)"
    if pattern.hasPrefix(flag) { return flag + whole(String(pattern.dropFirst(flag.count))) }
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
