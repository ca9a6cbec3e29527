import Grammars
import JSON
import SystemFiles

/// What is wrong with a rule; one sentence without a full stop, and what to do.
struct RuleDefect: Error {
  let text: ErrorText
  init(_ text: ErrorText) { self.text = text }
}

extension AnswerRule {
  static let names = [
    "exact", "oneOf", "verbatim", "contains", "excludes", "some", "names", "json", "pattern",
    "sentences", "words", "lines", "ends", "choice", "calls", "speakers", "unrepeated", "unknown",
    "tags", "all", "any",
  ]

  /// Reads a rule.
  init(_ value: JSONValue) throws(RuleDefect) {
    guard let object = value.object, !object.isEmpty else {
      let problem = value.object == nil ? "is \(value.kind)" : "has no check"
      throw RuleDefect("the rule \(problem)\(remedy: "give an object with a check")")
    }
    var checks: [Check] = []
    for member in object.members {
      checks.append(try CheckReader(name: member.key, value: member.value).check())
    }
    self.init(checks: checks)
  }
}

/// Reads one check of a rule; checks that every answer keeps, or none, are refused.
private struct CheckReader {
  let name: String
  let value: JSONValue

  func check() throws(RuleDefect) -> AnswerRule.Check {
    switch name {
    case "exact": return .oneOf([try filled(expected("a text", value.text))])
    case "oneOf": return .oneOf(try texts("a list of texts", \.text))
    case "verbatim":
      return .verbatim(PlainText.trimmed(try filled(expected("a text", value.string))))
    case "contains", "names": return .contains(try phrases(value, "a list of phrases"))
    case "excludes": return .excludes(try phrases(value, "a list of phrases"))
    case "some": return try some()
    case "json": return .json(value)
    case "pattern": return try pattern()
    case "sentences": return .sentences(try range())
    case "words": return .words(try range())
    case "lines": return .lines(try range())
    case "ends":
      return .ends(try checked(expected("a phrase or a list of them", value.phrases)))
    case "choice": return try choice()
    case "calls": return .calls(.array(try expected("a list of calls", value.array)))
    case "speakers": return .speakers(try texts("a list of names", \.string))
    case "unrepeated", "unknown":
      guard value == .bool(true) else { return try expected("true", nil) }
      return name == "unknown" ? .unknown : .unrepeated
    case "tags": return .tags(try expected("a list of texts", value.array?.map(\.string).whole()))
    case "all": return .all(try rules())
    case "any": return .any(try rules())
    default:
      let meant = Suggestion.nearest(to: name, among: AnswerRule.names).map {
        "did you mean '\($0)'? "
      }
      let known = "these are: " + AnswerRule.names.joined(separator: ", ")
      throw RuleDefect("'\(name)' is no check\(remedy: (meant ?? "") + known)")
    }
  }

  private func expected<T>(_ kind: String, _ found: T?) throws(RuleDefect) -> T {
    if let found { return found }
    throw RuleDefect("the check '\(name)' has \(value.kind), where \(kind) has to be")
  }

  private func filled(_ text: String) throws(RuleDefect) -> String {
    guard text.isBlank else { return text }
    throw RuleDefect("the check '\(name)' has an empty text\(remedy: "write what is meant")")
  }

  /// A list that is not empty.
  private func filled<T>(_ list: [T]) throws(RuleDefect) -> [T] {
    guard list.isEmpty else { return list }
    throw RuleDefect(
      "the check '\(name)' has an empty list\(remedy: "fill it, or remove the check")")
  }

  private func texts(
    _ kind: String, _ text: (JSONValue) -> String?
  ) throws(RuleDefect) -> [String] {
    try checked(expected(kind, value.array?.map(text).whole()))
  }

  private func checked(_ texts: [String]) throws(RuleDefect) -> [String] {
    for text in try filled(texts) { _ = try filled(text) }
    return texts
  }

  private func phrases(_ value: JSONValue?, _ kind: String) throws(RuleDefect) -> [[String]] {
    let phrases = try filled(expected(kind, value?.array?.map(\.phrases).whole()))
    for either in phrases { _ = try checked(either) }
    return phrases
  }

  private func some() throws(RuleDefect) -> AnswerRule.Check {
    try checkKeys(["of", "min"])
    let kind = "an object with of and min"
    let phrases = try phrases(value.object?["of"], kind)
    let minimum = try expected(kind, value.object?["min"]?.integer)
    guard 1...phrases.count ~= minimum else {
      let count = Figures.count(phrases.count, "phrase")
      throw RuleDefect(
        "the check 'some' wants \(minimum) of \(count)\(remedy: "give a min from 1 to \(phrases.count)")"
      )
    }
    return .some(phrases, minimum: minimum)
  }

  private func pattern() throws(RuleDefect) -> AnswerRule.Check {
    let pattern = try filled(expected("a regular expression", value.string))
    do throws(PatternDefect) { _ = try Pattern(pattern, ignoresCase: true) } catch {
      throw RuleDefect("the pattern '\(String(pattern.prefix(60)))' \(error)")
    }
    return .pattern(pattern)
  }

  private func range() throws(RuleDefect) -> ClosedRange<Int> {
    let bounds = try expected("[least, most]", value.array?.map(\.integer).whole())
    guard bounds.count == 2, 0 <= bounds[0], bounds[0] <= bounds[1] else {
      throw RuleDefect(
        "the check '\(name)' has \(String(value.line.prefix(60)))\(remedy: "give [least, most], from 0 and the smaller one first")"
      )
    }
    return bounds[0]...bounds[1]
  }

  private func choice() throws(RuleDefect) -> AnswerRule.Check {
    try checkKeys(["right", "wrong"])
    let kind = "an object with right and wrong"
    let right = try checked(expected(kind, value.object?["right"]?.phrases))
    let wrong = try expected(kind, value.object?["wrong"]?.array?.map(\.phrases).whole())
    for either in wrong { _ = try checked(either) }
    return .choice(right: right, wrong: wrong)
  }

  private func rules() throws(RuleDefect) -> [AnswerRule] {
    var rules: [AnswerRule] = []
    for value in try filled(expected("a list of rules", value.array)) {
      rules.append(try AnswerRule(value))
    }
    return rules
  }

  private func checkKeys(_ known: [String]) throws(RuleDefect) {
    guard let other = value.object?.keys.first(where: { !known.contains($0) }) else { return }
    throw RuleDefect(
      "the check '\(name)' has '\(String(other.prefix(40)))', which nothing reads"
        + "\(remedy: "give \(known.joined(separator: " and ")) alone")")
  }
}

extension JSONValue {
  /// A phrase, or all of a list of them.
  fileprivate var phrases: [String]? {
    guard let list = array else { return text.map { [$0] } }
    return list.map(\.phrases).whole()?.flatMap(\.self)
  }
}

extension Array {
  /// All elements, where none is missing.
  fileprivate func whole<Value>() -> [Value]? where Element == Value? {
    let found = compactMap(\.self)
    return found.count == count ? found : nil
  }
}
