import Foundation
import JSON
import TestSupport
import Testing

@testable import fmadapter

/// What a training says of its losses, and what one that is stopped says.
@Suite(.waits) struct TrainingReportTests {
  private let sample: SampleBase
  private let data: String
  private let package: String

  init() throws { (sample, data, package) = try SampleBase.forTraining() }

  private func line(_ more: String...) -> [String] {
    sample.training(on: data, to: package, more)
  }

  static let heldOut: [(id: String, count: Int, isPart: Bool)] = [
    ("few, which are measured whole", 4, false), ("many, of which a part is watched", 200, true),
  ]

  @Test(arguments: heldOut)
  func ofHowManyALossIsIsSaid(_ id: String, _ count: Int, _ isPart: Bool) throws {
    let valid = try sample.folder.write(SampleBase.examples(count), to: "valid.jsonl")
    let run = try Tool.run(line("--valid", valid, "--steps", "2", "--learning-rate", "0.02"))
      .expectSuccess()
    let events = try sample.text("mine.training.jsonl").split(separator: "\n").compactMap {
      try JSONDocument(parsing: Array($0.utf8)).root.object
    }
    let watched = try #require(events.first?["watched"]?.integer)
    #expect((watched < count) == isPart)
    let measures = events.filter { $0["event"]?.string == "measure" }
    #expect(!measures.isEmpty && measures.allSatisfy { $0["watched"]?.integer == watched })
    #expect(events.last?["heldOut"]?.integer == count)
    // Of two steps the last is no quarter.
    #expect(!run.errorText.contains("last quarter"), "\(run.errorText)")
    let whole = ", of all \(count) examples\n"
    #expect(run.errorText.contains(whole) == isPart, "\(run.errorText)")
    let part = "held-out loss of \(watched) of \(count) examples"
    #expect(run.errorText.contains(" \(part)\n") == isPart, "\(run.errorText)")
    let key =
      "\(part), evenly taken; the held-out losses above are of all \(count)."
    let page = try sample.text("mine.training.html")
    #expect(page.contains("Orange: \(key)") == isPart)
    #expect(page.contains(">loss, in nats a token</text>") && page.contains(">step</text>"))
  }

