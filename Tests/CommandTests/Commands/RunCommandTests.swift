import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct RunCommandTests {
  private func answer(_ words: String..., in sample: SampleBase) throws -> [String: Any] {
    try answer(words, in: sample)
  }

  private func answer(_ words: [String], in sample: SampleBase) throws -> [String: Any] {
    try Tool.run(["run"] + words + ["--json"], store: sample.folder).expectSuccess().object()
  }

  /// Also where nothing had to be evaluated, as all that comes is without a choice.
  @Test(arguments: [[], ["-n", "2"]]) func thePromptIsCounted(_ more: [String]) throws {
    let sample = try SampleBase().install()
    let schema = try sample.folder.write(#"{"const": "abcdefgh"}"#, to: "schema.json")
    let words = ["run", "echo", "hello", "--schema", schema, "--json"] + more
    let json = try Tool.run(words, store: sample.folder).object()
    let plain = try answer("echo", "hello", "-n", "1", in: sample)
    #expect(json["promptTokens"] as? Int == plain["promptTokens"] as? Int)
    #expect(plain["promptTokens"] as? Int ?? 0 > 0)
  }

  @Test func anAnswerCanBeHadAgain() throws {
    let sample = try SampleBase().install()
    let words = ["echo", "hello", "-n", "9", "-t", "0.8"]
    let first = try answer(words, in: sample)
    let seed = try #require(first["seed"] as? UInt64)
    #expect(first["temperature"] as? Double == 0.8)
    #expect(
      try answer(words + ["--seed", "\(seed)"], in: sample)["text"] as? String
        == first["text"] as? String)
    let figures = try Tool.run(["run"] + words + ["--seed", "5"], store: sample.folder).errorText
    #expect(figures.contains(", seed 5, "), "\(figures)")
  }

  @Test func figuresGoToStandardError() throws {
    let sample = try SampleBase().install()
    let result = try Tool.run("run", "echo", "hi", "-n", "4", store: sample.folder)
    #expect(result.errorText.hasPrefix("4 tokens, first after "))
    #expect(result.errorText.contains(" tokens/s"))
    #expect(result.errorText.hasSuffix(", ended by --max-tokens\n"))
    #expect(
      try Tool.run("run", "-q", "echo", "hi", "-n", "4", store: sample.folder).errorText.isEmpty)
  }

  @Test func guessesChangeNoText() throws {
    let sample = try SampleBase().install()
    let off = try answer("echo", "aaaa", "-n", "24", "--draft", "off", in: sample)
    #expect(off["proposedTokens"] as? Int == 0)
    #expect(off["acceptedTokens"] as? Int == 0)
    #expect(off["passes"] as? Int == 23)
    // The base may guess for itself, if not in less time.
    for draft in ["auto", sample.base] {
      let words = ["echo", "aaaa", "-n", "24", "--draft", draft]
      let found = try answer(words, in: sample)
      #expect(found["text"] as? String == off["text"] as? String)
      let (proposed, accepted) = (
        found["proposedTokens"] as? Int ?? 0, found["acceptedTokens"] as? Int ?? 0
      )
      #expect((0...proposed).contains(accepted))
      #expect((found["passes"] as? Int ?? 0) + accepted == 23)
    }
  }

  @Test func draftsThatAreNoneAreRefusedBeforeAnythingRuns() throws {
    let sample = try SampleBase().install()
    let whole = try Data(contentsOf: URL(fileURLWithPath: sample.base))
    let cut = sample.folder.path("cut.gguf")
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: cut))
    let large = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let cases: [([String], Int32, String)] = [
      (["echo", "hi", "--draft", sample.folder.path], 4, "not a regular file"),
      (["echo", "hi", "--draft", sample.folder.path("none.gguf")], 3, "none.gguf"),
      (["echo", "hi", "--draft", cut], 4, "cut.gguf"),
      (["echo", "hi", "--draft", large], 6, ", more than the "),
      (
        ["--no-adapter", "--base", large, "hi", "--draft", sample.base], 6,
        "token 0 of the draft is another one than the base's"
      ),
    ]
    for (words, status, part) in cases {
      let result = try Tool.run(["run"] + words, store: sample.folder)
      #expect(result.status == status, "\(words): \(result.errorText)")
      #expect(result.output.isEmpty)
      #expect(result.errorText.contains(part), "\(result.errorText)")
    }
    try Tool.run("run", "echo", "hi", "-n", "4", store: sample.folder).expectSuccess()
  }

  @Test func anAdapterByNameIdentifierOrPathIsTheSame() throws {
    let sample = try SampleBase().install()
    let texts = try ["echo", "fmadapter-echo-ccccccc", sample.package].map {
      try answer($0, "hi", "-n", "8", in: sample)["text"] as? String
    }
    #expect(texts[0] == texts[1] && texts[1] == texts[2])
    let plain = try answer("--no-adapter", "hi", "-n", "8", in: sample)["text"] as? String
    #expect(plain != texts[0])
    let silenced = try answer("echo", "hi", "-n", "8", "--adapter-scale", "0", in: sample)
    #expect(silenced["text"] as? String == plain)
  }

  @Test func aTextIsContinuedAsItIs() throws {
    let sample = try SampleBase().install()
    func tokens(_ words: String...) throws -> Int? {
      try answer("--no-adapter", words[0], "-n", "4", "--raw", in: sample)["promptTokens"] as? Int
    }
    // The begin token and one for each byte or mark.
    #expect(try tokens("ab") == 3)
    #expect(try tokens("a<|im_end|>") == 3)
    for words in [
      ["--raw"], ["x", "--raw", "--instructions", "y"], ["x", "--raw", "--chat-format", "afm"],
    ] {
      let result = try Tool.run(["run", "--no-adapter"] + words, store: sample.folder)
      #expect(result.status == 2, "\(words)")
    }
  }

  @Test func twoAdaptersAddUp() throws {
    let sample = try SampleBase().install()
    let twice = try answer("echo", "hi", "-n", "8", "-a", sample.package, in: sample)
    let doubled = try answer("echo", "hi", "-n", "8", "--adapter-scale", "2", in: sample)
    #expect(twice["text"] as? String == doubled["text"] as? String)
  }

  @Test func aWordThatNamesNoAdapterMayBeAPrompt() throws {
    let sample = try SampleBase().install()
    try Tool.run("run", "Hello", store: sample.folder).expectStatus(
      3, saying: "no adapter 'Hello' is installed; there are: ",
      "A prompt of one word: fmadapter run --no-adapter ")
    let asked = try Tool.run("run", "Hello", "hi", store: sample.folder)
    #expect(!asked.errorText.contains("A prompt of one word"))
    // What is a prompt already was not taken for an adapter.
    let based = try Tool.run("run", "--base", "none", "Say this.", store: sample.folder)
      .expectStatus(3)
    #expect(!based.errorText.contains("A prompt of one word"), "\(based.errorText)")
    try Tool.run("info", "nope", "--json", store: sample.folder).expect(
      saying: #""choices": ["fmadapter-echo-ccccccc"]"#)
  }

  @Test(arguments: [
    ("- item one", "-"), ("-hello there", "-e"), ("--hello there", "--hello there"),
  ])
  func aTextThatBeginsWithAHyphenIsNoOption(_ text: String, _ option: String) throws {
    let result = try Tool.run("run", text)
    #expect(
      result.errorText.hasPrefix(
        "fmadapter: error: there is no option '\(option)'; put -- before a text that begins with a hyphen"
      ), "\(result.errorText)")
  }

  @Test func aTextThatReadsAsAShortOptionWithAValueIsSaid() throws {
    try Tool.run("run", "-not sure").expectStatus(
      2, saying: ", not 'ot sure'; put -- before a text that begins with a hyphen\n")
    let twice = try Tool.run("run", "-n", "4", "-not sure")
    #expect(
      twice.errorText.contains(
        "--max-tokens was given twice; put -- before a text that begins with a hyphen\n"))
    try Tool.run("run", "-not").expect(saying: ", not 'ot'\n")
  }

  @Test func comparingPrintsBothWithTheirFigures() throws {
    let sample = try SampleBase().install()
    let result = try Tool.run("run", "echo", "hi", "-n", "4", "--compare", store: sample.folder)
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "== base alone ==")
    #expect(lines.contains("== base with fmadapter-echo-ccccccc =="))
    #expect(!result.text.contains("tokens"))
    let figures = result.errorText.split(separator: "\n")
    #expect(figures.count { $0.hasPrefix("-- 4 tokens, first after ") } == 2)
    let report = try answer("echo", "hi", "-n", "4", "--compare", in: sample)
    #expect(report.keys.sorted() == ["adapter", "adapters", "base", "prompt"])
  }

  @Test func anotherBaseIsRefusedWithBothSignatures() throws {
    let sample = try SampleBase()
    let other = try SampleBase(signature: String(repeating: "d", count: 40))
    try sample.install()
    for words in [
      ["run", other.package, "hi"], ["run", "echo", "hi", "--base", other.base],
      ["logits", "--tokens", "1", "--adapter", other.package],
    ] {
      let result = try Tool.run(words, store: sample.folder)
      #expect(result.status == 6, "\(words)")
      #expect(result.output.isEmpty)
      #expect(result.errorText.contains(String(repeating: "c", count: 40)))
      #expect(result.errorText.contains(String(repeating: "d", count: 40)))
    }
    let check = try Tool.run("check", other.package, "--base", sample.base).expectStatus(6)
    #expect(check.text.contains("compatibility.signature"))
  }

  @Test func withoutAWordOneChatsWithTheBaseInUse() throws {
    let sample = try SampleBase().install()
    func chat(_ words: String...) throws -> ProcessResult {
      try Tool.run(["run", "-n", "6"] + words, input: "hi\n", store: sample.folder)
    }
    let base = try chat()
    #expect(base.errorText.hasPrefix("no adapter is named: the base answers alone\n"))
    #expect(try base.text == chat("--no-adapter").text)
    #expect(try base.text != chat("echo").text)
    #expect(try chat("--adapter", sample.package).text == chat("echo").text)
    try Tool.run("run", input: "hi\n").expectStatus(
      3, saying: "no base is installed; 'fmadapter base install")
  }

  @Test func aFullContextIsANamedError() throws {
    let sample = try SampleBase(context: 40).install()
    let long = String(repeating: "x", count: 100)
    try Tool.run("run", "echo", long, store: sample.folder).expectStatus(
      2, saying: "The context holds 40 tokens, but ",
      "; shorten the prompt, or take a base with a longer context\n")
  }

  @Test(arguments: [
    (
      ContextNeed(needed: 50, limit: 40, instructions: 0, isAlone: true),
      "the message needs 50 tokens of a context of 40; shorten it"
    ),
    (
      ContextNeed(needed: 4_066, limit: 2_048, instructions: 4_050, isAlone: true),
      "instructions and message need 4,066 tokens of a context of 2,048, the instructions 4,050 of them; shorten those with /set instructions"
    ),
    (
      ContextNeed(needed: 50, limit: 40, instructions: 9, isAlone: false),
      "the message needs 50 tokens of a context of 40, with what was said before; shorten it, or start anew with /reset"
    ),
  ]) func whatTakesTheRoomOfAChatIsNamed(_ need: ContextNeed, _ text: String) {
    #expect(need.failure.text.description == text)
  }

  @Test func inAFullContextTheOldestTurnsGo() throws {
    let sample = try SampleBase(context: 120).install()
    let line = ["run", "echo", "-n", "10"]
    let input = (1...8).map { "message \($0)\n" }.joined()
    let result = try Tool.run(line, input: input, store: sample.folder).expectSuccess()
    let said =
      "The context is full: the oldest messages are forgotten from now on, or all by /reset.\n"
    #expect(result.errorText.components(separatedBy: said).count == 2)
    // Again after a reset, as that is another conversation.
    let again = try Tool.run(line, input: input + "/reset\n" + input, store: sample.folder)
    #expect(again.errorText.components(separatedBy: said).count == 3)

    let entries = try Tool.run(line + ["--json"], input: input, store: sample.folder).text.objects()
    #expect(entries.count == 8)
    let prompts = entries.compactMap { $0["promptTokens"] as? Int }
    #expect(prompts.allSatisfy { $0 <= 110 } && prompts.max() ?? 0 > 60)
    #expect(entries.allSatisfy { $0["generatedTokens"] as? Int == 10 })
  }

  /// A text with spaces that stands alone is for the base in use; a name stays a name, and so does a path.
  @Test func aPromptAloneIsAnsweredByTheBase() throws {
    let sample = try SampleBase().install()
    let alone = try Tool.run("run", "say it", "-n", "4", store: sample.folder).expectSuccess()
    #expect(alone.errorText.hasPrefix("no adapter is named: the base answers alone\n"))
    let plain = try Tool.run("run", "--no-adapter", "say it", "-n", "4", store: sample.folder)
    #expect(plain.text == alone.text)
    #expect(!plain.errorText.contains("alone"))
    let word = try Tool.run("run", "say", store: sample.folder)
    #expect(word.status == 3 && word.errorText.contains("'say'"), "\(word.errorText)")
    #expect(!word.errorText.contains("./"))
    // What a training makes of its -o comes before a folder that has just the name.
    for (made, path) in [("say", "./say"), ("say.fmadapter", "say.fmadapter")] {
      try FileManager.default.createDirectory(
        atPath: sample.folder.path(made), withIntermediateDirectories: true)
      let folder = try Subprocess.run(
        Tool.path, ["run", "say"], environment: ["FMADAPTER_HOME": sample.folder.path("store")],
        directory: sample.folder.path(".")
      ).expectStatus(3)
      #expect(
        folder.errorText.hasSuffix("; for the folder of that name here, write '\(path)'\n"),
        "\(folder.errorText)")
      #expect(!folder.errorText.contains("fmadapter install"), "\(folder.errorText)")
    }
    let package = sample.folder.path("with space.fmadapter")
    try FileManager.default.copyItem(
      atPath: sample.folder.path("echo.fmadapter"), toPath: package)
    try Tool.run("run", package, input: "hi\n", store: sample.folder).expectSuccess()
  }

  /// Where the line says who or how to answer, a word that names no adapter is a prompt.
  @Test func aWordAloneIsAPromptOfWhoIsNamed() throws {
    let sample = try SampleBase().install()
    let schema = try sample.folder.write(#"{"type": "boolean"}"#, to: "yes.json")
    let plain = try Tool.run("run", "--no-adapter", "Hello.", "-n", "4", store: sample.folder)
    for words in [["--base", "sample"], ["--base", sample.base]] {
      let result = try Tool.run(["run", "Hello.", "-n", "4"] + words, store: sample.folder)
        .expectSuccess()
      #expect(result.text == plain.text && !result.errorText.contains("alone"), "\(words)")
    }
    let bound = try Tool.run("run", "Hello", "--schema", schema, store: sample.folder)
    #expect(["true\n", "false\n"].contains(bound.text), "\(bound.errorText)")
    // An adapter stays one, and a chat with a named base says nothing of adapters.
    let chat = try Tool.run(
      "run", "--base", "sample", "Echo", "-n", "2", input: "hi\n", store: sample.folder
    ).expectSuccess()
    #expect(!chat.errorText.contains("prompt"))
    let base = try Tool.run(
      "run", "--base", "sample", "-n", "2", input: "hi\n", store: sample.folder)
    #expect(!base.errorText.contains("no adapter is named"))
    let near = try Tool.run("run", "--base", "sample", "ecko", "-n", "2", store: sample.folder)
      .expectSuccess()
    #expect(
      near.errorText.hasPrefix(
        "'ecko' names no adapter, so it is the prompt; did you mean 'echo'?\n"))
    try Tool.run("run", "--no-adapter", "Echo", store: sample.folder).expectStatus(
      2, saying: "the adapter 'Echo' and --no-adapter exclude each other")
    // A path and a base are none.
    for word in ["./mine", "mine.fmadapter", "sample"] {
      try Tool.run("run", "--base", "sample", word, store: sample.folder).expectStatus(3)
    }
  }

  @Test(arguments: ["Hello", "Hello.", "sample", "Hi,there"])
  func aWordThatNamesNothingMayHaveBeenAPrompt(_ word: String) throws {
    let sample = try SampleBase().install()
    let result = try Tool.run("run", word, store: sample.folder).expectStatus(3)
    #expect(
      result.errorText.hasSuffix("\nA prompt of one word: fmadapter run --no-adapter '\(word)'\n"),
      "\(result.errorText)")
  }

  @Test func anAnswerMayFillTheContext() throws {
    let sample = try SampleBase(context: 60).install()
    let result = try Tool.run("run", "echo", "hi", store: sample.folder).expectSuccess()
    #expect(result.text.hasSuffix("\n"))
    #expect(result.errorText.hasSuffix("ended by the end of the context\n"))
  }

  @Test(
    arguments: [
      (["run", "--compare"], "--compare needs an adapter: run <adapter> --compare \"...\""),
      (
        ["run", "--compare", "two words"],
        "--compare needs an adapter: run <adapter> --compare \"...\""
      ),
      (["run", "echo", "--compare"], "--compare needs a prompt: run <adapter> --compare \"...\""),
      (
        ["run", "echo", "x", "--compare", "--no-adapter"],
        "--compare and --no-adapter exclude each other"
      ),
      (
        ["run", "echo", "x", "--adapter-scale", "1", "--adapter-scale", "1"],
        "--adapter-scale was given 2 times for 1 adapter; name an adapter for each, or leave it out"
      ),
      (
        ["run", "--no-adapter", "a b", "--adapter-scale", "1"],
        "--adapter-scale was given once for 0 adapters; name an adapter for each, or leave it out"
      ),
      (
        ["run", "echo", "a b", "--no-adapter"],
        "the adapter 'echo' and --no-adapter exclude each other; leave one of them out"
      ),
      (
        ["run", "echo", "hello", "world"],
        "one word too many: 'world'; put quotation marks around a text of several words"
      ),
    ] as [([String], String)])
  func usageErrors(_ words: [String], _ message: String) throws {
    try Tool.run(words).expectStatus(2, error: "\(message)\nSee 'fmadapter run --help'.")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143)] as [(Int32, Int32)])
  func aSignalEndsIt(_ signal: Int32, _ status: Int32) throws {
    let sample = try SampleBase(context: 100_000).install()
    let terminal = try PseudoTerminal(
      ["run", "echo", "hi", "-n", "90000", "--allow-loops"],
      environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(forMore: 1))
    let start = ContinuousClock.now
    terminal.interrupt(signal)
    #expect(terminal.finish() == status)
    #expect(start.duration(to: .now) < soon)
  }
}
