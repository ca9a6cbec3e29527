import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct ProgramTests {
  @Test func versionIsOneLine() throws {
    #expect(try Tool.launch(["--version"]).text == "fmadapter \(programVersion)\n")
  }

  /// The whole of Foundation, with its tables for all languages, takes a fifth of the time of every start.
  @Test func itsSourcesImportOnlyTheEssentialsOfFoundation() throws {
    for (path, text) in try SourceText.commandFiles() {
      #expect(!text.contains(/(?m)import Foundation$/), "\(path): import FoundationEssentials")
    }
  }

  @Test func usageErrorsExitWithTwoAndSayWhereToRead() throws {
    let result = try Tool.launch(["completion", "bash"])
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(
      result.errorText == """
        fmadapter: error: there is no command 'completion'; did you mean 'completions'?
        See 'fmadapter --help'.

        """)
  }

  @Test func noCommandAtAllShowsTheHelpOnStandardError() throws {
    let result = try Tool.launch([])
    #expect(result.status == 2)
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
    let result = try Subprocess.run("/bin/bash", ["-c", script, "bash", Tool.path])
    #expect(result.status == 8)
    #expect(
      result.errorText == "fmadapter: error: cannot write the result: No space left on device\n")
  }

  @Test(arguments: [40, 80])
  func helpFollowsTheColumns(_ columns: Int) throws {
    let help = try Tool.run("completions", "--help", environment: ["COLUMNS": "\(columns)"]).text
    for line in help.split(separator: "\n") where !line.contains("fmadapter ") {
      #expect(line.count <= columns, "\(line)")
    }
  }

  @Test func noEscapesLeaveAPipe() throws {
    let result = try Tool.run("nonsense", environment: ["TERM": "xterm-256color"])
    #expect(!result.errorOutput.contains(0x1B))
    #expect(try !Tool.run("--help", environment: ["TERM": "xterm"]).output.contains(0x1B))
  }
}