  /// No step has more tokens than the examples have.
  @Test(arguments: [("1", " steps of 1 token, "), ("1000000000", " 1 step of [0-9]{2,3} tokens, ")])
  func theTokensOfAStepAreThereOnes(_ tokens: String, _ text: String) throws {
    let run = try Tool.run(
      "train", data, "--base", sample.base, "--threads", "1", "--rank", "2", "--tokens", tokens,
      "--epochs", "1", "--learning-rate", "0.00111111111111", "-o", package
    ).expectSuccess()
    #expect(
      try run.errorText.contains(Regex(text + "learning rate 0\\.0011\n")), "\(run.errorText)")
  }

  @Test func aPackageCountsTheStepsOfAllItsTrainings() throws {
    try Tool.run(line("--epochs", "4", "--learning-rate", "0.02")).expectSuccess()
    let before = try Library.metadata(of: package).stepsMade
    #expect(before > 0)
    try Tool.run("train", "-o", package, "--more-epochs", "6", "--threads", "1").expectSuccess()
    let log = try sample.text("mine.training.jsonl").split(separator: "\n")
    let end = try #require(try JSONDocument(parsing: Array((log.last ?? "").utf8)).root.object)
    let steps = try #require(end["steps"]?.integer)
    let kept = try #require(end["keptStep"]?.integer)
    let facts = try Library.metadata(of: package).settings.trainedOn?.object
    #expect(facts?["steps"]?.integer == before + steps)
    #expect(end["stepsOfPackage"]?.integer == before + steps)
    #expect(facts?["keptStep"]?.integer == (kept < steps ? before + kept : nil))
  }

  /// A package says from which adapter its training began; settings know all files again that it read.
  @Test func whatATrainingReadIsKnownAgain() throws {
    let valid = try sample.folder.write(SampleBase.examples(4), to: "valid.jsonl")
    try Tool.run(line("--steps", "2", "--learning-rate", "0.02")).expectSuccess()
    let next = sample.folder.path("next.fmadapter")
    try Tool.run(
      "train", data, "--valid", valid, "--base", sample.base, "--from", package, "-o", next,
      "--steps", "2", "--learning-rate", "1e-3", "--threads", "1"
    ).expectSuccess()
    let origin = try #require(try Library.metadata(of: next).origin?.object)
    #expect(
      try origin["weightsSHA256"]?.string == Library.metadata(of: package).settings.weightsSHA256)
    #expect(origin["identifier"]?.string == "fmadapter-mine-ccccccc")
    let such = "of the training whose settings are used\n"
    let words = ["train", "--config", sample.folder.path("next.training.json"), "-o"]
    let same = try Tool.run(words + [sample.folder.path("same"), "--name", "next"])
    #expect(same.status == 0 && !same.errorText.contains(such), "\(same.errorText)")
    try Tool.run(line("--steps", "2", "--learning-rate", "0.03", "--force")).expectSuccess()
    try sample.folder.write(SampleBase.examples(5), to: "valid.jsonl")
    let other = try Tool.run(words + [sample.folder.path("other")])
    #expect(
      other.errorText.contains("warning: \(valid) has other bytes than the held-out file \(such)"),
      "\(other.errorText)")
    #expect(
      other.errorText.contains("warning: \(package) is another adapter than at the start \(such)"))
  }

  /// What is held out stands in the data; and what is measured does, later.
  @Test func whatIsMeasuredOnLinesThatWereLearntIsSaid() throws {
    try Tool.run(line("--valid", data, "--steps", "2", "--learning-rate", "0.02"))
      .expectSuccess(saying: "4 warnings (example.leaked); ")
    let other = try sample.folder.write(SampleBase.examples(3), to: "other.jsonl")
    for (path, isLearnt) in [(data, true), (other, false)] {
      let measured = try Tool.run(
        "eval", path, package, "--base", sample.base, "--threads", "1", "-n", "2"
      ).expectSuccess()
      #expect(
        measured.errorText.contains("\(package) was trained on \(path): ") == isLearnt,
        "\(measured.errorText)")
    }
  }

  @Test func whoStopsTheCheckOfTheDataIsToldSo() async throws {
    let capture = try Capture()
    let program = Program(
      environment: ["FMADAPTER_HOME": sample.folder.path("store")], streams: capture.streams
    ) { work in
      let job = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await work()
      }
      return try await job.value
    }
    #expect(await program.run(line("--steps", "1")) == .interrupted)
    let said = String(decoding: capture.errors, as: UTF8.self)
    #expect(
      said.contains(
        "stopped while the data was checked: nothing was written, and the same command checks it anew\n"
      ), "\(said)")
  }

  @Test func whoStopsTheSearchForARateIsToldSo() throws {
    let many = try sample.folder.write(SampleBase.examples(1000), to: "many.jsonl")
    let terminal = try PseudoTerminal(
      [
        "train", many, "--base", sample.base, "--threads", "1", "--rank", "2", "--tokens", "2000",
        "--held-out", "0", "--steps", Tool.manySteps, "--learning-rate", "search", "-o", package,
      ], columns: 400, environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(for: "finding a learning rate"))
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    let said = terminal.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      said.contains(
        "stopped while a learning rate was sought: nothing of that is kept, and the same command seeks anew"
      ), "\(terminal.screen)")
  }

  static let tooLong: [(id: String, first: Bool, valid: Bool, status: Int32, said: String)] = [
    ("first of the examples", true, false, 0, "1 example left out, with nothing to learn within"),
    ("the one held out", false, true, 4, "long.jsonl: its example has nothing to learn within"),
  ]

  /// An example that is longer than the context is left out, wherever it stands, and the others are learnt.
  @Test(arguments: tooLong)
  func overlongExamplesAreLeftOut(
    _ id: String, _ first: Bool, _ valid: Bool, _ status: Int32, _ said: String
  ) throws {
    let words = String(repeating: "word ", count: 200)
    let long = "{\"prompt\": \"\(words)\", \"completion\": \"a\"}\n"
    let path = try sample.folder.write(
      first ? long + sample.text("train.jsonl") : long, to: "long.jsonl")
    try Tool.run(
      ["train", valid ? data : path, "--base", sample.base, "--threads", "1", "-o", package]
        + ["--steps", "2", "--learning-rate", "0.001", "--context", "60"]
        + (valid ? ["--valid", path] : [])
    ).expectStatus(status, saying: "\(said) the context of 60 tokens")
  }
}
