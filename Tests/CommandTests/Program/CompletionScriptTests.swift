import Testing
import TestSupport

@testable import fmadapter

@Suite struct CompletionScriptTests {
  @Test(arguments: [
    ("completions ", "bash fish zsh"), ("compl", "completions"), ("completions --q", "--quiet"),
  ])
  func bashCompletes(_ line: String, _ expected: String) throws {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let script = """
      source <("$1" completions bash)
      COMP_WORDS=(fmadapter \(words.map(\.shellQuoted).joined(separator: " ")))
      COMP_CWORD=\(words.count)
      _fmadapter
      printf '%s\\n' "${COMPREPLY[@]}" | sort | tr '\\n' ' '
      """
    let result = try Subprocess.run("/bin/bash", ["-c", script, "bash", Tool.path])
    #expect(result.errorText.isEmpty)
    #expect(result.text == expected + " ")
  }

  @Test func everyCommandAndOptionIsInEveryScript() {
    let script = CompletionScript(root: .root)
    for text in [script.bash, script.zsh, script.fish] {
      for entry in script.entries.dropFirst() {
        #expect(text.contains(entry.command.name))
        for option in entry.options { #expect(text.contains(option.name.dropFirst(2))) }
      }
    }
  }

  @Test func textsAreQuoted() {
    #expect("it's".shellQuoted == "'it'\\''s'")
  }
}
