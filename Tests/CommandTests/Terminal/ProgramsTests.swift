import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// Programs that the shell runs.
@Suite(.waits) struct ProgramsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Runs `command` in the folder until it has made the file `started`, and then stops it.
  private func stop(_ command: String) -> (isStopped: Bool, duration: Duration) {
    let start = ContinuousClock.now
    let end = TerminalControl.runShell(
      "cd '\(folder.path)' && echo $$ > process && { \(command); }", input: [],
      environment: ["PATH": "/usr/bin:/bin"], limit: 1 << 10
    ) { exists("started") }
    let duration = start.duration(to: .now)
    guard case .stopped = end else { return (false, duration) }
    return (true, duration)
  }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.path(name))
  }

  /// Whether the process whose number is in the file `name` still runs; one that nobody has asked how it ended does not.
  private func isRunning(_ name: String = "process") throws -> Bool {
    let number = try String(contentsOfFile: folder.path(name), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let state = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
    return state.map { !$0.contains(") Z ") } ?? false
  }

  @Test(arguments: [
    "touch started; sleep 40", "trap '' TERM; touch started; sleep 40",
    "exec >&-; touch started; sleep 40", "exec >&-; trap '' TERM; touch started; sleep 40",
  ])
  func nobodyIsHeldByAProgramThatIsStopped(_ command: String) throws {
    let end = stop(command)
    #expect(end.isStopped && end.duration < .seconds(30), "\(end)")
    #expect(try !isRunning())
  }

  /// What the shell has started ends with it, though it does not listen and the shell does.
  @Test func theWholeGroupEnds() throws {
    let end = stop(
      "sh -c 'trap \"\" TERM; echo $$ > child; touch started; sleep 40' & wait")
    #expect(end.isStopped)
    #expect(try !isRunning("child"))
  }

  @Test func aProgramIsAskedFirst() throws {
    let end = stop(
      "trap 'touch cleaned; exit' TERM; touch started; while true; do sleep 0.05; done")
    #expect(end.isStopped && exists("cleaned"))
    #expect(try !isRunning())
  }

  /// It has ended when it has, not when nothing more can come from it.
  @Test func aProgramThatClosesItsOutputIsWaitedFor() throws {
    let end = TerminalControl.runShell(
      "echo whole; exec >&-; sleep 0.2; touch '\(folder.path("end"))'; exit 3", input: [],
      environment: ["PATH": "/usr/bin:/bin"], limit: 1 << 10
    ) { false }
    guard case .ended(let bytes, let status) = end else {
      Issue.record("\(end)")
      return
    }
    #expect(bytes == Array("whole\n".utf8) && status == 3 && exists("end"))
  }
}
