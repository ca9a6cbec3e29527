import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct PromptRunTests {
  private static let prompts = """
    {"prompt": "a", "id": 7}

    "bb"
    [{"role": "user", "content": "ccc"}, {"role": "assistant", "content": "left out"}]
    {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "dd"}]}
    {"prompt": "e"}

    """

  /// In order, with what their lines had, and as each alone.
  @Test(arguments: ["1", "2", "8"]) func eachGetsTheAnswerThatItWouldGetAlone(batch: String) throws
  {
    let sample = try SampleBase().install()
    let input = try sample.folder.write(Self.prompts, to: "in.jsonl")
    let options = ["-n", "9", "--temperature", "1", "--seed", "3"]
    let answers = try Tool.run(
      ["run", "echo", "--input", input, "--batch", batch] + options, store: sample.folder
    ).expectSuccess(saying: "5 answers, 45 tokens, ").text.objects()
    #expect(answers.count == 5)
    #expect(answers[0]["id"] as? Int == 7)
    #expect((answers[2]["messages"] as? [Any])?.count == 2)
    for (index, prompt) in [0: "a", 1: "bb", 2: "ccc", 4: "e"] {
      let alone = try Tool.run(["run", "echo", prompt, "--json"] + options, store: sample.folder)
      #expect(
        answers[index]["answer"] as? String
          == (try alone.object()["text"] as? String))
      #expect(answers[index]["finish"] as? String == "length")
      #expect(answers[index]["generatedTokens"] as? Int == 9)
      #expect(answers[index]["seed"] as? Int == 3)
      #expect(answers[index]["temperature"] as? Double == 1)
    }
  }

  /// A row has what it takes to make it again.
  @Test func rowsHaveTheirSeeds() throws {
    let sample = try SampleBase().install()
    let input = try sample.folder.write("\"a\"\n\"a\"\n", to: "in.jsonl")
    func rows(_ more: String...) throws -> [[String: Any]] {
      let words = ["run", "echo", "--input", input, "-n", "9"] + more
      return try Tool.run(words, store: sample.folder).text.objects()
    }
    let varied = try rows("-t", "0.8")
    #expect(varied.allSatisfy { $0["temperature"] as? Double == 0.8 })
    for row in varied {
      let seed = try #require(row["seed"] as? UInt64)
      let again = try rows("-t", "0.8", "--seed", "\(seed)")
      #expect(again[0]["answer"] as? String == row["answer"] as? String)
    }
    let plain = try rows()
    #expect(plain.allSatisfy { $0["seed"] == nil && $0["temperature"] as? Double == 0 })
  }

  @Test func aCutOutputGoesOn() throws {
    let sample = try SampleBase().install()
    let input = try sample.folder.write(Self.prompts, to: "in.jsonl")
    let output = sample.folder.path("out.jsonl")
    func run(_ words: String...) throws -> ProcessResult {
      try Tool.run(
        ["run", "echo", "--input", input, "-o", output, "-n", "5"] + words, store: sample.folder)
    }
    try run().expectSuccess()
    let whole = try String(contentsOfFile: output, encoding: .utf8)
    try run().expectStatus(
      2,
      error: "\(output) exists already; go on with it by --resume, or replace it by --force")
    try String(whole.prefix(whole.count / 2)).write(
      toFile: output, atomically: true, encoding: .utf8)
    try run("--resume").expectSuccess()
    #expect(try String(contentsOfFile: output, encoding: .utf8) == whole)
    try run("--resume").expectSuccess()
    try run("--force").expectSuccess()
    #expect(try String(contentsOfFile: output, encoding: .utf8) == whole)
    try (whole + whole).write(toFile: output, atomically: true, encoding: .utf8)
    try run("--resume").expectStatus(4, saying: "has 10 lines, more than \(input) has prompts")
    for foreign in ["my list\n", "my list", "{\"prompt\": \"elsewhere\", \"answer\": \"x\"}\n"] {
      try foreign.write(toFile: output, atomically: true, encoding: .utf8)
      try run("--resume").expectStatus(
        4,
        saying:
          "\(output): line 1 is no answer to the prompt of that number in \(input); name the file")
      #expect(try String(contentsOfFile: output, encoding: .utf8) == foreign)
    }
    try Tool.run(
      "run", "echo", "--input", input, "-o", input, "--force", store: sample.folder
    ).expectStatus(2, saying: "\(input) is the file that is read; give another path")
    #expect(try String(contentsOfFile: input, encoding: .utf8) == Self.prompts)
  }

  /// One file never has answers of two kinds.
  @Test func whatWasMadeOtherwiseIsNotGoneOnWith() throws {
    let sample = try SampleBase(adapters: ["echo", "other"]).install()
    let input = try sample.folder.write("\"a\"\n\"b\"\n", to: "in.jsonl")
    let output = sample.folder.path("out.jsonl")
    func run(_ words: String...) throws -> ProcessResult {
      try Tool.run(["run"] + words + ["--input", input, "-o", output], store: sample.folder)
    }
    try run("echo", "-n", "5", "-t", "0.5").expectSuccess()
    let whole = try String(contentsOfFile: output, encoding: .utf8)
    try run("echo", "-n", "5", "-t", "0.50", "--resume").expectSuccess()
    for (words, names) in [
      (["echo", "-n", "5"], "temperature"), (["echo", "-t", "0.5"], "max-tokens"),
      (["--no-adapter", "-n", "5", "-t", "0.5"], "adapters"),
      (
        ["echo", "-n", "5", "-t", "0.5", "--seed", "3", "--instructions", "x"], "seed, instructions"
      ),
      ([sample.folder.path("other.fmadapter"), "-n", "5", "-t", "0.5"], "adapters"),
    ] {
      try Tool.run(
        ["run"] + words + ["--input", input, "-o", output, "--resume"], store: sample.folder
      ).expectStatus(
        2,
        error:
          "\(output): line 1 was answered with other settings: \(names); give the same base, adapters and options, or another file to --output"
      )
      #expect(try String(contentsOfFile: output, encoding: .utf8) == whole)
    }
    try "{\"prompt\": \"a\", \"answer\": \"b\"}\n".write(
      toFile: output, atomically: true, encoding: .utf8)
    try run("echo", "-n", "5", "--resume").expectStatus(
      2, saying: "line 1 does not say how it was answered; give")
  }

  @Test func promptsComeThroughPipes() throws {
    let sample = try SampleBase().install()
    let prompts = "\"a\"\n\"b\"\n"
    let input = try sample.folder.write(prompts, to: "in.jsonl")
    let line = ["run", "echo", "-n", "5", "--input"]
    let whole = try Tool.run(line + [input], store: sample.folder).text
    #expect(try whole.objects().count == 2)
    for more in [[], ["-o", "-"], ["-o", "/dev/stdout"]] {
      let result = try Tool.run(line + ["-"] + more, input: prompts, store: sample.folder)
      #expect(result.status == 0 && result.text == whole, "\(result.errorText)")
    }
    let away = try Tool.run(line + [input, "-o", "/dev/null"], store: sample.folder)
    #expect(away.status == 0 && away.text.isEmpty)
    try Tool.run(
      line + ["-", "-o", sample.folder.path("out.jsonl"), "--resume"], input: prompts,
      store: sample.folder
    ).expectStatus(2, saying: "a pipe is read once, so --resume cannot go on with it")
  }

  @Test func aPromptWithoutRoomGetsAnError() throws {
    let sample = try SampleBase(context: 60).install()
    let long = String(repeating: "x", count: 100)
    let input = try sample.folder.write("\"a\"\n\"\(long)\"\n\"b\"\n", to: "in.jsonl")
    let result = try Tool.run("run", "echo", "--input", input, "-n", "4", store: sample.folder)
      .expectStatus(4)
    let answers = try result.text.objects()
    #expect((answers[1]["error"] as? String)?.hasPrefix("The context holds 60 tokens") == true)
    #expect(answers[1]["answer"] == nil)
    #expect(answers[0]["answer"] != nil && answers[2]["answer"] != nil)
    #expect(result.errorText.hasPrefix("2 answers, 8 tokens, "))
    #expect(
      result.errorText.hasSuffix(
        "fmadapter: error: 1 prompt of 3 got no whole answer; their lines say why, under error\n"))
  }

  @Test(arguments: [
    ("", "there is no prompt in it"),
    ("\n \n", "there is no prompt in it"),
    ("{}", "line 1 has neither a text called prompt nor a list called messages"),
    ("\"a\"\nx", "line 2 is not JSON: found 'x', expected a value"),
    ("What?", "found 'W', expected a value; 'jq -R .' makes JSON of plain lines, for --input -"),
    ("[\n{", "line 1 is not JSON: the text ends inside a value; 'jq -c .[]' puts"),
    ("[{\"prompt\": \"x\"}]", "line 1 is a list of prompts; 'jq -c .[]' puts"),
    ("3", "line 1 is an integer; give an object with prompt or messages, or a text"),
    ("[]", "line 1 asks nothing"),
    (
      "[{\"role\": \"bot\", \"content\": \"x\"}]",
      "line 1: message 1 is no object with a role (system, user, assistant or tool) and a text called content"
    ),
  ]) func filesThatAskNothing(_ text: String, _ message: String) throws {
    let error = #expect(throws: Failure.self) {
      _ = try PromptFile(Array(text.utf8), named: "in.jsonl")
    }
    #expect(error?.text.description.contains(message) == true, "\(error?.text.description ?? "")")
  }

  @Test func whatLinesSayInVainIsNamed() throws {
    let lines = [
      #"{"id": 1, "prompt": "a", "instructions": "b", "tools": ["t"], "messages": [{"name": "x"}]}"#,
      #"{"messages": [{"role": "user", "content": "a", "name": "b", "tool_calls": null}], "tools": ["t"]}"#,
      #"{"messages": [{"role": "user", "content": "a", "name": null, "tool_calls": []}], "tools": ""}"#,
      #"{"prompt": "a", "schema": null, "options": null}"#,
    ]
    let file = try PromptFile(Array(lines.joined(separator: "\n").utf8), named: "in.jsonl")
    #expect(
      file.unread.keys.map { "\($0.name) \($0.count) \($0.line)" } == [
        "instructions 1 1", "tools 2 1", "messages[].name 1 2",
      ])
  }

  /// Lines of a data set are asked as it trains on them.
  @Test func toolsAndSchemasOfLinesAreRead() throws {
    let call =
      #"{"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "t", "arguments": "{}"}}]}"#
    let lines = [
      #"[{"role": "user", "content": "a", "response_format": {"type": "json_schema", "json_schema": {"name": "R", "schema": {"type": "object"}}}}]"#,
      #"{"messages": [{"role": "user", "content": "a"}, \#(call)], "tools": [{"name": "t"}]}"#,
      #"[{"role": "user", "content": "a"}, \#(call), {"role": "tool", "content": {"b": 1}, "tool_call_id": "x"}]"#,
    ]
    let file = try PromptFile(Array(lines.joined(separator: "\n").utf8), named: "in.jsonl")
    #expect(file.unread.keys.isEmpty)
    #expect(
      file.prompts[0].messages.map(\.content) == [
        "a\n\nresponse format in json.\nname: R\ndescription: None\nschema: {\"type\": \"object\"}"
      ])
    #expect(file.prompts[0].chat == nil)
    #expect(file.prompts[1].chat?.tools.map(\.line) == [#"{"name": "t"}"#])
    #expect(file.prompts[1].messages.map(\.role) == [.user])
    #expect(file.prompts[2].messages.map(\.content) == ["a", "", #"{"b": 1}"#])
    #expect(file.prompts[2].messages[1].toolCalls.map(\.name) == ["t"])
    #expect(file.prompts[2].chat?.hasTools == true)
    let padded = try PromptFile(
      Array(
        #"""
        {"messages": [{"role": "user", "content": "a", "tool_calls": null, "response_format": null}, \#
        {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "t", "arguments": {"x": null}}}]}, \#
        {"role": "tool", "content": "b"}], "tools": "[{\"name\": \"t\", \"description\": null}]"}
        """#.utf8), named: "in.jsonl")
    #expect(padded.unread.keys.isEmpty)
    #expect(padded.prompts[0].chat?.tools.map(\.line) == [#"{"name": "t"}"#])
    #expect(padded.prompts[0].messages[1].toolCalls.map(\.arguments.line) == ["{}"])
    let odd = #"[{"role": "user", "content": "a", "response_format": 1}]"#
    let error = #expect(throws: Failure.self) {
      _ = try PromptFile(Array(odd.utf8), named: "in.jsonl")
    }
    #expect(
      error?.text.description
        == "in.jsonl: line 1: messages[0].response_format: The format is not of type json_schema with a schema."
    )
  }

  /// Templates get them as `render` hands them over.
  @Test func thoughtsAndIdentitiesOfLinesAreRead() throws {
    let line = #"""
      [{"role": "user", "content": "a"}, {"role": "assistant", "content": "", "reasoning_content": "T", \#
      "tool_calls": [{"id": "call_7", "function": {"name": "t", "arguments": "{}"}}]}, \#
      {"role": "tool", "content": "b", "tool_call_id": "call_7", "name": "t"}]
      """#
    let file = try PromptFile(Array(line.utf8), named: "in.jsonl")
    #expect(file.unread.keys.isEmpty)
    let messages = file.prompts[0].messages
    #expect(messages[1].thoughts == "T")
    #expect(messages[1].toolCalls.map(\.id) == ["call_7"])
    #expect(messages[2].answeredCall?.id == "call_7" && messages[2].answeredCall?.name == "t")
  }

  @Test func schemasBindAnswers() throws {
    let sample = try SampleBase().install()
    let schema = try sample.folder.write(
      #"{"properties": {"a": {"enum": ["x", 2]}, "b": {"type": "string", "maxLength": 3}}, "required": ["a", "b"]}"#,
      to: "schema.json")
    let line = ["run", "echo", "--schema", schema]
    let result = try Tool.run(line + ["hi"], store: sample.folder).expectSuccess()
    let answer = try result.text.objects()[0]
    #expect(answer.keys.sorted() == ["a", "b"])
    #expect((answer["b"] as? String)?.unicodeScalars.count ?? 9 <= 3)
    let cut = try Tool.run(line + ["hi", "-n", "5"], store: sample.folder).expectStatus(1)
    #expect(
      cut.errorText.hasSuffix(
        "fmadapter: error: the answer was cut after 5 tokens, before its JSON was whole; give it more room with --max-tokens, or bound the texts and lists of the schema\n"
      ))
    let told = try Tool.run(line + ["hi", "-n", "5", "--json"], store: sample.folder).expectStatus(
      1)
    #expect(
      told.errorText.hasPrefix(#"{"error": {"code": 1, "kind": "cut", "message": "the answer"#))
    let input = try sample.folder.write("\"a\"\n\"b\"\n", to: "in.jsonl")
    let many = try Tool.run(line + ["--input", input], store: sample.folder).expectSuccess()
    for line in try many.text.objects() {
      #expect(try (line["answer"] as? String ?? "").objects()[0].keys.sorted() == ["a", "b"])
    }
    let wrong = try sample.folder.write(#"{"type": "text"}"#, to: "wrong.json")
    let refused = try Tool.run("run", "echo", "hi", "--schema", wrong, store: sample.folder)
      .expectStatus(4)
    #expect(refused.output.isEmpty)
    #expect(
      refused.errorText.hasPrefix("fmadapter: error: \(wrong): The schema has the type 'text' at #")
    )
  }

  /// A schema is another one by what it says, not by how it is written.
  @Test(arguments: [
    (#"{"enum": ["x", "y"]}"#, 0), ("{\n  \"enum\": [\n\"x\", \"y\"]\n}\n", 0),
    (#"{"enum": ["x", "z"]}"#, 2),
  ]) func answersGoOnUnderTheSameSchema(_ schema: String, _ status: Int32) throws {
    let sample = try SampleBase().install()
    let input = try sample.folder.write("\"a\"\n\"b\"\n", to: "in.jsonl")
    let line = [
      "run", "echo", "--input", input, "-o", sample.folder.path("out.jsonl"), "--schema",
      sample.folder.path("schema.json"),
    ]
    _ = try sample.folder.write(#"{"enum": ["x", "y"]}"#, to: "schema.json")
    try Tool.run(line, store: sample.folder).expectSuccess()
    _ = try sample.folder.write(schema, to: "schema.json")
    let again = try Tool.run(line + ["--resume"], store: sample.folder).expectStatus(status)
    #expect(again.errorText.contains("other settings: schema") == (status == 2))
  }

  @Test(arguments: [
    (["--input", "p.jsonl", "echo", "hi"], "--input and a prompt exclude each other"),
    (["--input", "p.jsonl", "two words"], "--input and a prompt exclude each other"),
    (["--input", "p.jsonl", "echo", "--compare"], "--input and --compare exclude each other"),
    (["echo", "hi", "--output", "a.jsonl"], "--output is for --input"),
    (["echo", "hi", "--batch", "2"], "--batch is for --input"),
    (["echo", "hi", "--force"], "--force is for --input"),
    (
      ["--input", "p.jsonl", "--resume"],
      "--resume needs --output: there is no file to go on with"
    ),
    (["--input", "p.jsonl", "--no-adapter", "--raw"], "--input and --raw exclude each other"),
  ]) func usageErrors(_ words: [String], _ message: String) throws {
    try Tool.run(["run"] + words).expectStatus(2, error: "\(message)\nSee 'fmadapter run --help'.")
  }
}
