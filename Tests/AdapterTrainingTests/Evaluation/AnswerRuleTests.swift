import Foundation
import JSON
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct AnswerRuleTests {
  /// Rules of our own prompts and one of each kind, on answers of all kinds: the verdicts of `tools/training/rules.py`.
  @Test func verdictsAreThoseOfPython() throws {
    let fixture = try EvaluationFixture()
    let answers = fixture.texts("answers")
    let folder = try TemporaryDirectory()
    let lines = fixture.list("lines").map { $0.line + "\n" }
    let set = try EvaluationSet(path: folder.write(lines.joined(), to: "lines.jsonl"))
    let verdicts = fixture.objects("verdicts")
    #expect(set.examples.count == verdicts.count && verdicts.count > 120 && answers.count > 100)
    let scores = try Scores(set.examples)
    let names = ["right": "rule", "valid": "validJSON"]
    var wrong: [String] = []
    for (index, verdict) in verdicts.enumerated() {
      let members = verdict.members.map { (key: $0.key, isKept: Array($0.value.string ?? "")) }
      for (place, answer) in answers.enumerated() {
        var record = AnswerRecord(index: index)
        record.answer = answer
        let found = scores.scores(of: record)
        for member in members {
          let wanted = member.isKept[place] == "1"
          let name = names[member.key] ?? member.key
          let own = found.first { $0.name == name }?.value == 1
          if own != wanted { wrong.append("\(lines[index]) \(name) of \(answer.debugDescription)") }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(8).joined(separator: "\n"))")
  }

  @Test func aRuleIsMadeOfJSON() throws {
    let range = JSONValue.array([.number(JSONNumber(1)), .number(JSONNumber(2))])
    let rule = try AnswerRule(
      json: .object(["contains": .array([.string("tea")]), "words": range]))
    #expect(rule.isKept(by: "Green tea.") && !rule.isKept(by: "A cup of tea"))
    let error = #expect(throws: EvaluationError.self) {
      try AnswerRule(json: .object(["contain": .string("tea")]))
    }
    #expect(error?.localizedDescription == "'contain' is no check")
    #expect(error?.remedy?.hasPrefix("did you mean 'contains'?") == true)
  }

  @Test func textsAreComparedAsInPython() throws {
    let fixture = try EvaluationFixture()
    let phrases = fixture.texts("phrases")
    for object in fixture.objects("texts") {
      let text = object["text"]?.string ?? ""
      let shown = "\(text.debugDescription)"
      func same(_ scalars: PlainText.Scalars, _ key: String) -> Bool {
        scalars.elementsEqual((object[key]?.string ?? "").unicodeScalars)
      }
      #expect(same(PlainText.plain(text), "plain"), "\(shown)")
      #expect(same(PlainText.normal(text), "normal"), "\(shown)")
      let sentences = object["sentences"]?.array?.compactMap(\.string) ?? []
      #expect(PlainText.sentences(text) == sentences, "\(shown)")
      #expect(PlainText.words(text) == object["words"]?.integer, "\(shown)")
      #expect(PlainText.lines(text) == object["lines"]?.integer, "\(shown)")
      #expect(.bool(PlainText.isUnrepeated(text)) == object["unrepeated"], "\(shown)")
      let plain = PlainText.plain(text)
      let found = phrases.filter { PlainText.occurs(PlainText.plain($0), in: plain) }
      #expect(found == object["phrases"]?.array?.compactMap(\.string), "\(shown)")
    }
  }

  /// Every right and wrong answer of the cases that the Python rules are tested by.
  @Test func theCasesOfPythonHold() throws {
    let path = Fixtures.repository.appendingPathComponent("tools/training/rules-cases.json")
    let cases = try JSONDocument(parsing: Array(Data(contentsOf: path))).root.array ?? []
    #expect(cases.count > 20)
    for value in cases {
      let rule = value.object?["rule"] ?? .null
      guard rule.object?.isEmpty == false, value.object?["item"] == nil else { continue }
      let read = try AnswerRule(rule)
      for (key, isRight) in [("right", true), ("wrong", false)] {
        for answer in value.object?[key]?.array?.compactMap(\.string) ?? [] {
          #expect(read.isKept(by: answer) == isRight, "\(rule.line): \(answer)")
        }
      }
    }
  }

  static let refused = [
    ("3", "the rule is an integer"), ("{}", "the rule has no check"),
    (#"{"exakt": "a"}"#, "'exakt' is no check"),
    (#"{"exact": ["a"]}"#, "the check 'exact' has an array, where a text has to be"),
    (#"{"contains": "a"}"#, "the check 'contains' has a string, where a list of phrases has to be"),
    (#"{"words": 3}"#, "the check 'words' has an integer, where [least, most] has to be"),
    (#"{"words": [3, 1]}"#, "the check 'words' has [3, 1]"),
    (#"{"lines": [1]}"#, "the check 'lines' has [1]"),
    (#"{"sentences": [-1, 2]}"#, "the check 'sentences' has [-1, 2]"),
    (#"{"contains": []}"#, "the check 'contains' has an empty list"),
    (#"{"contains": [""]}"#, "the check 'contains' has an empty text"),
    (#"{"contains": [["a", " "]]}"#, "the check 'contains' has an empty text"),
    (#"{"contains": [[]]}"#, "the check 'contains' has an empty list"),
    (#"{"names": []}"#, "the check 'names' has an empty list"),
    (#"{"excludes": []}"#, "the check 'excludes' has an empty list"),
    (#"{"speakers": []}"#, "the check 'speakers' has an empty list"),
    (#"{"ends": []}"#, "the check 'ends' has an empty list"),
    (#"{"oneOf": []}"#, "the check 'oneOf' has an empty list"),
    (#"{"exact": ""}"#, "the check 'exact' has an empty text"),
    (#"{"choice": {"right": "a", "wrong": [""]}}"#, "the check 'choice' has an empty text"),
    (#"{"choice": {"right": "a", "wrong": ["b", []]}}"#, "the check 'choice' has an empty list"),
    (#"{"pattern": ""}"#, "the check 'pattern' has an empty text"),
    (#"{"all": []}"#, "the check 'all' has an empty list"),
    (#"{"any": []}"#, "the check 'any' has an empty list"),
    (#"{"some": {"of": ["a"], "min": 0}}"#, "the check 'some' wants 0 of 1 phrase"),
    (#"{"some": {"of": ["a", "b"], "min": 3}}"#, "the check 'some' wants 3 of 2 phrases"),
    (#"{"pattern": "("}"#, "the pattern '(' has an open parenthesis at 1"),
    (
      #"{"choice": {"right": "a"}}"#,
      "the check 'choice' has an object, where an object with right and wrong has to be"
    ),
    (
      #"{"some": {"of": ["a"], "min": 1, "max": 2}}"#,
      "the check 'some' has 'max', which nothing reads"
    ),
    (
      #"{"choice": {"right": "a", "wrong": [], "write": 1}}"#,
      "the check 'choice' has 'write', which nothing reads"
    ),
    (#"{"unknown": 1}"#, "the check 'unknown' has an integer, where true has to be"),
    (#"{"any": [{"all": [{"x": 1}]}]}"#, "'x' is no check"),
  ]

  @Test func blanksAroundATextDoNotCount() throws {
    let rule = try AnswerRule(.object(["verbatim": .string(" lum.kit=1;\n")]))
    #expect(rule.isKept(by: "lum.kit=1;") && rule.isKept(by: "\tlum.kit=1; "))
    #expect(!rule.isKept(by: "lum.kit=1"))
  }

  @Test func theCheckThatWasMeantIsNamed() throws {
    let error = #expect(throws: RuleDefect.self) {
      try AnswerRule(JSONValue.object(["contain": .array([])]))
    }
    #expect(error?.text.remedy?.hasPrefix("did you mean 'contains'? these are: exact, ") == true)
  }

  /// The page tells every check, and its examples are rules.
  @Test func thePageHasEveryCheck() throws {
    let path = Fixtures.repository.appendingPathComponent(
      "Sources/fmadapter/fmadapter.docc/Measure.md")
    let page = try String(contentsOf: path, encoding: .utf8)
    let rows =
      page.components(separatedBy: "| Check | The answer | Example |\n").last?
      .split(separator: "\n").dropFirst().prefix { $0.hasPrefix("| `") } ?? []
    let cells = rows.map { $0.components(separatedBy: "`") }
    #expect(cells.map { $0[1] }.sorted() == AnswerRule.names.sorted())
    for row in cells {
      let example = try JSONDocument(parsing: Array(row[row.count - 2].utf8)).root
      #expect(example.object?.keys == [row[1]])
      _ = try AnswerRule(example)
    }
  }

  @Test func patternsThatAreTooDeepAreRefused() throws {
    let pattern = String(repeating: "[", count: 4_000)
    let value = JSONValue.object(["pattern": .string(pattern)])
    let error = #expect(throws: RuleDefect.self) { try AnswerRule(value) }
    let start = String(repeating: "[", count: 60)
    #expect(
      error?.text.problem == "the pattern '\(start)' has more than 64 parts inside each other at 63"
    )
  }

  @Test(arguments: refused) func whatIsNoRuleIsRefused(_ rule: String, _ problem: String) throws {
    let value = try JSONDocument(parsing: Array(rule.utf8)).root
    let error = #expect(throws: RuleDefect.self) { try AnswerRule(value) }
    #expect(error?.text.problem == problem)
  }

  static let markup = [
    ("<a/>", true), ("<a><b x='1' y=\"&lt;&#65;\"/>text &amp; more</a>", true),
    ("<?xml version=\"1.0\"?><!-- c --><a><![CDATA[<x>]]><?p i?></a>\n", true),
    ("<a>", false), ("<a></b>", false), ("<a x=1/>", false), ("<a x='1' x='2'/>", false),
    ("<a>&x;</a>", false), ("<a/><b/>", false), ("text", false), ("<a><b></a></b>", false),
    ("<a x='<'/>", false), ("<a>]]></a>", false), ("<1/>", false), ("<a><!-- -- --></a>", false),
    ("<a\u{1}/>", false), ("<a>\u{1}</a>", false), ("", false), ("<a", false),
    ("<a>&#0;</a>", false),
  ]

  /// As Python's ElementTree has it.
  @Test(arguments: markup) func markupIsWellFormedOrNot(_ text: String, _ isWellFormed: Bool) {
    #expect((MarkupElement(text) != nil) == isWellFormed)
  }

  @Test func deepMarkupEnds() {
    #expect(MarkupElement(String(repeating: "<a>", count: 100_000)) == nil)
  }
}
