import Foundation
import JSON
import TestSupport
import Testing

@testable import fmadapter

/// Pairs of answers, in the commands that learn from them and measure them.
@Suite(.waits) struct PreferenceCommandTests {
  private let sample: SampleBase
  private let package: String

  init() throws {
    sample = try SampleBase(adapters: ["echo"])
    package = sample.folder.path("mine.fmadapter")
  }

  /// Pairs of answers from the same templates.
  private func pairs() throws -> String {
    let lines = (0..<24).map {
      "{\"prompt\": \"what is \($0) of these\", \"chosen\": \"yes\", \"rejected\": \"no, never\"}\n"
    }
    return try sample.folder.write(lines.joined(), to: "pairs.jsonl")
  }

  @Test(arguments: [[], ["--objective", "orpo", "--beta", "0.5"]])
  func pairsAreLearntToBePreferred(_ more: [String]) throws {
    let run = try Tool.run(
      ["train", try pairs(), "--base", sample.base, "--threads", "1", "-o", package, "--rank", "2"]
        + ["--steps", "12", "--learning-rate", "0.01"] + more
    ).expectSuccess()
    let events = try sample.events("mine.training.jsonl")
    func margins(_ kind: String) -> [Double] {
      events.filter { $0["event"] as? String == kind }
        .compactMap { ($0["rewards"] as? [String: Double])?["margin"] }
    }
    #expect(margins("step").count == 12 && margins("measure").count == 13)
    let (first, last) = (margins("measure")[0], try #require(margins("measure").last))
    #expect(last > first + 0.01, "\(margins("measure"))")
    if more.isEmpty { #expect(first == 0) }
    let options = try #require(events[0]["options"] as? [String: Any])
    #expect(options["objective"] as? String == (more.isEmpty ? "dpo" : "orpo"))
    #expect(options["beta"] as? Double == (more.isEmpty ? 0.1 : 0.5))
    let end = try #require(events.last?["rewards"] as? [String: Double])
    let share = Int((try #require(end["accuracy"]) * 100).rounded())
    let line = try #require(run.errorText.split(separator: "\n").last)
    let said =
      "the chosen answer is preferred in \(share) % of the held-out pairs, with a margin of "
    #expect(line.hasPrefix(said), "\(run.errorText)")
    let page = try sample.text("mine.training.html")
    #expect(page.contains("<h2>Rewards</h2>") && page.contains("<th>preferred</th>"))
    #expect(page.contains(">loss, of a pair</text>"))
    let info = try Tool.run("info", package, "--json").text
    #expect(info.contains("heldOutRewards") && info.contains("\"objective\""))
    try Tool.run(
      "train", "--config", sample.folder.path("mine.training.json"), "--base", sample.base, "-o",
      sample.folder.path("again")
    ).expectSuccess()
    #expect(try sample.weights("mine.fmadapter") == sample.weights("again.fmadapter"))
  }

  /// The reference is the adapter of --from, so that nothing is gained at the start; sft learns the chosen answers alone.
  @Test func aPairIsHeldAgainstWhereItsTrainingStarts() throws {
    try Tool.run(
      ["train", try pairs(), "--base", sample.base, "--threads", "1", "-o", package, "--rank", "2"]
        + ["--steps", "4", "--learning-rate", "0.01", "--objective", "sft"]
    ).expectSuccess()
    #expect(!(try sample.text("mine.training.jsonl")).contains("rewards"))
    try Tool.run(
      ["train", try pairs(), "--base", sample.base, "--threads", "1", "--from", package]
        + ["-o", sample.folder.path("next"), "--steps", "2", "--learning-rate", "0.01"]
    ).expectSuccess()
    let events = try sample.events("next.training.jsonl")
    let first = try #require(events.first { $0["event"] as? String == "measure" })
    let rewards = try #require(first["rewards"] as? [String: Double])
    #expect(abs(try #require(rewards["margin"])) < 1e-9)
    let before = try #require(events.last?["heldOutLossBefore"] as? Double)
    #expect(abs(before - 0.6931) < 1e-4 && events.last?["heldOutLossOfBase"] == nil)
  }

  /// What is left out of settings that were written by hand is as on the command line.
  @Test func settingsWithSomeOptionsLearnPairsAsTheCommandLineDoes() throws {
    let data = try pairs()
    let config = try sample.folder.write(
      "{\"format\": \"fmadapter.training.1\", \"data\": \"pairs.jsonl\", \"options\": {\"steps\": 2, \"rank\": 2}}",
      to: "config.json")
    for (name, words) in [
      ("hand", ["--config", config]), ("line", [data, "--steps", "2", "--rank", "2"]),
    ] {
      try Tool.run(
        ["train"] + words + ["--base", sample.base, "--threads", "1", "--name", "mine"]
          + ["-o", sample.folder.path(name)]
      ).expectSuccess()
    }
    #expect(try sample.weights("hand.fmadapter") == sample.weights("line.fmadapter"))
    #expect(try sample.text("hand.training.json").contains("\"objective\": \"dpo\""))
  }

  @Test func pairsAndSingleAnswersAreToldApart() throws {
    let single = try sample.folder.write(
      "{\"prompt\": \"1\", \"completion\": \"a\"}\n", to: "single.jsonl")
    let beta = try Tool.run("train", single, "--base", sample.base, "-o", package, "--beta", "0.2")
      .expectStatus(2)
    #expect(
      beta.errorText.contains("--beta is for pairs of answers: give --objective dpo or orpo"))
    try Tool.run(
      "train", single, "--base", sample.base, "-o", package, "--objective", "dpo"
    ).expectStatus(
      4,
      saying:
        ".jsonl: line 1: is no pair of a chosen and a rejected answer, which dpo and orpo learn from"
    )
  }

  /// One pair among single answers may be a mistake, and so may the others.
  @Test func pairsAmongSingleAnswersAreNamed() throws {
    let pair = "{\"prompt\": \"1\", \"chosen\": \"a\", \"rejected\": \"b\"}\n"
    let single = "{\"prompt\": \"1\", \"completion\": \"a\", \"id\": 1}\n"
    let mixed = try sample.folder.write(
      single + pair + String(repeating: single, count: 6), to: "mixed.jsonl")
    let other = try sample.folder.write(pair, to: "pairs.jsonl")
    func train(_ words: String...) throws -> String {
      return try Tool.run(["train"] + words + ["--base", sample.base, "-o", package])
        .expectStatus(4).errorText
    }
    let both = try train(mixed)
    #expect(
      both.contains(
        "pairs of answers stand among single ones: \(mixed) line 2 with chosen and rejected, "
          + "\(mixed) lines 1, 3, 4, 5, 6 and 2 more without; put the pairs into a file of their own, "
          + "or give --objective sft, which learns their chosen answers alone"), "\(both)")
    let apart = try train(mixed, "--valid", other, "--objective", "orpo")
    #expect(
      apart.contains("\(mixed) line 2 and \(other) line 1 with chosen and rejected"), "\(apart)")
    try Tool.run(
      "train", mixed, "--base", sample.base, "-o", package, "--objective", "sft", "--steps", "1",
      "--learning-rate", "0.01"
    ).expectSuccess(saying: "not read: id; 'fmadapter data check' names their lines\n")
  }

  /// The likelihoods of both answers, by base and adapter.
  @Test func pairsAreComparedByTheirLikelihood() throws {
    let lines = (0..<4).map {
      #"{"prompt": "\#($0)?", "chosen": "yes", "rejected": "never!"}"# + "\n"
    }
    let pairs = try sample.folder.write(lines.joined(), to: "pairs.jsonl")
    func eval(_ words: [String]) throws -> ProcessResult {
      try Tool.run(["eval"] + words + ["--base", sample.base, "--threads", "1"])
    }
    func figure(_ subject: JSONObject, _ name: String) -> Double? {
      subject["figures"]?.object?[name]?.object?["value"]?.number?.double
    }
    let report = try JSONDocument(
      parsing: Array(
        try eval([pairs, sample.package, "--json", "--require", "preferred>=0"]).output)
    ).root.object
    let subjects = (report?["subjects"]?.array ?? []).compactMap(\.object)
    #expect(subjects.count == 2)
    for subject in subjects {
      let share = try #require(figure(subject, "preferred"))
      let margin = try #require(figure(subject, "margin"))
      let options = (subject["answers"]?.array ?? [])
        .compactMap { $0.object?["options"]?.array?[0] }
      let margins = options.compactMap { value -> Double? in
        guard let pair = value.array?.compactMap({ $0.number?.double }), pair.count == 2 else {
          return nil
        }
        return pair[1] - pair[0]
      }
      #expect(margins.count == 4)
      #expect(abs(margins.reduce(0, +) / 4 - margin) < 1e-3)
      #expect(share == Double(margins.count { $0 > 0 }) / 4)
    }
    #expect(subjects[1]["aboveBase"]?.object?["margin"] != nil)
    let table = try eval([pairs])
    #expect(table.text.contains("preferred  ") && table.text.contains("margin  "))
  }
}
