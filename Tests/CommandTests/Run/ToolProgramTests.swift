import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// `run --tool`.
@Suite(.waits) struct ToolProgramTests {
  private let sample: SampleBase

  init() throws {
    sample = try SampleBase(context: 4096).install()
  }

  private func tool(_ command: String, environment: [String] = []) throws -> String {
    let name = "lamp"
    let path = sample.folder.path("\(name).json")
    let object: [String: Any] = [
      "type": "function", "command": command, "environment": environment,
      "function": [
        "name": name, "description": "Switches a lamp.",
        "parameters": [
          "type": "object", "required": ["room"],
          "properties": ["room": ["type": "string", "enum": ["hall"]]],
        ],
      ],
    ]
    try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func words(_ command: String, _ more: String...) throws -> [String] {
    try ["run", "echo", "Light!", "-n", "60", "--tool-choice", "required", "--tool", tool(command)]
      + more
  }

  private func calls(_ words: [String], _ environment: [String: String?] = [:]) throws -> [[String:
    Any]]
  {
    let answer = try Tool.launch(words + ["--json"], store: sample.folder, environment: environment)
      .expectSuccess().object()
    return try #require(answer["toolCalls"] as? [[String: Any]])
  }

  @Test func theCommandGetsTheArgumentsAndTheModelItsOutput() throws {
    let call = try #require(try calls(words("cat", "--yes")).first)
    #expect(call["name"] as? String == "lamp")
    #expect(call["arguments"] as? [String: String] == ["room": "hall"])
    #expect(call["output"] as? String == #"{"room": "hall"}"#)
    #expect(call["status"] as? Int == 0)
  }

  /// Half of a call is none, though it was demanded.
  @Test func aCallThatWasCutIsAnError() throws {
    let line = [
      "-n", "5", "--tool-choice", "required", "--tool", try tool("cat"), "--yes", "--json",
    ]
    let result = try Tool.launch(["run", "echo", "Light!"] + line, store: sample.folder)
      .expectStatus(1)
    #expect(
      (result.errorText + result.text).contains("the answer was cut within a call of a tool"),
      "\(result.errorText)")
    let input = try sample.folder.write("\"Light!\"\n", to: "cut.jsonl")
    let many = try Tool.launch(
      ["run", "echo", "--input", input] + line.dropLast(), store: sample.folder)
    #expect(many.text.contains("the answer was cut within a call of a tool"))
    // What is typed in a chat has other words.
    try Tool.launch(["run", "echo"] + line.dropLast(), input: "Light!\n", store: sample.folder)
      .expectStatus(
        1, saying: "of a tool; give it more room with /set max-tokens N, and then /retry\n")
  }

