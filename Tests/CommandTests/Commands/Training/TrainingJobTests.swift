import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// A training that goes on by itself while what is held out still gets better.
@Suite(.waits) struct TrainingJobTests {
  private let sample: SampleBase
  private let data: String
  private let valid: String
  private let package: String

  init() throws {
    sample = try SampleBase()
    data = try sample.folder.write(SampleBase.examples(40), to: "train.jsonl")
    valid = try sample.folder.write(SampleBase.examples(4), to: "valid.jsonl")
    package = sample.folder.path("mine.fmadapter")
  }

  private func line(to package: String, _ more: [String]) -> [String] {
    [
      "train", data, "--base", sample.base, "--threads", "1", "--rank", "2", "--tokens", "1", "-o",
      package,
    ] + more
  }

  /// Forty steps in each of the thirty epochs of so small a set, at a rate that is too low for it.
  private static let slow = ["--learning-rate", "3e-5", "--warmup", "700"]

  /// After which steps it went on, by the log of that name.
  private func extensions(_ log: String) throws -> [Int?] {
    try sample.events(log).filter { $0["event"] as? String == "measure" && $0["moreEpochs"] != nil }
      .map { $0["step"] as? Int }
  }

  @Test func itGoesOnTwiceAndIsRepeatedAndResumedToTheSameBytes() throws {
    let whole = sample.folder.path("whole.fmadapter")
    try Tool.run(line(to: whole, Self.slow + ["--valid", valid])).expectSuccess(
      saying: "; up to 30 epochs more while the held-out loss still falls\n",
      " in the last quarter: going on for 15 more epochs, up to step 1,800\n",
      " in the last quarter: going on for 15 more epochs, up to step 2,400\n",
      "the held-out loss still fell: went on for 30 more epochs\n")
    #expect(try extensions("whole.training.jsonl") == [1200, 1800])
    let end = try #require(try sample.events("whole.training.jsonl").last)
    #expect(end["moreEpochs"] as? Int == 30 && end["steps"] as? Int == 2400)
    let again = sample.folder.path("again.fmadapter")
    try Tool.run(
      "train", "--config", sample.folder.path("whole.training.json"), "-o", again, "--threads", "1"
    ).expectSuccess()

    let terminal = try PseudoTerminal(
      line(to: package, Self.slow + ["--valid", valid]), columns: 400,
      environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(for: "going on for"))
    terminal.interrupt()
    #expect(terminal.finish() == 130, "\(terminal.screen)")
    try Tool.run("train", "-o", package, "--resume", "--threads", "1").expectSuccess(
      saying: "going on after step ", "went on for 30 more epochs\n")
    #expect(try extensions("mine.training.jsonl") == [1200, 1800])
    let weights = try sample.weights("whole.fmadapter")
    #expect(try sample.weights("again.fmadapter") == weights)
    #expect(try sample.weights("mine.fmadapter") == weights)
  }

  static let chosen: [(id: String, words: [String])] = [
    ("epochs", ["--epochs", "3", "--learning-rate", "5e-4", "--schedule", "constant", "--valid"]),
    ("steps", ["--steps", "60", "--learning-rate", "2e-3", "--schedule", "constant", "--valid"]),
    ("nothing to tell by", ["--learning-rate", "1e-4", "--warmup", "1100", "--held-out", "0"]),
  ]

  @Test(arguments: chosen)
  func whoSaysHowLongGetsThat(_ id: String, _ words: [String]) throws {
    let words = words.last == "--valid" ? words + [valid] : words
    let run = try Tool.run(line(to: package, words)).expectSuccess()
    #expect(run.errorText.contains(" in the last quarter: go on with "), "\(run.errorText)")
    #expect(!run.errorText.contains("epochs more while"), "\(run.errorText)")
    #expect(try extensions("mine.training.jsonl").isEmpty)
  }

  /// Whoever goes on by hand says how long.
  @Test func moreEpochsAreAsManyAsWereAsked() throws {
    try Tool.run(line(to: package, ["--learning-rate", "1e-4", "--valid", valid])).expectSuccess()
    try Tool.run("train", "-o", package, "--more-epochs", "2", "--threads", "1").expectSuccess()
    #expect(!(try sample.text("mine.training.json")).contains("\"extensions\""))
  }
}
