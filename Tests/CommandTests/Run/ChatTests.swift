import TestSupport
import Testing

@testable import fmadapter

/// The chat on a terminal of its own.
@Suite(.waits) struct ChatTests {
  private func chat(_ sample: SampleBase, _ more: String...) throws -> PseudoTerminal {
    try sample.install()
    return try PseudoTerminal(
      ["run", "echo"] + more,
      environment: ["FMADAPTER_HOME": sample.folder.path("store"), "NO_COLOR": "1"])
  }

  @Test func interruptingEndsTheAnswerNotTheProgram() throws {
    let sample = try SampleBase(context: 100_000)
    let terminal = try chat(sample, "--max-tokens", "90000")
    #expect(terminal.wait(for: "> "))
    try terminal.type("hello\r")
    // The end of the line is drawn when the answer begins.
    #expect(terminal.wait(for: "hello") && terminal.wait(for: "\r\n"))
    #expect(terminal.wait(forMore: 20))
    let start = ContinuousClock.now
    terminal.interrupt()
    #expect(terminal.wait(for: "interrupted)"))
    #expect(start.duration(to: .now) < .milliseconds(1500))
    #expect(terminal.wait(for: "> "))
    try terminal.type("/exit\r")
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

  @Test func errorsStandAloneAndNameTheReset() throws {
    let sample = try SampleBase(context: 100)
    let terminal = try chat(sample, "-n", "5")
    #expect(terminal.wait(for: "> "))
    try terminal.type(String(repeating: "x", count: 150) + "\r")
    #expect(terminal.wait(for: "\nfmadapter: error: the message needs "))
    #expect(terminal.wait(for: "start anew") && terminal.wait(for: "/reset"))
    #expect(terminal.wait(for: "> "))
    try terminal.type("hi\r")
    #expect(terminal.wait(for: "\r\n(5 tokens, "))
    try terminal.type("/exit\r")
    #expect(terminal.finish() == 0)
  }

  @Test func aDumbTerminalGetsPlainLines() throws {
    let sample = try SampleBase()
    try sample.install()
    let terminal = try PseudoTerminal(
      ["run", "echo"],
      environment: ["FMADAPTER_HOME": sample.folder.path("store"), "TERM": "dumb"])
    #expect(terminal.wait(for: "> "))
    try terminal.type("/reset\n")
    #expect(terminal.wait(for: "The conversation is forgotten.") && terminal.wait(for: "> "))
    try terminal.type("/exit\n")
    #expect(terminal.finish() == 0)
    #expect(!terminal.screen.contains("\u{1B}"))
  }
}
