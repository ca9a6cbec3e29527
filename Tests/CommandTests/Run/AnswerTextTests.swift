import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct AnswerTextTests {
  @Test func wordsStayWholeAtTheEdge() throws {
    let sample = try SampleBase()
    let terminal = try PseudoTerminal(
      ["run", "--no-adapter", "--base", sample.base, "hi", "-n", "200", "-t", "2", "--seed", "4"],
      columns: 40)
    #expect(terminal.finish() == 0)
    // Nothing is left to the terminal to break, but for words that are longer than a line.
    let screen = String(decoding: Hostile.withoutOwnSequences(terminal.screen), as: UTF8.self)
    for line in screen.split(separator: "\n") where !line.contains("\t") {
      #expect(line.cellWidth <= 40 || !line.contains(" "), "\(line)")
    }
  }

  @Test func elsewhereItIsPrintedAsItIs() throws {
    let capture = try Capture()
    var text = AnswerText(capture.terminal())
    for piece in ["a long", "er line \u{1B}[2J", " of words\n"] { text.append(piece) }
    text.finish()
    #expect(
      String(decoding: capture.output, as: UTF8.self) == "a longer line \u{1B}[2J of words\n\n")
  }

  /// Others write to the same pipe, as with `xargs -P4`.
  @Test func linesAreWrittenWhole() throws {
    let capture = try Capture()
    var (one, other) = (AnswerText(capture.terminal()), AnswerText(capture.terminal()))
    for (first, second) in [("1", "a"), ("2\n3", "b\r\n\nc"), ("4", "d"), ("\n", "e")] {
      one.append(first)
      other.append(second)
    }
    one.finish()
    other.finish()
    #expect(String(decoding: capture.output, as: UTF8.self) == "12\nab\r\n\n34\n\ncde\n")
  }
}
