extension SchemaPart {
  /// The rule of a text.
  mutating func text() throws(GrammarDefect) -> Grammar.Rule {
    let (minimum, maximum) = (try count("minLength"), try count("maxLength"))
    let format = try string("format").flatMap { Self.formats[$0] }
    let pattern = try pattern()
    switch (pattern, format, minimum ?? 0 > 0 || maximum != nil) {
    case (nil, nil, false): return .text
    case (nil, nil, true): return .sizedText(minimum: minimum ?? 0, maximum: maximum)
    case (nil, let format?, false): return .pattern(format)
    case (let pattern?, nil, false): return .pattern(pattern, anywhere: true)
    // What fits both would have to be found.
    case (_, _, true): throw unsupported(maximum == nil ? "minLength" : "maxLength")
    case (_, _, false): throw unsupported("format")
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

  private mutating func pattern() throws(GrammarDefect) -> String? {
    guard let pattern = try string("pattern") else { return nil }
    do throws(PatternDefect) { _ = try PatternParser.parse(pattern, for: .anywhere) } catch {
      throw .schema(.unsupportedPattern(pattern, part: error.part), place: "\(place)/pattern")
    }
    return pattern
  }
}
