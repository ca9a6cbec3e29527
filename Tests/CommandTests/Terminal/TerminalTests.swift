import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct TerminalTests {
  private func help(columns: UInt16 = 80, _ environment: [String: String] = [:], _ more: String...)
    throws -> String
  {
    let terminal = try PseudoTerminal(
      ["help", "completions"] + more, columns: columns, environment: environment)
    #expect(terminal.finish() == 0)
    return terminal.screen
  }

  @Test func aTerminalGetsEmphasis() throws {
    #expect(try help().contains("\u{1B}[1mExamples:\u{1B}[0m"))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func plainTextWhereItIsWanted(_ environment: [String: String]) throws {
    #expect(try !help(environment).contains("\u{1B}"))
  }

  @Test func noColorIsAnOptionToo() throws {
    let terminal = try PseudoTerminal(["completions", "--no-color", "nonsense"])
    #expect(terminal.finish() == 2)
    #expect(!terminal.screen.contains("\u{1B}"))
  }

  @Test func anEmptyNoColorMeansNothing() throws {
    #expect(try help(["NO_COLOR": ""]).contains("\u{1B}[1m"))
  }

  @Test func theWidthIsTheTerminals() throws {
    for line in try help(columns: 40, ["NO_COLOR": "1"]).split(separator: "\r\n")
    where !line.contains("fmadapter ") {
      #expect(line.count <= 40, "\(line)")
    }
  }

  @Test func messagesBreakAtBlanksHoweverNarrow() throws {
    let terminal = try PseudoTerminal(["fly"], columns: 24, environment: ["NO_COLOR": "1"])
    #expect(terminal.finish() == 2)
    #expect(
      terminal.screen
        == "fmadapter: error: there\r\nis no command 'fly'\r\nSee 'fmadapter --help'.\r\n")
  }

  @Test(
    arguments: [
      (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "C"], false),
      ([:], false),
      (["LANG": "C.UTF-8", "LC_ALL": "POSIX"], false),
      (["LANG": "C", "LC_CTYPE": "C.UTF-8"], true),
      (["LANG": "C.UTF-8", "LC_ALL": ""], true),
    ] as [([String: String], Bool)])
  func theLocaleDecidesOnUnicode(_ environment: [String: String], _ expected: Bool) {
    #expect(Terminal(environment: environment).showsUnicode == expected)
  }
}
