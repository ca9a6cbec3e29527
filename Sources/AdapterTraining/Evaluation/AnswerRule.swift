import Grammars
public import JSON

/// What an answer has to be like: checks that all hold, as a line of a file of prompts has them under `rule`.
///
/// An empty answer keeps no rule. Phrases are whole words in any case; `sail*` is also the start of a longer one, and a list where one phrase
/// may stand means any of them.
///
/// | Check | The answer |
/// |---|---|
/// | `exact`, `oneOf` | is this text, or one of these, whatever its case, blanks, quotes and the marks around it |
/// | `verbatim` | is this text to the letter |
/// | `contains`, `names`, `excludes` | has all, or none, of these phrases |
/// | `some` | has at least `min` of the phrases `of` |
/// | `json` | is a JSON object with these keys, no others, and these values; 7 and "7" are the same, and `{"oneOf": [...]}` allows several |
/// | `pattern` | matches this regular expression somewhere, in any case |
/// | `sentences`, `words`, `lines` | has so many of them, least and most |
/// | `ends` | has this phrase, or one of these, in its last sentence |
/// | `choice` | has the `right` alternative and none of the `wrong` ones, unless it denies them |
/// | `calls` | makes these calls of tools, in this order, and no others |
/// | `speakers` | has a line `Name: ...` of each of these |
/// | `unrepeated` | has no sentence twice and no word three times in a row |
/// | `unknown` | says in some way that it does not or cannot know |
/// | `tags` | is `{"tags": [...]}` with just these, in any order |
/// | `all`, `any` | keeps all, or one, of these rules |
public struct AnswerRule: Sendable, Equatable {
  indirect enum Check: Sendable, Equatable {
    case oneOf([String])
    case verbatim(String)
    case contains([[String]])
    case excludes([[String]])
    case some([[String]], minimum: Int)
    case json(JSONValue)
    case pattern(String)
    case sentences(ClosedRange<Int>)
    case words(ClosedRange<Int>)
    case lines(ClosedRange<Int>)
    case ends([String])
    case choice(right: [String], wrong: [[String]])
    case calls(JSONValue)
    case speakers([String])
    case unrepeated
    case unknown
    case tags([String])
    case play(names: [String], place: String, thing: String)
    case all([AnswerRule])
    case any([AnswerRule])
  }

  let checks: [Check]

  init(checks: [Check]) { self.checks = checks }

  /// The rule that `json` is, an object of checks.
  ///
  /// - Throws: `EvaluationError.rule`.
  public init(json: JSONValue) throws(EvaluationError) {
    do throws(RuleDefect) { try self.init(json) } catch { throw .rule(error.text) }
  }

  /// Whether `answer` keeps the rule.
  public func isKept(by answer: String) -> Bool {
    !PlainText.trimmed(answer).isEmpty && checks.allSatisfy { $0.holds(for: answer) }
  }

  /// What an answer achieves by name, where a check knows more than whether it holds.
  func parts(of answer: String) -> [(name: String, holds: Bool)] {
    checks.flatMap { check -> [(String, Bool)] in
      switch check {
      case .tags(let tags):
        let given = JSONAnswer.tags(answer)
        let oneRight = given.map { Set($0) == Set(tags) || !Set($0).isDisjoint(with: tags) }
        return [("validJSON", given != nil), ("oneRight", oneRight ?? false)]
      case .play(let names, let place, let thing):
        let play = Play(answer)
        return [
          ("wellFormed", play?.isWellFormed ?? false),
          ("namesSpeak", play?.speaks(names) ?? false),
          ("place", Play.mentions(place, answer)), ("thing", Play.mentions(thing, answer)),
        ]
      default: return []
      }
    }
  }
}

extension AnswerRule.Check {
  fileprivate func holds(for text: String) -> Bool {
    switch self {
    case .oneOf(let texts):
      let normal = PlainText.normal(text)
      return texts.contains { PlainText.normal($0) == normal }
    case .verbatim(let wanted):
      return wanted.unicodeScalars.elementsEqual(PlainText.trimmed(text).unicodeScalars)
    case .contains(let phrases): return phrases.allSatisfy { Self.occurs($0, text) }
    case .excludes(let phrases): return !phrases.contains { Self.occurs($0, text) }
    case .some(let phrases, let minimum):
      return phrases.count { Self.occurs($0, text) } >= minimum
    case .json(let wanted): return JSONAnswer.parsed(text).map { wanted.isMet(by: $0) } ?? false
    case .pattern(let pattern): return Self.matches(pattern, PlainText.searched(text))
    case .sentences(let range): return range.contains(PlainText.sentences(text).count)
    case .words(let range): return range.contains(PlainText.words(text))
    case .lines(let range): return range.contains(PlainText.lines(text))
    case .ends(let phrases):
      return PlainText.sentences(text).last.map { Self.occurs(phrases, $0) } ?? false
    case .choice(let right, let wrong): return Self.chooses(right, wrong, text)
    case .calls(let wanted): return JSONAnswer.calls(text).map { wanted.isMet(by: $0) } ?? false
    case .speakers(let names): return Self.speak(names, text)
    case .unrepeated: return PlainText.isUnrepeated(text)
    case .unknown: return Self.isUnknown(text)
    case .tags(let tags): return JSONAnswer.tags(text).map { Set($0) == Set(tags) } ?? false
    case .play(let names, let place, let thing):
      return (Play(text).map { $0.isWellFormed && $0.speaks(names) } ?? false)
        && Play.mentions(place, text) && Play.mentions(thing, text)
    case .all(let rules): return rules.allSatisfy { $0.isKept(by: text) }
    case .any(let rules): return rules.contains { $0.isKept(by: text) }
    }
  }

