import SystemFiles
import TestSupport
import Testing

@Suite struct ShellTextTests {
  @Test func textsAreQuoted() {
    #expect("it's".shellQuoted == "'it'\\''s'")
  }

  static let shown = [
    ("/tmp/a-1.fmadapter", "/tmp/a-1.fmadapter"), ("sp ace/x", "\"sp ace/x\""), ("", "\"\""),
    ("it's", "\"it's\""), ("a\"b", "'a\"b'"), ("$HOME", "'$HOME'"), ("~/x", "\"~/x\""),
  ]

  @Test(arguments: shown) func wordsOfShownCommandsCanBePasted(
    _ text: String, _ word: String
  ) throws {
    #expect(text.shellWord == word)
    let read = try Subprocess.run("/bin/sh", ["-c", "printf %s \(word)"])
    #expect(read.text == text)
  }
}
