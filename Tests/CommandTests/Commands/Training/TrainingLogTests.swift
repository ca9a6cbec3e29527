import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite struct TrainingLogTests {
  private static let before = [
    #"{"event": "start"}"#, #"{"event": "measure", "step": 0, "loss": 2.0}"#,
    #"{"event": "step", "step": 1, "loss": 1.0}"#,
  ]

  /// What came behind a checkpoint is made once more.
  @Test func aLogGoesOnBehindItsCheckpoint() throws {
    let folder = try TemporaryDirectory()
    let later = [#"{"event": "step", "step": 2, "loss": 0.5}"#, #"{"event": "end"}"#]
    let path = try folder.write(
      (Self.before + later).map { $0 + "\n" }.joined(), to: "mine.training.jsonl")
    let place = try TrainingPlace(
      folder.path("mine"), replaces: true, resumes: true, learnsMore: false)
    let log = try TrainingLog(place, streams: false, Capture().terminal())
    try log.goOn(after: 1, measured: 0)
    #expect(log.losses.map(\.step) == [1] && log.curve.measures.map(\.step) == [0])
    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == Self.before.map { $0 + "\n" }.joined())
  }
}
