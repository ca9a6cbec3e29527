import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite struct TrainingLogTests {
  /// Behind a checkpoint nobody knows any more what the log of the package was.
  @Test func aLogThatWentOnStays() throws {
    let folder = try TemporaryDirectory()
    let line = #"{"event": "step", "step": 1, "loss": 1.0}"# + "\n"
    let path = try folder.write(line, to: "mine.training.jsonl")
    let place = try TrainingPlace(
      folder.path("mine"), replaces: true, resumes: true, goesOn: false)
    let log = try TrainingLog(place, streams: false, Capture().terminal())
    try log.goOn(after: 1, measured: 0)
    try log.restore()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == line)
  }
}
