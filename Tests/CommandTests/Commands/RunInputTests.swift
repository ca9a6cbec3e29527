import Foundation
import TestSupport
import Testing

/// What `run` makes of its standard input.
@Suite(.waits) struct RunInputTests {
  @Test func thePromptMayComeFromStandardInput() throws {
    let sample = try SampleBase().install()
    let piped = try Tool.run("run", "echo", "-", "-n", "6", input: "hi", store: sample.folder)
    #expect(piped.text == (try Tool.run("run", "echo", "hi", "-n", "6", store: sample.folder).text))
    let plain = try Tool.run("run", "-", "-n", "6", input: "hi you", store: sample.folder)
    #expect(plain.text == (try Tool.run("run", "hi you", "-n", "6", store: sample.folder).text))
    #expect(plain.status == 0 && plain.errorText.contains("the base answers alone"))
  }

  @Test func standardInputHasToBeText() throws {
    let sample = try SampleBase().install()
    let empty = try Tool.run("run", "echo", "-", input: " \n", store: sample.folder)
    #expect(empty.status == 2 && empty.text.isEmpty)
    #expect(
      empty.errorText
        == "fmadapter: error: the prompt on standard input is empty; give it a text to answer\n")
    for (words, message) in [
      (["echo", ""], "the prompt is empty; give it a text to answer"),
      ([" "], "the prompt is empty; give it a text to answer"),
      ([""], "the name of an adapter is empty; give one, or a path"),
    ] {
      let result = try Tool.run(["run"] + words, store: sample.folder)
      #expect(result.status == 2 && result.text.isEmpty, "\(words)")
      #expect(result.errorText == "fmadapter: error: \(message)\n")
    }
    let latin = try sample.folder.write([0x63, 0x61, 0x66, 0xE9, 0x0A], to: "latin.txt")
    for (words, place) in [
      ("run echo -", "standard input, byte 3"), ("run echo hi", "standard input, byte 3"),
      ("run echo", "standard input, line 1, byte 3"),
    ] {
      let result = try Subprocess.run(
        "/bin/sh", ["-c", "exec \"$0\" \(words) < \"$1\"", Tool.path, latin],
        environment: ["FMADAPTER_HOME": sample.folder.path("store")]
      ).expectStatus(4)
      #expect(
        result.errorText.hasSuffix(
          "error: \(place): the text is not UTF-8; save it as UTF-8\n"), "\(result.errorText)")
    }
  }

  /// As `<(…)` of a shell gives them.
  @Test func filesMayBePipes() throws {
    let sample = try SampleBase()
    let words = ["tokenize", "--base", sample.base, "--json"]
    let piped = try Tool.launch(
      words + ["--file", "/dev/stdin"], input: "hi", store: sample.folder
    ).expectSuccess()
    #expect(piped.text == (try Tool.run(words, input: "hi", store: sample.folder).text))
  }

  /// A text that was not written for a chat may have such a line.
  @Test func pipedLinesWriteNoFiles() throws {
    let sample = try SampleBase().install()
    let path = sample.folder.path("chat.json")
    try Tool.run("run", "echo", input: "/save \(path)\n", store: sample.folder)
      .expectStatus(2, saying: "what comes through a pipe writes no files")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func pipedLinesAreAChat() throws {
    let sample = try SampleBase().install()
    let result = try Tool.run(
      "run", "echo", "-n", "3", "--json", input: "hi\n/reset\nhi\nhi\n/exit\nnever\n",
      store: sample.folder)
    let counts = try result.text.objects().map { $0["promptTokens"] as? Int ?? 0 }
    #expect(counts.count == 3)
    // The same after a reset; longer once there is history.
    #expect(counts[0] == counts[1])
    #expect(counts[2] > counts[1])
    #expect(result.errorText.isEmpty)
  }

  /// A line that begins with a path would go unanswered, and nothing of it would be seen in JSON.
  @Test func pipedLinesWithUnknownSlashesAreErrors() throws {
    let sample = try SampleBase().install()
    let lines = "hi\n/etc/passwd is what?\nhi\n"
    let result = try Tool.run(
      "run", "echo", "-n", "3", "--json", input: lines, store: sample.folder)
    #expect(result.status == 2 && result.text.split(separator: "\n").count == 1)
    #expect(
      result.errorText.contains(
        #""there is no /etc/passwd in a chat", "remedy": "//etc/passwd is a message""#),
      "\(result.errorText)")
  }

  /// As programs do that start another one and never close its input.
  @Test(arguments: ["", "--json"]) func anInputThatStaysOpenIsSaid(_ flag: String) throws {
    let sample = try SampleBase().install()
    let line = "exec \"$0\" run echo hi -n 2 \(flag) 2>&1 > /dev/null"
    let program = try Subprocess(
      "/bin/sh", ["-c", line, Tool.path],
      environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    let said = String(decoding: program.readSome(), as: UTF8.self)
    #expect(said.contains("waiting for the rest of the prompt on standard input"), "\(said)")
    try program.finish().expectSuccess()
  }

  @Test func standardInputJoinsThePrompt() throws {
    let sample = try SampleBase().install()
    func tokens(_ prompt: String, _ input: String) throws -> Int? {
      let words = ["run", "echo", prompt, "-n", "2", "--json"]
      return try Tool.run(words, input: input, store: sample.folder).object()["promptTokens"]
        as? Int
    }
    let joined = try tokens("ab cd", "efgh")
    #expect(try joined == tokens("ab cd\n\nefgh", ""))
    #expect(try tokens("ab cd", " \n") == tokens("ab cd", ""))
    #expect(try tokens("ab cd", "") != joined)
  }
}
