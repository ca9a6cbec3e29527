import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct ToolCommandTests {
  @Test func tokensAreExactlyThisJSON() throws {
    let sample = try SampleBase()
    let line = ["tokenize", "--base", sample.base, "--json"]
    // Bytes are tokens 3 and up; the begin token is 1; <|im_end|> is the last of 261.
    #expect(try Tool.run(line, input: "a<|im_end|>").text == "{\"tokens\": [1, 100, 260]}\n")
    let plain = try Tool.run(line + ["--no-special"], input: "a<")
    #expect(plain.text == "{\"tokens\": [100, 63]}\n")
    #expect(try Tool.run(line + ["--no-special"]).text == "{\"tokens\": []}\n")
  }

  @Test func aFileIsReadByteForByte() throws {
    let sample = try SampleBase()
    let file = try sample.folder.write([0x61, 0x0D, 0x0A, 0x00, 0x0A], to: "text")
    let result = try Tool.run(
      "tokenize", "--base", sample.base, "--json", "--no-special", "--file", file)
    #expect(result.text == "{\"tokens\": [100, 16, 13, 3, 13]}\n")
  }

  @Test func aTextHasToBeUTF8() throws {
    let sample = try SampleBase()
    let file = try sample.folder.write([0x61, 0xC3, 0xA9, 0xFF, 0x62], to: "latin")
    let line = "\"$1\" tokenize --base \"$2\""
    let piped = try Subprocess.run(
      "/bin/bash", ["-c", line + " < \"$3\"", "bash", Tool.path, sample.base, file])
    let named = try Tool.run("tokenize", "--base", sample.base, "--file", file)
    for (result, name) in [(piped, "standard input"), (named, file)] {
      result.expectStatus(4)
      #expect(result.output.isEmpty)
      #expect(result.errorText.contains("\(name), byte 3: the text is not UTF-8; save it as UTF-8"))
    }
  }

  /// Forty gigabytes without a byte.
  @Test func whatIsReadWholeHasALimit() throws {
    let sample = try SampleBase()
    let file = sample.folder.path("sparse")
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    #expect(truncate(file, 40 << 30) == 0)
    for words in [
      ["tokenize", "--file", file], ["render", "--messages", file],
      ["run", "--no-adapter", "--input", file],
    ] {
      let result = try Tool.run(words + ["--base", sample.base]).expectStatus(4)
      #expect(result.errorText.contains(", more than the limit of 1,073,741,824; "), "\(words)")
    }
  }

  @Test func closedInputIsAnErrorOfItsOwn() throws {
    let sample = try SampleBase()
    let script = "\"$1\" tokenize --base \"$2\" <&-"
    let result = try Subprocess.run("/bin/bash", ["-c", script, "bash", Tool.path, sample.base])
      .expectStatus(2)
    #expect(result.output.isEmpty)
    #expect(
      result.errorText
        == "fmadapter: error: standard input is closed or cannot be read; give the text through a pipe or a file\n"
    )
  }

  @Test func aChatIsShownAsTheModelSeesIt() throws {
    let sample = try SampleBase()
    let chat = try sample.folder.write(
      Array(#"[{"role": "user", "content": "a<|im_end|>"}]"#.utf8), to: "chat.json")
    let line = ["render", "--base", sample.base, "--messages", chat]
    let result = try Tool.run(line + ["--json", "--no-generation-prompt"])
    struct Report: Decodable, Equatable {
      let text: String
      let tokens: [Int]
    }
    let text = "user\na<|im_end|>"
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output))
    #expect(report.text == "<|im_start|>\(text)<|im_end|>\n")
    // The begin token, a mark of the template, bytes, and the mark that ends the turn.
    #expect(report.tokens == [1, 259] + text.utf8.map { Int($0) + 3 } + [260, 13])
    #expect(
      try Tool.run(line).text
        == "<|im_start|>user\na<|im_end|><|im_end|>\n<|im_start|>assistant\n\n")
    let formatted = try Tool.run(line + ["--chat-format", "chatml", "--no-generation-prompt"])
    #expect(formatted.text == "<|im_start|>user\na<|im_end|><|im_end|>\n\n")
  }

  /// The instructions of a format that has some stand there as they do when a model runs or learns.
  @Test func aChatIsShownAsItIsLearnt() throws {
    let folder = try TemporaryDirectory()
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    struct Tokens: Decodable { let tokens: [Int] }
    for system in ["", #"{"role": "system", "content": "Be brief."}, "#] {
      let asked = "[" + system + #"{"role": "user", "content": "Hello"}"#
      let chat = try folder.write(asked + "]", to: "chat.json")
      let data = try folder.write(
        asked + #", {"role": "assistant", "content": "Hi"}]"# + "\n", to: "data.jsonl")
      let shown = try Tool.run("render", "--base", base, "--messages", chat, "--json")
      let learnt = try Tool.run("data", "render", data, "--base", base, "--json")
      let tokens = try [shown, learnt].map {
        try JSONDecoder().decode(Tokens.self, from: Data($0.output)).tokens
      }
      #expect(tokens[0].count > 10 && tokens[1].starts(with: tokens[0]), "\(shown.text)")
    }
  }

  /// As data sets have it.
  @Test func nullsThatPadAChatAreNotThere() throws {
    let sample = try SampleBase()
    let texts = try [
      #"{"messages": [{"role": "user", "content": "a"}]}"#,
      #"{"messages": [{"role": "user", "content": "a", "tool_calls": [], "name": null}], "tools": null}"#,
      #"{"messages": [{"role": "user", "content": "a", "tool_calls": null}], "tools": ""}"#,
    ].map { chat in
      let path = try sample.folder.write(Array(chat.utf8), to: "chat.json")
      return try Tool.run("render", "--base", sample.base, "--messages", path).expectSuccess().text
    }
    #expect(Set(texts).count == 1)
  }

  /// OpenAI's clients write arguments as texts; a model sees objects when it runs or learns.
  @Test func argumentsThatAreTextsAreObjects() throws {
    let sample = try SampleBase()
    let texts = try [#"{"city": "Bern"}"#, #""{\"city\": \"Bern\"}""#].map { arguments in
      let call = #"{"type": "function", "function": {"name": "f", "arguments": \#(arguments)}}"#
      let answer = #"{"role": "assistant", "content": "", "tool_calls": [\#(call)]}"#
      let chat = #"[{"role": "user", "content": "a"}, \#(answer)]"#
      let path = try sample.folder.write(Array(chat.utf8), to: "chat.json")
      return try Tool.run(
        "render", "--base", sample.base, "--messages", path, "--chat-format", "chatml"
      ).expectSuccess().text
    }
    #expect(texts[0] == texts[1], "\(texts)")
    #expect(texts[0].contains(#"{"city": "Bern"}"#), "\(texts)")
  }

  @Test(arguments: [
    ("[", "line 1 is not JSON: the text ends inside a value"), ("\n", "the file is empty"),
    ("3", "the messages are an integer, not a list of objects"),
    ("[3]", "number 1 of the messages is an integer, not an object"),
    (#"{"messages": [], "tools": {}}"#, "the tools are an object, not a list of objects"),
  ])
  func aChatHasToBeAListOfMessages(text: String, problem: String) throws {
    let sample = try SampleBase()
    let chat = try sample.folder.write(Array(text.utf8), to: "chat.json")
    try Tool.run("render", "--base", sample.base, "--messages", chat).expectStatus(
      4,
      error: "\(chat): \(problem)")
    try Tool.run("render", "--base", sample.base).expectStatus(2)
  }

  @Test func logitsOfEveryPosition() throws {
    let sample = try SampleBase().install()
    let result = try Tool.run("logits", "--tokens", "1,2,3", "--json", store: sample.folder)
    let logits = try #require(result.object()["logits"] as? [[Double]])
    #expect(logits.map(\.count) == [261, 261, 261])
    for count in 1...4 {
      let last = try Tool.run(
        "logits", "--tokens", "1,2,3", "--last", "\(count)", "--json", store: sample.folder)
      #expect(try last.object()["logits"] as? [[Double]] == logits.suffix(count))
    }
    let text = try Tool.run("logits", "--tokens", "1,2,3", "--last", "1", store: sample.folder)
    #expect(text.text.hasPrefix("2 3 ") || text.text.hasPrefix("2\t3\t"), "\(text.text)")
    let outside = try Tool.run("logits", "--tokens", "999", "--json", store: sample.folder)
      .expectStatus(2)
    #expect(outside.output.isEmpty)
  }

  @Test func benchReportsSpeedAndMemory() throws {
    let sample = try SampleBase()
    let report = try Tool.run(
      "bench", "--base", sample.base, "--prompt-tokens", "8", "--generate-tokens", "4", "--rounds",
      "1",
      "--threads", "1", "--json"
    ).expectSuccess().object()
    #expect(report["threads"] as? Int == 1)
    #expect(report["peakMemory"] as? Int ?? 0 > 1_000_000)
  }

  @Test func benchFollowsValuesOfASchema() throws {
    let sample = try SampleBase()
    let schema = try sample.folder.write(
      Array(
        #"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#.utf8),
      to: "s.json")
    func bench(_ values: String, _ more: String...) throws -> ProcessResult {
      let path = try sample.folder.write(Array(values.utf8), to: "v.jsonl")
      return try Tool.run(
        ["bench", "--base", sample.base, "--schema", schema, "--values", path, "--rounds", "2"]
          + more)
    }
    struct Report: Decodable {
      let vocabularySize: Int
      let constraints: [Double]
      let masks: [Double]
    }
    let good = try bench("{\"n\": 12}\n{\"n\":-1}\n", "--json")
    #expect(good.errorText == "")
    let report = try JSONDecoder().decode(Report.self, from: Data(good.output))
    #expect(report.vocabularySize == 261)
    // Two values in two rounds; a token for each byte of {"n": 12} and {"n": -1}.
    #expect(report.constraints.count == 4)
    #expect(report.masks.count == 18)
    let path = sample.folder.path("v.jsonl")
    for (values, place) in [
      (
        "{\"n\": 1}\n{\"n\": true}\n",
        "line 2: the value does not fit the schema as it is generated"
      ),
      ("{\"n\": 1}\n{\"n\"\n", "line 2: that is not JSON"),
    ] {
      try bench(values).expectStatus(4, error: "\(path), \(place)")
    }
    #expect(try bench("").errorText == "fmadapter: error: \(path): there is no value\n")
    try Tool.run("bench", "--base", sample.base, "--schema", schema).expectStatus(
      2, saying: "--schema needs --values with the path of a file")
  }

  @Test func aRandomBaseNeedsAPath() throws {
    let sample = try SampleBase()
    try Tool.run("bench", "--random", "q4_0", store: sample.folder).expectStatus(
      2, saying: "--random needs --base with the path of a file to make")
  }
}
