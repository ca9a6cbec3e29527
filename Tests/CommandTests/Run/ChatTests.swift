import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// The chat on a terminal of its own.
@Suite(.waits) struct ChatTests {
  private func chat(_ sample: SampleBase, _ more: String...) throws -> PseudoTerminal {
    try sample.install()
    return try go(on: sample, more)
  }

  /// Another chat in the same store, with the same history.
  private func go(on sample: SampleBase, _ more: [String] = []) throws -> PseudoTerminal {
    try PseudoTerminal(
      ["run", "echo"] + more,
      environment: [
        "FMADAPTER_HOME": sample.folder.path("store"), "NO_COLOR": "1",
        "XDG_STATE_HOME": sample.folder.path("state"),
      ])
  }

  private func roles(_ path: String) throws -> [String] {
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    return try #require(json as? [[String: Any]]).map {
      "\($0["role"] ?? ""): \($0["content"] ?? "")"
    }
  }

  @Test func whatIsPastedIsOneMessage() throws {
    let sample = try SampleBase()
    let terminal = try chat(sample, "-n", "3")
    // The terminal is asked to mark what is pasted.
    #expect(terminal.wait(for: "\u{1B}[?2004h") && terminal.wait(for: "> "))
    try terminal.type("so: \u{1B}[200~one\rtwo\r\nthree\r\u{1B}[201~!")
    try terminal.type("\r", after: "so: one↵two↵three!")
    #expect(terminal.wait(for: "\r\n") && terminal.wait(for: "(3 tokens, "))
    let path = sample.folder.path("chat.json")
    try terminal.type("/save \(path)\r")
    #expect(terminal.wait(for: "2 messages in") && terminal.wait(for: "> "))
    try terminal.type("\u{04}")
    #expect(terminal.finish() == 0)
    #expect(try roles(path)[0] == "user: so: one\ntwo\nthree!")
  }

  @Test func linesOfEarlierChatsComeBack() throws {
    let sample = try SampleBase()
    let first = try chat(sample, "-n", "1")
    try first.type("a first line\r", after: "> ")
    #expect(first.wait(for: "(1 token, ") && first.wait(for: "> "))
    try first.type("\u{04}")
    #expect(first.finish() == 0)
    let second = try go(on: sample)
    try second.type("\u{1B}[A", after: "> ")
    try second.type("\u{15}/exit\r", after: "a first line")
    #expect(second.finish() == 0)
  }

  @Test func aChatIsSavedAndGoesOnLater() throws {
    let sample = try SampleBase(adapters: ["echo", "other"])
    let path = sample.folder.path("chat.json")
    let first = try chat(sample, "-n", "4", "--instructions", "Be brief.")
    try first.type("hello\r", after: "> ")
    #expect(first.wait(for: "(4 tokens, ") && first.wait(for: "> "))
    for round in 1...2 {
      // Again into the same file, without a word.
      try first.type(round == 1 ? "/save \(path)\r" : "/save\r")
      #expect(first.wait(for: "3 messages in") && first.wait(for: "> "))
    }
    try first.type("\u{04}")
    #expect(first.finish() == 0)
    let said = try roles(path)
    #expect(said.prefix(2) == ["system: Be brief.", "user: hello"] && said.count == 3)

    let second = try go(on: sample, ["-n", "4"])
    try second.type("/save \(path)\r", after: "> ")
    #expect(second.wait(for: "exists") && second.wait(for: "> "))
    try second.type("/load \(path)\r")
    #expect(second.wait(for: "3 messages from") && second.wait(for: "> "))
    try second.type("/set instructions\r")
    #expect(second.wait(for: "instructions Be brief.") && second.wait(for: "> "))
    try second.type("again\r")
    #expect(second.wait(for: "(4 tokens, ") && second.wait(for: "> "))
    try second.type("/save\r")
    #expect(second.wait(for: "5 messages in") && second.wait(for: "> "))
    try second.type("\u{04}")
    #expect(second.finish() == 0)
    let more = try roles(path)
    #expect(Array(more.prefix(3)) == said && more[3] == "user: again")
  }

  @Test func settingsAndAdaptersChangeOnTheWay() throws {
    let sample = try SampleBase(adapters: ["echo", "other"])
    let terminal = try chat(sample, "-n", "2", "--seed", "7")
    let lines = [
      ("/set", "context-policy drop-oldest"), ("/set max-tokens 5", "max-tokens 5"),
      ("hi", "(5 tokens, "), ("/set temperature 9", "takes a number, 0 to 2, not '9'"),
      ("/set colour red", "there is no setting 'colour'"), ("/retry", "likeliest words"),
      ("/set temperature 0.8", "temperature 0.8"), ("/retry", "The seed is 8 now."),
      ("/set seed", "seed 8; the last answer had 8"), ("/load", "as in /load chat"),
      ("/save \(sample.folder.path(""))", "folder;"),
      ("/set seed 3", "seed 3"), ("/adapter", "fmadapter-echo-ccccccc is applied."),
      ("/adapter \(sample.folder.path("other.fmadapter"))", "fmadapter-other-ccccccc is applied."),
      ("and now", "(5 tokens, "), ("/adapter none", "The base answers alone."),
      ("/adapter weather", "weather"), ("/set context-policy keep-last=1", "keep-last=1"),
      ("third", "What was said before the last 1 turn is forgotten"),
    ]
    for (line, answer) in lines {
      try terminal.type(line + "\r", after: "> ")
      // What is typed is drawn first.
      #expect(terminal.wait(for: "\r\n") && terminal.wait(for: answer), "\(line)")
    }
    #expect(terminal.wait(for: "(5 tokens, ") && terminal.wait(for: "> "))
    try terminal.type("\u{04}")
    #expect(terminal.finish() == 0)
  }

  @Test func interruptingEndsTheAnswerNotTheProgram() throws {
    let sample = try SampleBase(context: 100_000)
    let terminal = try chat(sample, "--max-tokens", "90000", "--allow-loops")
    try terminal.type("hello\r", after: "> ")
    // The end of the line is drawn when the answer begins.
    #expect(terminal.wait(for: "hello") && terminal.wait(for: "\r\n"))
    #expect(terminal.wait(forMore: 20))
    let start = ContinuousClock.now
    terminal.interrupt()
    #expect(terminal.wait(for: "interrupted)"))
    #expect(start.duration(to: .now) < soon)
    try terminal.type("/exit\r", after: "> ")
    #expect(terminal.finish() == 0)
  }

  @Test func whatIsTypedInAnAnswerWaitsForThePrompt() throws {
    let sample = try SampleBase(context: 100_000)
    let terminal = try chat(sample, "--max-tokens", "90000", "--allow-loops")
    try terminal.type("hello\r", after: "> ")
    #expect(terminal.wait(for: "\r\n") && terminal.wait(forMore: 20))
    try terminal.type("/nope\rahead \u{1B}[200~one\rtwo\u{1B}[201~!")
    terminal.interrupt()
    #expect(terminal.wait(for: "interrupted)"))
    let before = try #require(terminal.screen.range(of: "interrupted)")).lowerBound
    #expect(terminal.screen.ranges(of: /nope|ahead/).allSatisfy { $0.lowerBound > before })
    #expect(terminal.wait(for: "> /nope") && terminal.wait(for: "There is no /nope"))
    try terminal.type("\u{15}/exit\r", after: "> ahead one↵two!")
    #expect(terminal.finish() == 0)
  }

  @Test func suspendingComesBackToTheLine() throws {
    let sample = try SampleBase()
    let terminal = try chat(sample)
    try terminal.type("hello", after: "> ")
    #expect(terminal.wait(for: "> hello") && !terminal.echoes)
    for _ in 1...2 {
      #expect(terminal.suspend() && terminal.echoes)
      terminal.resume()
      #expect(terminal.wait(for: "\u{1B}[?2004l") && terminal.wait(for: "\u{1B}[?2004h"))
      #expect(terminal.wait(for: "> hello") && !terminal.echoes)
    }
    try terminal.type("\u{15}/exit\r")
    #expect(terminal.finish() == 0 && terminal.screen.hasSuffix("\u{1B}[?2004l"))
  }

  @Test func suspendingAnAnswerLetsItGoOn() throws {
    let sample = try SampleBase(context: 100_000)
    let terminal = try chat(sample, "--max-tokens", "90000", "--allow-loops")
    try terminal.type("hello\r", after: "> ")
    #expect(terminal.wait(for: "\r\n") && terminal.wait(forMore: 20))
    // A shell does not get what was typed for the chat.
    try terminal.type("/nope\r")
    #expect(terminal.suspend() && terminal.echoes)
    terminal.resume()
    #expect(terminal.wait(for: "\u{1B}[?2004h") && terminal.wait(forMore: 20))
    #expect(!terminal.echoes)
    terminal.interrupt()
    #expect(terminal.wait(for: "interrupted)") && terminal.wait(for: "> "))
    try terminal.type("/exit\r")
    #expect(terminal.finish() == 0 && !terminal.screen.contains("nope"))
  }

  /// By a signal that no program sees, after which a shell has the terminal.
  @Test func stoppingAnAnswerLeavesItTheKeys() throws {
    let sample = try SampleBase(context: 100_000)
    let terminal = try chat(sample, "--max-tokens", "90000", "--allow-loops")
    try terminal.type("hello\r", after: "> ")
    #expect(terminal.wait(for: "\r\n") && terminal.wait(forMore: 20))
    #expect(terminal.suspend(by: SIGSTOP) && terminal.echo() && terminal.echoes)
    terminal.resume()
    #expect(terminal.waitForSilence())
    terminal.interrupt()
    #expect(terminal.wait(for: "interrupted)") && terminal.wait(for: "> "))
    try terminal.type("/exit\r")
    #expect(terminal.finish() == 0)
  }

  @Test func whatIsTypedWhileTheBaseIsReadWaits() throws {
    let sample = try SampleBase().install()
    // What the chat reads behind the base comes when it is let.
    let schema = sample.folder.path("schema.json")
    #expect(mkfifo(schema, 0o600) == 0)
    let terminal = try go(on: sample, ["--schema", schema])
    #expect(terminal.waitForSilence())
    try terminal.type("early")
    let pipe = try #require(FileHandle(forWritingAtPath: schema))
    try pipe.write(contentsOf: Data(#"{"type": "boolean"}"#.utf8))
    try pipe.close()
    #expect(terminal.wait(for: "> early"))
    let prompt = try #require(terminal.screen.firstRange(of: "> ")).lowerBound
    #expect(!terminal.screen[..<prompt].contains("early"))
    try terminal.type("\u{15}/exit\r")
    #expect(terminal.finish() == 0)
  }

  @Test func keysEditTheLine() throws {
    let sample = try SampleBase()
    let terminal = try chat(sample)
    #expect(terminal.wait(for: "> "))
    // Typed wrongly, put right with Ctrl-A, delete, Ctrl-E and backspace.
    try terminal.type("x/nopq\u{01}\u{1B}[3~\u{05}\u{7F}e\r")
    #expect(terminal.wait(for: "There is no /nope") && terminal.wait(for: "> "))
    try terminal.type("\u{03}")
    #expect(terminal.wait(for: "Ctrl-D or /exit leaves.") && terminal.wait(for: "> "))
    try terminal.type("\u{04}")
    #expect(terminal.finish() == 0)
  }

  /// All of what was sent stays on the screen, not only what fitted the line.
  @Test func aLongMessageStaysWhole() throws {
    let sample = try SampleBase(context: 2000)
    let terminal = try chat(sample, "-n", "2")
    #expect(terminal.wait(for: "> "))
    let message = "begin " + String(repeating: "so it goes on ", count: 9)
    try terminal.type(message + "\r")
    #expect(terminal.wait(for: "\u{1B}[K> \(message)\r") && terminal.wait(for: "(2 tokens, "))
    try terminal.type("\u{1B}[200~one\rtwo\u{1B}[201~\r", after: "> ")
    #expect(terminal.wait(for: "\u{1B}[K> one\r\ntwo\r") && terminal.wait(for: "(2 tokens, "))
    try terminal.type("/exit\r", after: "> ")
    #expect(terminal.finish() == 0)
  }

  /// Ctrl-R looks for it, Ctrl-G comes back, and Ctrl-Y puts back what Ctrl-U took.
  @Test func anEarlierLineIsLookedFor() throws {
    let sample = try SampleBase()
    let terminal = try chat(sample, "-n", "1")
    for line in ["/a one", "/b two", "/c one"] {
      try terminal.type(line + "\r", after: "> ")
      #expect(terminal.wait(for: "There is no "))
    }
    try terminal.type("kept\u{12}one", after: "> ")
    try terminal.type("\u{12}", after: "(search: one) /c one")
    try terminal.type("\u{07}", after: "(search: one) /a one")
    try terminal.type("\u{15}\u{12}tw\r", after: "> kept")
    #expect(terminal.wait(for: "> /b two") && terminal.wait(for: "There is no /b"))
    try terminal.type("\u{19}!", after: "> ")
    try terminal.type("\u{15}/exit\r", after: "> kept!")
    #expect(terminal.finish() == 0)
  }

  /// Calls of a chat in a file stay in it under another adapter; data sets may have their arguments as JSON, and no identities.
  @Test(arguments: [#""{\"city\": \"Bern\"}""#, #"{"city": "Bern"}"#], [true, false])
  func callsOfAFileStay(_ arguments: String, hasIdentities: Bool) throws {
    let (id, other) = hasIdentities ? (#""id": "c1", "#, #", "tool_call_id": "c1""#) : ("", "")
    let sample = try SampleBase(context: 1000).install()
    let file = try sample.folder.write(
      #"""
      [{"role": "user", "content": "Rain?"},
      {"role": "assistant", "tool_calls": [{\#(id)"function": {"name": "rain", "arguments": \#(arguments)}}]},
      {"role": "tool", "content": "yes"\#(other)}, {"role": "assistant", "content": "Yes."}]
      """#, to: "calls.json")
    let result = try Tool.run(
      ["run", "echo", "-n", "2"], input: "/load \(file)\nhi\n/adapter none\nhi\n",
      store: sample.folder
    ).expectSuccess(saying: "4 messages from \(file).")
    #expect(result.errorText.ranges(of: "(2 tokens, ").count == 2, "\(result.errorText)")
  }

  /// What is answered to a word with a slash is no note, and an error that no reset would mend does not name one.
  @Test func slashesAreAnsweredInAQuietChatToo() throws {
    let sample = try SampleBase()
    let terminal = try chat(sample, "-n", "2", "--quiet")
    for (line, answer) in [
      ("/help", "//text"), ("/set seed", "seed another one"),
      ("/nope", "There is no /nope; /help lists what there is, and //nope is a"),
      ("/bye", "did you mean /exit? "), ("/rest", "did you mean /reset? "),
      ("/load ./nowhere.json", "fmadapter: error: "), ("/adapter", "is applied."),
      ("/retry", "nothing to answer again."),
    ] {
      try terminal.type(line + "\r", after: "> ")
      #expect(terminal.wait(for: "\r\n") && terminal.wait(for: answer), "\(line)")
    }
    try terminal.type("/exit\r", after: "> ")
    #expect(terminal.finish() == 0)
    #expect(!terminal.screen.contains("/reset forgets"))
  }

  @Test func errorsStandAloneAndNameTheRemedy() throws {
    let sample = try SampleBase(context: 100)
    let terminal = try chat(sample, "-n", "5")
    try terminal.type(String(repeating: "x", count: 150) + "\r", after: "> ")
    #expect(terminal.wait(for: "\r\nfmadapter: error: the message needs "))
    #expect(terminal.wait(for: "shorten") && terminal.wait(for: "it"))
    try terminal.type("hi\r", after: "> ")
    #expect(terminal.wait(for: "\r\n(5 tokens, ") && terminal.wait(for: "> "))
    try terminal.type("/exit\r")
    #expect(terminal.finish() == 0)
  }

  /// The one that was typed last, whether it got an answer or not; answers that were there stay.
  @Test func theLastMessageIsAnsweredAgain() throws {
    let sample = try SampleBase(context: 100)
    let terminal = try chat(sample, "-n", "5")
    let (long, tooLong) = (String(repeating: "x", count: 150), "error: the message needs ")
    let path = sample.folder.path("chat.json")
    for (line, answer) in [
      (long, tooLong), ("/retry", tooLong), ("hi", "(5 tokens, "), ("/retry", "(5 tokens, "),
      (long, tooLong), ("/retry", tooLong), ("/save \(path)", "2 messages in"),
      ("/reset", "is forgotten."), ("/retry", "nothing to answer again."),
    ] {
      try terminal.type(line + "\r", after: "> ")
      #expect(terminal.wait(for: "\r\n") && terminal.wait(for: answer), "\(line)")
    }
    try terminal.type("/exit\r", after: "> ")
    #expect(terminal.finish() == 0)
    #expect(try roles(path)[0] == "user: hi")
  }

  @Test func aDumbTerminalGetsPlainLines() throws {
    let sample = try SampleBase().install()
    let terminal = try PseudoTerminal(
      ["run", "echo"],
      environment: ["FMADAPTER_HOME": sample.folder.path("store"), "TERM": "dumb"])
    try terminal.type("/reset\n", after: "> ")
    #expect(terminal.wait(for: "The conversation is forgotten.") && terminal.wait(for: "> "))
    terminal.interrupt()
    #expect(terminal.wait(for: "\nCtrl-D or /exit leaves.") && terminal.wait(for: "> "))
    try terminal.type("/exit\n")
    #expect(terminal.finish() == 0)
    #expect(!terminal.screen.contains("\u{1B}"))
  }
}
