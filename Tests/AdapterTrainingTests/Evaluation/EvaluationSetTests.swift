import JSON
import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct EvaluationSetTests {
  private func read(_ lines: String..., instructions: String? = nil) throws -> EvaluationSet {
    let folder = try TemporaryDirectory()
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "valid.jsonl")
    return try EvaluationSet(path: path, instructions: instructions)
  }

  @Test func everyFormIsRead() throws {
    let set = try read(
      #"{"prompt": "p", "completion": "c"}"#, "",
      #"[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]"#,
      #"{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}], "rule": {"exact": "x"}}"#,
      #"{"text": "all of it"}"#,
      #"{"id": 7, "task": "t", "group": "g", "prompt": "p", "answer": "a"}"#,
      #"{"prompt": "{options}?", "options": ["x", "y", "z"], "answer": "y"}"#,
      #"{"prompt": "p", "chosen": "good", "rejected": "bad"}"#,
      #"{"prompt": "note", "tags": ["a"]}"#)
    let found = set.examples
    #expect(found.map(\.line) == [1, 3, 4, 5, 6, 7, 8, 9])
    #expect(found.map(\.expected) == ["c", "a", nil, nil, "a", "y", "good", nil])
    #expect(found.map { $0.whole != nil } == [true, true, false, true, true, true, true, false])
    #expect(found.map(\.isAsked) == [true, true, true, false, true, false, false, true])
    #expect(found[3].asked == "all of it" && found[4].id == "7" && found[4].group == "g")
    #expect(found[4].task == "t" && found[0].task == "valid")
    #expect(found[5].asked == "x, y, or z?" && found[6].options == ["good", "bad"])
    #expect(set.digest.count == 64)
  }

  /// Nothing is passed over in silence, and what is nearly a key is told.
  @Test func whatIsNotReadIsNamed() throws {
    let set = try read(
      #"{"prompt": "p", "answer": "a", "ruel": {"exact": "a"}, "source": "x", "note": null}"#,
      #"{"prompt": "p", "completion": "c", "ruel": 1, "answer": "a", "task": 7}"#,
      #"{"messages": [{"role": "user", "content": "q", "name": "n"}], "rule": {"exact": "x"}}"#,
      #"{"conversation": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "own": "x"}"#,
      #"{"prompt": "p", "tags": ["a"], "names": ["x"]}"#,
      #"{"prompt": "p", "names": ["x"], "place": "y", "thing": "z", "schema": {"type": "object"}}"#,
      #"{"prompt": "p", "chosen": "a", "rejected": "b", "options": 1, "answer": "a", "task": []}"#)
    #expect(set.unread.count == 1 && set.examples[1].task == "7")
    let keys = set.unread[0].keys.keys
    #expect(
      keys.map { "\($0.name) \($0.count) \($0.line)" } == [
        "ruel 2 1", "source 1 1", "answer 1 2", "messages[].name 1 3", "own 1 4", "names 1 5",
        "options 1 7", "task 1 7",
      ])
    #expect(keys.prefix(2).map(\.meant) == ["rule", nil])
    #expect(try read(#"{"prompt": "p", "answer": "a", "id": 1}"#).unread.isEmpty)
  }

  @Test func severalAnswersMayBeRight() throws {
    let set = try read(
      #"{"prompt": "p", "answer": ["a", "b"]}"#, #"{"prompt": "p", "completion": ["c", "d"]}"#,
      #"{"prompt": "{options}?", "options": ["x", "y", "z"], "answer": ["y", "z"]}"#,
      #"{"prompt": "p", "completion": null, "answer": "e"}"#)
    #expect(set.examples.map(\.right) == [["a", "b"], ["c", "d"], ["y", "z"], ["e"]])
    #expect(set.examples.map(\.expected) == ["a", "c", "y", "e"])
    #expect(set.examples[0].shownRight == "a | b")
    #expect(set.examples.map { $0.whole?.messages.last?.content } == ["a", "c", "y", "e"])
  }

  /// Training leaves it out, measuring asks for it.
  @Test func theLastAnswerCountsWhateverItsWeight() throws {
    let set = try read(
      #"""
      [{"role": "user", "content": "1"}, {"role": "assistant", "content": "a"}, \#
      {"role": "user", "content": "2"}, {"role": "assistant", "content": "b", "weight": 0}]
      """#)
    #expect(set.examples[0].expected == "b")
    #expect(set.examples[0].whole?.messages.map(\.isLearnt) == [false, true, false, true])
  }

  /// Data sets have keys of their own.
  @Test func whereTheAnswerIsKnownOtherKeysAreNobodys() throws {
    let set = try read(
      #"{"prompt": "p", "completion": "c", "tags": ["x"], "names": [], "place": "a", "thing": "b"}"#,
      #"{"prompt": "p", "answer": "c", "tags": 3}"#)
    #expect(set.examples.allSatisfy { $0.rule == nil && $0.expected == "c" })
  }

  @Test func aSchemaAloneSaysWhatIsRight() throws {
    let set = try read(#"{"prompt": "p", "schema": {"type": "object"}}"#)
    #expect(set.examples[0].schema != nil && set.examples[0].whole == nil)
    let folder = try TemporaryDirectory()
    let path = try folder.write(#"{"prompt": "p"}"#, to: "prompts.jsonl")
    #expect(throws: EvaluationError.self) { try EvaluationSet(path: path) }
    #expect(try EvaluationSet(path: path, isJudged: true).examples.count == 1)
  }

  @Test func instructionsStandFirstWhereThereAreNone() throws {
    let set = try read(
      #"{"prompt": "p", "completion": "c"}"#,
      #"{"prompt": "p", "instructions": "own", "answer": "c"}"#, instructions: "all")
    #expect(set.examples.map { $0.messages.map(\.content) } == [["all", "p"], ["own", "p"]])
    #expect(set.examples.map { $0.whole?.messages.count } == [3, 3])
  }

  @Test func aFileWhoseNameIsNoTextIsNotLeftOut() throws {
    let folder = try TemporaryDirectory()
    try folder.write(#"{"prompt": "p", "answer": "a"}"#, to: "a.jsonl")
    try folder.write("", to: [0xFF], in: "")
    #expect(try EvaluationSet(path: folder.path).examples.count == 1)
    try folder.write("", to: [0xFF] + Array(".jsonl".utf8))
    #expect(throws: EvaluationError.data(.file(.notText(path: folder.path + "/\\xFF.jsonl")))) {
      try EvaluationSet(path: folder.path)
    }
  }

  @Test func toolsStandBesideTheFile() throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write(
      #"[{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}]"#,
      to: "tools.json")
    let line = #"{"prompt": "p", "tools": ["f"], "rule": {"calls": []}}"#
    let set = try EvaluationSet(path: folder.write(line, to: "a.jsonl"))
    #expect(set.examples[0].tools.count == 1)
    let all = try EvaluationSet(path: folder.path(""))
    #expect(all.examples.count == 1 && all.examples[0].task == "a")
    let other = try folder.write(line.replacing("\"f\"", with: "\"g\""), to: "b.jsonl")
    let error = #expect(throws: EvaluationError.self) { try EvaluationSet(path: other) }
    #expect(
      error.map { "\($0)" }
        == "\(other): line 1: there is no tool \"g\"; describe it in the file tools.json beside this one"
    )
    try FileSystem.removeTree(folder.path("tools.json"))
    try FileSystem.createDirectory(folder.path("tools.json"))
    let closed = #expect(throws: EvaluationError.self) { try EvaluationSet(path: other) }
    #expect(closed == .data(.file(.notRegular(path: folder.path("tools.json")))))
    try FileSystem.removeTree(folder.path("tools.json"))
    _ = try folder.write("[{}", to: "tools.json")
    let broken = #expect(throws: EvaluationError.self) { try EvaluationSet(path: other) }
    #expect(
      broken.map { "\($0)" }
        == "\(other): line 1: the file tools.json beside this one is no JSON list of tools; mend it"
    )
  }

  static let refused = [
    (
      #"{"prompt": "p"}"#,
      "says nothing about the answer; give completion, answer, rule, schema or options"
    ),
    (#"{"prompt": 3, "answer": "a"}"#, "the prompt is an integer, not a text"),
    (#"{"prompt": "p", "answer": 3}"#, "the answer is an integer, not a text"),
    (#"{"prompt": "p", "answer": ["a", 3]}"#, "the answers are no list of texts"),
    (#"{"prompt": "p", "answer": []}"#, "the answers are no list of texts"),
    (
      #"{"prompt": "p", "answer": "a", "answer": "b"}"#,
      "the key 'answer' stands twice; give several right answers as a list"
    ),
    (
      #"{"prompt": "p", "answer": "a", "schema": {"type": "string", "type": "object"}}"#,
      "the key 'schema.type' stands twice; remove one of them"
    ),
    (
      #"{"prompt": "p", "ruel": {"exact": "x"}}"#,
      "says nothing about the answer, as 'ruel' is not read; did you mean 'rule'?"
    ),
    (#"{"prompt": "p", "schema": "x"}"#, "the schema is a string, not an object"),
    (
      #"{"prompt": "p", "answer": "a", "instructions": 3}"#,
      "the instructions are an integer, not a text"
    ),
    (#"{"prompt": "p", "answer": "a", "tools": "f"}"#, "the tools are a string, not a list"),
    (
      #"{"prompt": "p", "options": ["a", "b"], "answer": ["a", "c"]}"#,
      "the answer is none of the options; give answer as one of them"
    ),
    (
      #"{"prompt": "p", "options": ["a", "b"]}"#,
      "the answer is none of the options; give answer as one of them"
    ),
    (
      #"{"prompt": "p", "options": ["a"], "answer": "a"}"#,
      "the options are no list of two texts or more"
    ),
    (
      #"{"prompt": "p", "options": ["a", "a"], "answer": "a"}"#,
      "two of the options are the same"
    ),
    (
      #"{"prompt": "p", "rejected": "b"}"#, "chosen and rejected have to be two texts"
    ),
    (
      #"{"prompt": "p", "rule": {"x": 1}}"#,
      "'x' is no check; these are: exact, oneOf, verbatim, contains, excludes, some, names, json, pattern, "
        + "sentences, words, lines, ends, choice, calls, speakers, unrepeated, unknown, tags, all, any"
    ),
    (
      #"{"messages": [{"role": "user"}], "rule": {"exact": "x"}}"#,
      "message 1 is no object with a role (system, user, assistant or tool) and a text called content"
    ),
    (
      #"{"prompt": "p", "answer": "a", "schema": {"type": "x"}}"#,
      "The schema has the type 'x' at #, which there is not; use object, array, string, integer, number, boolean or null"
    ),
  ]

  @Test(arguments: refused) func whatCannotBeJudgedIsRefused(
    _ line: String, _ problem: String
  ) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("\n" + line, to: "x.jsonl")
    let error = #expect(throws: EvaluationError.self) { try EvaluationSet(path: path) }
    #expect(error.map { "\($0)" } == "\(path): line 2: \(problem)")
  }

  @Test func errorsOfExamplesAreListedTogether() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("nothing\n{\"text\": 3}\n{\"text\": \"a\"}\n", to: "x.jsonl")
    let error = #expect(throws: EvaluationError.self) { try EvaluationSet(path: path) }
    guard case .data(.refused(let report))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.errors.map(\.place.line) == [1, 2])
    let empty = try folder.write("\n \n", to: "empty.jsonl")
    #expect(throws: EvaluationError.empty(path: empty)) { try EvaluationSet(path: empty) }
    #expect(throws: EvaluationError.self) { try EvaluationSet(path: folder.path("none")) }
  }
}
