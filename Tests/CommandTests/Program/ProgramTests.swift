import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct ProgramTests {
  @Test func versionIsOneLine() throws {
    let line = try Tool.launch(["--version"]).text
    let form = /fmadapter (\S+) \((commit [0-9a-f]{12,}(, changed)?|unknown commit)\)\n/
    #expect(try #require(line.wholeMatch(of: form), "\(line)").output.1 == programVersion)
  }

  @Test func theVersionNamesTheCommitOrSaysThatNoneIsKnown() {
    #expect(versionLine(commit: nil) == "fmadapter \(programVersion) (unknown commit)")
    #expect(
      versionLine(commit: "1a2b, changed") == "fmadapter \(programVersion) (commit 1a2b, changed)")
  }

  /// The whole of Foundation, with its tables for all languages, takes a fifth of the time of every start.
  @Test func itsSourcesImportOnlyTheEssentialsOfFoundation() throws {
    for (path, text) in try SourceText.commandFiles() {
      #expect(!text.contains(/(?m)import Foundation$/), "\(path): import FoundationEssentials")
    }
  }

  @Test func usageErrorsExitWithTwoAndSayWhereToRead() throws {
    let result = try Tool.launch(["completion", "bash"]).expectStatus(2)
    #expect(result.output.isEmpty)
    #expect(
      result.errorText == """
        fmadapter: error: there is no command 'completion'; did you mean 'completions'?
        See 'fmadapter --help'.

        """)
  }

  @Test func bytesThatAreNoTextAreRefusedAndNameNothingElse() throws {
    let folder = try TemporaryDirectory()
    let script = """
      cd "$FOLDER"
      "$TOOL" list "$(printf 'a\\377b')"; echo $?
      FMADAPTER_HOME="$FOLDER/$(printf 's\\377')" "$TOOL" list; echo $?
      """
    let result = try Subprocess.run(
      "/bin/sh", ["-c", script], environment: ["TOOL": Tool.path, "FOLDER": folder.path])
    #expect(result.text == "2\n2\n")
    let errors = result.errorText.split(separator: "\n").filter { $0.contains("error") }
    let remedy = "write a text in UTF-8, or give the file or folder another name"
    let expected: [Substring] = [
      "fmadapter: error: argument 2 is not UTF-8: 'a\\xFFb'; \(remedy)",
      "fmadapter: error: FMADAPTER_HOME is not UTF-8: '\(folder.path)/s\\xFF'; \(remedy)",
    ]
    #expect(errors == expected)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func noCommandAtAllShowsTheHelpOnStandardError() throws {
    let result = try Tool.launch([]).expectStatus(2)
    #expect(result.output.isEmpty)
    #expect(result.errorText == (try Tool.run("--help").text))
  }

  @Test func thePipeMayCloseEarly() throws {
    let script = "\"$1\" completions zsh | head -n 1"
    let result = try Subprocess.run("/bin/bash", ["-c", script, "bash", Tool.path])
    #expect(result.text == "#compdef fmadapter\n")
    #expect(result.errorText.isEmpty)
  }

  @Test func aFullDiskIsAStorageError() throws {
    let script = "\"$1\" --help > /dev/full"
    try Subprocess.run("/bin/bash", ["-c", script, "bash", Tool.path]).expectStatus(
      8,
      error: "cannot write the result: No space left on device")
  }

  @Test func noEscapesLeaveAPipe() throws {
    let result = try Tool.run("nonsense", environment: ["TERM": "xterm-256color"])
    #expect(!result.errorOutput.contains(0x1B))
    #expect(try !Tool.run("--help", environment: ["TERM": "xterm"]).output.contains(0x1B))
  }
}