  @Test func afterTheLastRoundTheModelHasToAnswer() throws {
    let line = try words("cat", "--yes", "--max-tool-rounds", "1")
    let answer = try Tool.launch(line, store: sample.folder).expectSuccess()
    #expect(
      answer.errorText.contains(
        "the model has called tools in 1 round, as many as may be, and has to answer now; --max-tool-rounds allows more\n"
      ), "\(answer.errorText)")
    let object = try Tool.launch(line + ["--json"], store: sample.folder).object()
    #expect(object["toolsEnded"] as? String == "limit")
    #expect((object["toolCalls"] as? [Any])?.count == 1)
    let free = try Tool.launch(words("cat", "--yes", "--json"), store: sample.folder).object()
    #expect(free["toolsEnded"] == nil)
  }

  /// What is refused is neither run nor read as a call.
  @Test func withoutCallsNothingRuns() throws {
    let marker = sample.folder.path("ran")
    let result = try Tool.launch(
      [
        "run", "echo", "Light!", "-n", "20", "--tool-choice", "none", "--yes", "--json", "--tool",
        tool("touch '\(marker)'"),
      ], store: sample.folder
    ).object()
    #expect((result["toolCalls"] as? [Any])?.isEmpty == true)
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  @Test func whatToolsPutOutMayLeaveNoRoom() throws {
    let line = try words("head -c 9000 /dev/zero | tr '\\0' x", "--yes")
    let result = try Tool.launch(line, store: sample.folder).expectStatus(2)
    #expect(
      result.errorText.contains(
        "what the tools put out leaves no room for an answer: "), "\(result.errorText)")
    #expect(
      result.errorText.contains(
        " of a context of 4,096 after 1 round of calls; let the tools print less, or allow fewer rounds with --max-tool-rounds\n"
      ), "\(result.errorText)")
  }

  /// The prompt of `run` has the tokens that `render` shows.
  @Test func whatIsRenderedIsWhatTheModelSees() throws {
    let file = try tool("cat")
    let chat = try sample.folder.write(
      #"[{"role": "user", "content": "Light!"}]"#, to: "chat.json")
    let rendered = try Tool.run(
      "render", "--messages", chat, "--tools", file, "--json", store: sample.folder
    ).expectSuccess().object()
    let text = try #require(rendered["text"] as? String)
    #expect(text.contains("You have access to functions."), "\(text)")
    #expect(text.contains(#"{"name": "lamp", "description": "Switches a lamp.""#), "\(text)")
    #expect(!text.contains("cat"), "the command is not for the model")
    let answer = try Tool.run(
      "run", "echo", "Light!", "-n", "4", "--tool", file, "--yes", "--json", store: sample.folder
    ).object()
    #expect((rendered["tokens"] as? [Int])?.count == answer["promptTokens"] as? Int)
  }

  @Test func aCommandThatFailsIsToldToTheModel() throws {
    let call = try #require(try calls(words("echo dark; exit 3", "-y")).first)
    #expect(call["output"] as? String == "dark\nThe command failed with status 3.")
    #expect(call["status"] as? Int == 3)
    let killed = try #require(try calls(words("kill -9 $$", "-y")).first)
    #expect(killed["output"] as? String == "The command failed with status 137.")
  }

  /// What it leaves running is not waited for.
  @Test func aCommandEndsWithItsShell() throws {
    let line = try words("sleep 60 2> /dev/null & echo done", "-y", "--json")
    let result = try Tool.launch(line, store: sample.folder).expectSuccess()
    let calls = try #require(try result.object()["toolCalls"] as? [[String: Any]])
    #expect(calls.first?["output"] as? String == "done" && result.duration < .seconds(50))
  }

  @Test func aCommandThatPrintsTooMuchIsEnded() throws {
    let result = try Tool.launch(words("yes | head -c 300000", "-y"), store: sample.folder)
      .expectStatus(4)
    #expect(
      result.errorText.hasSuffix(
        "the command of 'lamp' printed more than 262.1 kB, and was ended; let it print less\n"),
      "\(result.errorText)")
  }

  @Test func credentialsAreForToolsThatNameThem() throws {
    let variables = [
      "FMADAPTER_TOKEN": "secret", "HF_TOKEN": "secret", "SOME_API_KEY": "secret",
      "DATABASE_URL": "postgres://me:secret@host/db", "XDG_SESSION_ID": "seen",
    ]
    let words = try words("env | grep -c secret; echo $XDG_SESSION_ID; false", "-y")
    let call = try #require(try calls(words, variables).first)
    #expect(
      call["output"] as? String == "0\nseen\nThe command failed with status 1.", "\(call)")
    let told = try Tool.launch(words, store: sample.folder, environment: variables)
    #expect(
      told.errorText.contains(
        "it did not get DATABASE_URL, FMADAPTER_TOKEN, HF_TOKEN, SOME_API_KEY; what it needs, its file names under \"environment\"\n"
      ), "\(told.errorText)")
    _ = try tool("echo $SOME_API_KEY; env | grep -c secret", environment: ["SOME_API_KEY", "HOME"])
    let named = try #require(try calls(words, variables).first)
    #expect(named["output"] as? String == "secret\n1", "\(named)")
  }

  @Test func withoutSomebodyToAskNothingRuns() throws {
    let marker = sample.folder.path("ran")
    let result = try Tool.run(words("touch '\(marker)'"), store: sample.folder).expectStatus(2)
    #expect(
      result.errorText.hasPrefix(
        "fmadapter: error: there is nobody to ask before a tool runs; say --yes to let the model run its commands"
      ))
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  /// As each would be answered alone, with the same calls.
  @Test(arguments: ["1", "3"]) func promptsOfAFileMayCallTools(batch: String) throws {
    let prompts = ["Light!", "More light!", "Off", "Where are we?"]
    let input = try sample.folder.write(
      prompts.map { "\"\($0)\"\n" }.joined(), to: "in.jsonl")
    let line = ["-n", "60", "--tool-choice", "required", "--tool", try tool("cat"), "--yes"]
    let result = try Tool.launch(
      ["run", "echo", "--input", input, "--batch", batch] + line, store: sample.folder
    ).expectSuccess()
    #expect(!result.errorText.contains("tool lamp"))
    let answers = try result.text.objects()
    #expect(answers.count == prompts.count)
    for (prompt, one) in zip(prompts, answers) {
      let alone = try Tool.launch(["run", "echo", prompt, "--json"] + line, store: sample.folder)
        .object()
      #expect(one["prompt"] as? String == prompt)
      #expect(one["answer"] as? String == alone["text"] as? String)
      let calls = try #require(one["toolCalls"] as? [[String: Any]])
      #expect(calls.count == (alone["toolCalls"] as? [Any])?.count && !calls.isEmpty)
      #expect(calls[0]["output"] as? String == #"{"room": "hall"}"#)
    }
  }

  @Test func optionsWithoutAToolAreRefused() throws {
    for (words, text) in [
      (["--yes"], "--yes is for --tool"),
      (["--tool-choice", "none"], "--tool-choice is for --tool"),
      (["--max-tool-rounds", "3"], "--max-tool-rounds is for --tool"),
      (["--yes", "--tool", "a.json", "--raw"], "--tool and --raw exclude each other"),
      (["--yes", "--tool", "a.json", "--compare"], "--tool and --compare exclude each other"),
    ] {
      let result = try Tool.run(["run", "echo", "Hi"] + words, store: sample.folder).expectStatus(
        2)
      #expect(result.errorText.contains(text))
    }
  }

  /// As MCP lists tools, and as Anthropic's API takes them.
  @Test(arguments: ["inputSchema", "input_schema", "parameters"])
  func theSchemaOfEachFormIsKept(key: String) throws {
    let path = sample.folder.path("form.json")
    let text =
      #"{"name": "lamp", "description": "a", "title": "Lamp", "command": "cat", "\#(key)": "#
      + #"{"type": "object", "properties": {"room": {"type": "string", "enum": ["hall"]}}, "required": ["room"]}}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let words = [
      "run", "echo", "Hi", "-n", "60", "--tool-choice", "required", "--yes", "--tool", path,
    ]
    #expect(try calls(words).first?["arguments"] as? [String: String] == ["room": "hall"])
  }

  @Test(arguments: [
    ("[]", "a tool is an object, not an array"), ("", "the file is empty"),
    (
      #"{"description": "a", "command": "a"}"#,
      #"the tool's name is missing; write {"name": ..., "description": ..., "parameters": {...}, "command": "..."}"#
    ),
    (
      #"{"name": "a", "description": "a", "command": ["a"]}"#,
      #"the tool's command is an array; write {"name": ..., "description": ..., "parameters": {...}, "command": "..."}"#
    ),
    (
      #"{"name": "a", "description": "a", "command": "a", "paramters": {"type": "object"}}"#,
      "the tool has 'paramters', which no form of tools has; did you mean 'parameters'?"
    ),
    (
      #"{"type": "function", "function": {"name": "a", "description": "a", "quux": 1}, "command": "a"}"#,
      #"the tool has 'quux', which no form of tools has; write {"name": ..., "description": ..., "parameters": {...}, "command": "..."}"#
    ),
    (
      #"{"name": "a", "description": "a", "command": "a", "parameters": {"type": "object"}, "input_schema": {"type": "object"}}"#,
      "the tool has a schema under 'parameters' and 'input_schema'; keep one"
    ),
    (
      #"{"name": "a", "description": "a", "command": "a", "environment": "HF_TOKEN"}"#,
      #"the tool's environment is no list of names; write "environment": ["NAME", ...]"#
    ),
    (
      #"{"name": "a", "description": "a", "command": "a", "inputSchema": null}"#,
      "the tool's inputSchema are no schema of an object"
    ),
    (
      #"{"name": "a", "description": "a", "command": "a", "parameters": {"type": "string"}}"#,
      "the tool's parameters are no schema of an object"
    ),
    (
      #"{"name": "a", "description": "a", "command": "a", "parameters": {"type": "object", "properties": {"b": {"type": "number", "multipleOf": 2}}}}"#,
      "The schema limits values at #/properties/b by 'multipleOf' in a way that cannot be enforced; leave it out, or say it in another way"
    ),
  ])
  func aFileThatIsNoToolIsRefused(json: String, text: String) throws {
    let path = sample.folder.path("wrong.json")
    try Data(json.utf8).write(to: URL(fileURLWithPath: path))
    try Tool.run("run", "echo", "Hi", "--yes", "--tool", path, store: sample.folder)
      .expectStatus(
        4,
        error: "\(path): \(text)")
  }

  private func terminal(_ words: [String]) throws -> PseudoTerminal {
    try PseudoTerminal(
      words, columns: 200,
      environment: ["FMADAPTER_HOME": sample.folder.path("store"), "NO_COLOR": "1"])
  }

  @Test func aPersonIsAskedBeforeEachRun() throws {
    let marker = sample.folder.path("ran")
    let words = try words("touch '\(marker)'")
    let refusing = try terminal(words)
    #expect(refusing.wait(for: "tool lamp {\"room\": \"hall\"}"))
    try refusing.type("\r", after: "run 'touch '\(marker)''? [y/N]")
    #expect(refusing.finish() == 0)
    #expect(!FileManager.default.fileExists(atPath: marker))
    _ = try tool("touch '\(marker)'", environment: ["B_KEY", "A_KEY"])
    let agreeing = try terminal(words)
    try agreeing.type("y\r", after: "' with A_KEY, B_KEY? [y/N]")
    #expect(agreeing.finish() == 0)
    #expect(FileManager.default.fileExists(atPath: marker))
  }

  @Test func onlyWhatIsTypedBehindTheQuestionAnswersIt() throws {
    let marker = sample.folder.path("ran")
    let terminal = try terminal(words("touch '\(marker)'"))
    try terminal.type("y\r")
    for typed in ["yes\rmore", "\u{1B}[200~y\u{1B}[201~", "y\u{4}"] {
      try terminal.type(typed, after: "[y/N]")
    }
    #expect(terminal.finish() == 0)
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  /// What is pasted may come in pieces, some of them behind the question.
  @Test func aPasteThatBeganBeforeTheQuestionDoesNotAnswerIt() throws {
    let marker = sample.folder.path("ran")
    let terminal = try terminal([
      "run", "echo", "-n", "60", "--tool-choice", "required", "--tool", tool("touch '\(marker)'"),
    ])
    try terminal.type("Light!\r\u{1B}[200~one\r", after: "> ")
    try terminal.type("y\ry\r\u{1B}[201~", after: "tool lamp")
    try terminal.type("\r", after: "[y/N]")
    try terminal.type("/exit\r", after: "> ")
    #expect(terminal.finish() == 0)
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  @Test func theQuestionIsShownAgainWhenTheProgramGoesOn() throws {
    let marker = sample.folder.path("ran")
    let terminal = try terminal(words("touch '\(marker)'"))
    try terminal.type("n", after: "[y/N]")
    #expect(terminal.wait(for: "n") && terminal.suspend())
    terminal.resume()
    #expect(terminal.wait(for: "[y/N]"))
    // What is typed may be taken back, by Ctrl-W as by Ctrl-U.
    try terminal.type("no\u{15}n\u{17}y\r")
    #expect(terminal.finish() == 0)
    #expect(FileManager.default.fileExists(atPath: marker))
  }

  @Test func interruptingTheQuestionRunsNothing() throws {
    let terminal = try terminal([
      "run", "echo", "-n", "60", "--tool-choice", "required", "--tool", tool("true"),
    ])
    for line in ["Light!", "/retry"] {
      try terminal.type(line + "\r", after: "> ")
      #expect(terminal.wait(for: "[y/N]"))
      terminal.interrupt()
      #expect(terminal.wait(for: "fmadapter: error: the tool was not run; /retry asks again"))
    }
    try terminal.type("/exit\r", after: "> ")
    #expect(terminal.finish() == 0)
  }

  /// Commands that go on by themselves, whether they like to be stopped or not.
  private static let endless = [
    "echo started >&2; sleep 60", "trap '' TERM; echo started >&2; sleep 60",
    "exec >&-; echo started >&2; sleep 60",
  ]

  @Test(arguments: endless) func interruptingStopsTheCommand(_ command: String) throws {
    let terminal = try terminal(words(command, "--yes"))
    #expect(terminal.wait(for: "started"))
    let start = ContinuousClock.now
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    #expect(start.duration(to: .now) < soon)
  }

  @Test(arguments: endless)
  func inAChatInterruptingStopsTheCommandAlone(_ command: String) throws {
    let terminal = try terminal([
      "run", "echo", "-n", "60", "--yes", "--tool-choice", "required", "--tool", tool(command),
    ])
    try terminal.type("Light!\r", after: "> ")
    #expect(terminal.wait(for: "started"))
    terminal.interrupt()
    #expect(terminal.wait(for: "the tool was stopped") && terminal.wait(for: "> "))
    try terminal.type("/exit\r")
    #expect(terminal.finish() == 0)
  }
}
