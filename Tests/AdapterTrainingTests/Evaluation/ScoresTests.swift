import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct ScoresTests {
  private func examples(_ lines: String...) throws -> [EvaluationExample] {
    let folder = try TemporaryDirectory()
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "valid.jsonl")
    return try EvaluationSet(path: path).examples
  }

  private func record(_ index: Int, _ answer: String) -> AnswerRecord {
    var record = AnswerRecord(index: index)
    record.answer = answer
    return record
  }

  private static func scores(_ scores: Scores, _ record: AnswerRecord) -> [String: Double] {
    Dictionary(uniqueKeysWithValues: scores.scores(of: record).map { ($0.name, $0.value) })
  }

  @Test func answersAreComparedToTheLetterAndOtherwise() throws {
    let scores = try Scores(try examples(#"{"prompt": "p", "completion": "The “Cat”."}"#))
    for (answer, exact, normal) in [
      ("The “Cat”.", 1.0, 1.0), (" The “Cat”.\n", 1, 1), ("the \"cat\"", 0, 1), ("The cat", 0, 0),
      ("The  “Cat” .", 0, 1), ("", 0, 0),
    ] {
      let found = Self.scores(scores, record(0, answer))
      #expect(found == ["exactMatch": exact, "normalizedMatch": normal, "cut": 0], "\(answer)")
    }
  }

  @Test func anyOfSeveralAnswersIsRight() throws {
    let scores = try Scores(
      try examples(
        #"{"prompt": "p", "answer": ["cat", "the cat"]}"#,
        #"{"prompt": "p", "answer": ["{\"a\": 1}", "{\"b\": 2, \"c\": 3}"]}"#,
        #"{"prompt": "p", "answer": ["{\"a\": 1}", "none"]}"#,
        #"{"prompt": "p", "options": ["x", "y", "z"], "answer": ["y", "z"]}"#))
    for (answer, exact, normal) in [("the cat", 1.0, 1.0), ("“Cat”.", 0, 1), ("a cat", 0, 0)] {
      let found = Self.scores(scores, record(0, answer))
      #expect(found == ["exactMatch": exact, "normalizedMatch": normal, "cut": 0], "\(answer)")
    }
    func fields(_ answer: String) -> Double? {
      Self.scores(scores, record(1, answer))["fields"]
    }
    #expect(fields(#"{"a": 1}"#) == 1 && fields(#"{"b": 2}"#) == 0.5 && fields("no") == 0)
    #expect(Self.scores(scores, record(2, "none"))["fields"] == nil)
    for (losses, share) in [([1.0, 2, 3], 0.0), ([3, 2, 1], 1)] {
      var record = AnswerRecord(index: 3)
      record.options = [losses.map { AnswerLoss(nats: $0, tokens: 1) }]
      #expect(Self.scores(scores, record) == ["choice": share])
    }
  }

  /// Options behind a prompt that fills the context have no likelihood, and the first of them is not right by that.
  @Test func optionsWithoutRoomAreNotChosen() throws {
    let scores = try Scores(
      try examples(
        #"{"prompt": "p {options}", "options": ["x", "y"], "answer": "x"}"#,
        #"{"prompt": "p", "chosen": "x", "rejected": "y"}"#))
    let none = [AnswerLoss(nats: 0, tokens: 0), AnswerLoss(nats: 0, tokens: 0)]
    var record = AnswerRecord(index: 0)
    record.options = [none, none]
    #expect(
      Self.scores(scores, record) == ["choice": 0, "choiceBothWays": 0, "choiceSwayed": 0])
    record = AnswerRecord(index: 1)
    record.options = [none]
    #expect(Self.scores(scores, record) == ["preferred": 0, "margin": 0])
  }

  @Test func fieldsAreComparedOneByOne() throws {
    let line = #"{"prompt": "p", "completion": "{\"a\": 1, \"b\": [2, 3], \"c\": {\"d\": null}}"}"#
    let scores = try Scores(try examples(line))
    func fields(_ answer: String) -> [Double?] {
      let found = Self.scores(scores, record(0, answer))
      return ["validJSON", "fields", "fields.a", "fields.b", "fields.c"].map { found[$0] }
    }
    let third = 1.0 / 3
    #expect(fields(#"{"c": {"d": null}, "b": [2, 3.0], "a": 1e0}"#) == [1, 1, 1, 1, 1])
    #expect(fields(#"{"a": 1, "b": [3, 2], "c": {}}"#) == [1, third, 1, 0, 0])
    // What was not wanted counts, too.
    #expect(fields(#"{"a": 1, "x": 1}"#) == [1, 0.25, 1, 0, 0])
    #expect(fields("```json\n{\"a\": \"1\"}\n```") == [0, 0, 0, 0, 0])
    #expect(fields("```json\n{\"a\": 1}\n```") == [0, third, 1, 0, 0])
    #expect(fields("no") == [0, 0, 0, 0, 0])
    // Whichever of the two is right.
    #expect(fields(#"{"a": 1, "a": 2, "b": [2, 3], "c": {"d": null}}"#) == [0, 0, 0, 0, 0])
    #expect(fields(#"{"a": 1, "b": [2, 3], "c": {"d": 0, "d": null}}"#) == [0, 0, 0, 0, 0])
    #expect(fields("[1]") == [1, 0, 0, 0, 0])
  }

  /// Where nothing is to be found, the right answer is an object without fields, and no other text.
  @Test func anObjectWithoutFieldsHasToBeOne() throws {
    let scores = try Scores(try examples(#"{"prompt": "p", "completion": "{}"}"#))
    for (answer, share) in [
      ("{}", 1.0), ("```json\n{ }\n```", 1), ("I do not know.", 0), ("[]", 0),
    ] {
      #expect(Self.scores(scores, record(0, answer))["fields"] == share, "\(answer)")
    }
    #expect(Self.scores(scores, record(0, #"{"a": 1}"#))["fields"] == 0)
  }

  /// Marks around an answer do not count, but where it has nothing else.
  @Test func answersOfMarksAloneAreCompared() throws {
    let scores = try Scores(try examples(#"{"prompt": "p", "completion": "?"}"#))
    for (answer, normal) in [("?", 1.0), (" ?\n", 1), ("!", 0), ("", 0), ("?!", 0)] {
      #expect(Self.scores(scores, record(0, answer))["normalizedMatch"] == normal, "\(answer)")
    }
  }

  @Test func pairsArePreferredByLikelihood() throws {
    let scores = try Scores(
      try examples(
        #"{"prompt": "p", "chosen": "x", "rejected": "y"}"#,
        #"{"prompt": [{"role": "user", "content": "p"}], "chosen": [{"role": "assistant", "content": "x"}], "rejected": "z"}"#
      ))
    func record(_ index: Int, _ losses: [Double]) -> AnswerRecord {
      var record = AnswerRecord(index: index)
      record.options = [losses.map { AnswerLoss(nats: $0, tokens: 1) }]
      return record
    }
    #expect(Self.scores(scores, record(0, [2, 5])) == ["preferred": 1, "margin": 3])
    #expect(Self.scores(scores, record(1, [2, 1])) == ["preferred": 0, "margin": -1])
    #expect(Self.scores(scores, record(1, [2, 2])) == ["preferred": 0, "margin": 0])
    #expect(scores.names == ["loss", "perplexity", "preferred", "margin"])
    let figures = scores.figures(
      of: [record(0, [2, 5]), record(1, [2, 1])], Bootstrap(seed: 0, resamples: 40))
    #expect(figures.map(\.estimate.value) == [0.5, 1])
  }

  @Test func choicesAreByLikelihoodBothWaysRound() throws {
    let scores = try Scores(
      try examples(#"{"prompt": "{options}?", "options": ["x", "y"], "answer": "y"}"#))
    func found(_ losses: [[Double]]) -> [String: Double] {
      var record = AnswerRecord(index: 0)
      record.options = losses.map { $0.map { AnswerLoss(nats: $0, tokens: 1) } }
      return Self.scores(scores, record)
    }
    #expect(found([[2, 1], [3, 0]]) == ["choice": 1, "choiceBothWays": 1, "choiceSwayed": 0])
    #expect(found([[2, 1], [0, 3]]) == ["choice": 0.5, "choiceBothWays": 0, "choiceSwayed": 1])
    #expect(found([[1, 2], [0, 3]]) == ["choice": 0, "choiceBothWays": 0, "choiceSwayed": 0])
    #expect(found([[1, 0.5]]) == ["choice": 1])
  }

  @Test func figuresAreMeansAndLossesBytoken() throws {
    let scores = try Scores(
      try examples(
        #"{"prompt": "p", "completion": "a"}"#, #"{"prompt": "p", "completion": "b"}"#,
        #"{"prompt": "p", "rule": {"exact": "c"}, "group": "g", "task": "t"}"#,
        #"{"prompt": "p", "rule": {"exact": "c"}, "group": "g", "task": "u"}"#))
    #expect(
      scores.names == [
        "loss", "perplexity", "exactMatch", "normalizedMatch", "rule", "rule.t", "rule.u", "groups",
        "cut",
      ])
    var records = [record(0, "a"), record(1, "x"), record(2, "c"), record(3, "d")]
    records[0].loss = AnswerLoss(nats: 3, tokens: 1)
    records[1].loss = AnswerLoss(nats: 1, tokens: 3)
    records[1].isCut = true
    let figures = scores.figures(of: records, Bootstrap(seed: 0))
    let values = Dictionary(uniqueKeysWithValues: figures.map { ($0.name, $0.estimate.value) })
    #expect(values["loss"] == 1 && values["cut"] == 0.25)
    #expect(abs((values["perplexity"] ?? 0) - 2.718281828459045) < 1e-12)
    #expect(values["exactMatch"] == 0.5 && values["rule"] == 0.5)
    #expect(values["rule.t"] == 1 && values["rule.u"] == 0 && values["groups"] == 0)
    let loss = try #require(figures.first { $0.name == "loss" }?.estimate)
    #expect(loss.count == 2 && loss.low >= 1.0 / 3 && loss.high <= 3 && loss.low < loss.high)
    #expect(scores.worstFirst(records).map(\.index) == [1, 3, 0, 2])
    let better = scores.differences(of: records, above: [record(0, "x")], Bootstrap(seed: 0))
    #expect(better.first { $0.name == "exactMatch" }?.estimate.value == 1)
    #expect(better.first { $0.name == "exactMatch" }?.estimate.count == 1)
  }

  @Test func aPatternIsForAllAnswers() throws {
    let lines = try examples(#"{"prompt": "p", "completion": "a"}"#)
    let scores = try Scores(lines, pattern: "^[a-z]+;$")
    #expect(Self.scores(scores, record(0, "ab;"))["pattern"] == 1)
    #expect(Self.scores(scores, record(0, "ab"))["pattern"] == 0)
    let error = #expect(throws: EvaluationError.self) { try Scores(lines, pattern: "(") }
    #expect(
      error.map { "\($0)" }
        == "The pattern '(' has an open parenthesis at 1; use another pattern")
  }

  @Test func measuresHaveNames() {
    #expect(Measure("loss") != nil && Measure("fields.a.b") != nil && Measure("rule.copy") != nil)
    #expect(Measure("fields.") == nil && Measure("accuracy") == nil && Measure("loss.x") == nil)
  }
}
