import Adapters
import TensorFiles
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
  }

  static let refused = [
    (
      #"{"prompt": "p"}"#,
      "says nothing about the answer; give completion, answer, rule, schema or options"
    ),
    (#"{"prompt": 3, "answer": "a"}"#, "the prompt is an integer, not a text"),
    (#"{"prompt": "p", "answer": 3}"#, "the answer is an integer, not a text"),
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