  private static func occurs(_ phrases: [String], _ text: String) -> Bool {
    let plain = PlainText.plain(text)
    return phrases.contains { PlainText.occurs(PlainText.plain($0), in: plain) }
  }

  /// Whether a regular expression, in any case, is found in `text`.
  static func matches(_ pattern: String, _ text: String) -> Bool {
    (try? Pattern(PlainText.composed(pattern), ignoresCase: true))?
      .occurs(in: PlainText.composed(text)) ?? false
  }

  /// The right alternative occurs and none of the wrong ones does; what is denied or only compared with does not occur.
  private static func chooses(_ right: [String], _ wrong: [[String]], _ text: String) -> Bool {
    let denied = without(right, text, "not|isn't|never")
    guard occurs(right, denied) else { return false }
    return !wrong.contains {
      occurs($0, without($0, text, "not|isn't|never|than|instead of|rather than"))
    }
  }

  /// The text without phrases that are denied or only compared with, as in "not cold", "cold is not" or "than the feather"; `before` are the words
  /// that do so in front of them.
  private static func without(_ phrases: [String], _ text: String, _ before: String) -> String {
    let either = phrases.map { phrase in
      let plain = PlainText.plain(phrase)
      let end = plain.reversed().prefix { $0 == "*" }.count
      return escaped(plain.dropLast(end))
    }.joined(separator: "|")
    let pattern =
      #"\b(?:\#(before))\s+(?:an? |the )?(?:\#(either))\b|\b(?:\#(either)) (?:isn't|(?:is|are|was|were) not)\b"#
    let plain = PlainText.string(PlainText.plain(text))
    guard let expression = try? Regex(pattern) else { return plain }
    return plain.replacing(
      expression.wordBoundaryKind(.simple), with: " ")
  }

  private static func escaped(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    scalars.reduce(into: "") { text, scalar in
      if scalar.isASCII, !scalar.isWord, scalar != " " { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }

  /// Each name begins a line of speech, `Name: ...`.
  private static func speak(_ names: [String], _ text: String) -> Bool {
    let line = /^\W*([\w' ]+?)\W*:\W*\w/.anchorsMatchLineEndings()
    let spoken = PlainText.straight(text).matches(of: line).map {
      PlainText.plain(String($0.output.1))
    }
    return names.allSatisfy { spoken.contains(PlainText.plain($0)) }
  }

  private static func isUnknown(_ text: String) -> Bool {
    matches(
      [
        #"\b(?:not (?:\w+ )?(?:know|sure|certain|able to (?:know|tell|say|see|answer))|(?:do|does|did|could|ca|would)n't (?:\w+ )?"#,
        #"(?:know|tell|say|see|answer|guess|predict|remember)|(?:cannot|can not|could not|unable to) (?:\w+ )?"#,
        #"(?:know|tell|say|see|answer|guess|predict|remember|find)|no idea|no (?:way|means) (?:of|to)|(?:nobody|no one|no-one) (?:can )?"#,
        #"(?:know|tell|say)s?|(?:is|are|was|were|does|did|do|has|have) not (?:been )?"#,
        #"(?:say|said|given|mention|mentioned|state|stated|told|tell|written|known|in the text)|"#,
        #"(?:is|are|was|were|does|did|do)n't (?:say|said|given|mention|mentioned|state|stated|told|tell|written|known)|unknown|"#,
        #"impossible to (?:know|tell|say)|have(?: not|n't) (?:been )?(?:told|heard|met)|"#,
        #"you (?:have not|haven't|did not|didn't) (?:told|tell)|no information|"#,
        #"(?:not|n't) have (?:\w+ ){0,3}(?:information|access))\b"#,
      ].joined(), PlainText.string(PlainText.plain(text)))
  }
}
