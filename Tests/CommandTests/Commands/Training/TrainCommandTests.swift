import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct TrainCommandTests {
  private let sample: SampleBase
  private let data: String
  private let package: String

  init() throws { (sample, data, package) = try SampleBase.forTraining() }

  private func line(_ more: String..., threads: Int = 1) -> [String] {
    [
      "train", data, "--base", sample.base, "--threads", "\(threads)", "--rank", "2", "--tokens",
      "40",
      "--learning-rate", "0.02",
    ] + more
  }

  /// Questions of four templates, for one that is held out.
  private func families() throws -> String {
    let templates = [
      "what do you want with my THING today", "nobody here has seen the THING that fell",
      "I would never sell a THING to you again", "please put another THING on that old table",
    ]
    let things = ["lamp", "coat", "drum", "tent", "clock", "kite"]
    let lines = templates.flatMap { template in
      things.map {
        "{\"prompt\": \"\(template.replacing("THING", with: $0))\", \"completion\": \"\($0)!\"}\n"
      }
    }
    return try sample.folder.write(lines.joined(), to: "families.jsonl")
  }

  @Test func familiesAreHeldOutWhereNoFileIs() throws {
    let words = ["train", try families(), "--base", sample.base, "--threads", "1", "--rank", "2"]
    try Tool.run(words + ["-o", package, "--steps", "6", "--held-out", "25%"])
      .expectSuccess(
        saying:
          "6 of 24 examples held out to measure with, in other wordings than those to train on\n"
          + "18 examples, 6 steps of ", "learning rate 0.0025\n", "held out ")
    try Tool.run(words + ["-o", package, "--force", "--steps", "1", "--held-out", "0"]).expect(
      saying: "24 examples, 1 step of")
    let few = try Tool.run(line("-o", sample.folder.path("few"), "--steps", "1"))
    #expect(few.errorText.contains("too few examples to hold some out"), "\(few.errorText)")
    let losses = try sample.events("few.training.jsonl").compactMap {
      $0["event"] as? String == "measure" ? $0["loss"] as? Double : nil
    }
    let shown = losses.map { Figures.fixed($0, 3) }
    #expect(few.errorText.contains("\nloss \(shown[0]) to \(shown[1])"), "\(few.errorText)")
  }

  @Test func whatHappenedStandsBesideThePackage() throws {
    let run = try Tool.run(
      ["train", try families(), "--base", sample.base, "--threads", "1", "-o", package]
        + ["--epochs", "3", "--tokens", "100", "--rank", "2", "--learning-rate", "0.01"]
    ).expectSuccess()
    let events = try sample.events("mine.training.jsonl")
    let kinds = events.compactMap { $0["event"] as? String }
    #expect(kinds.first == "start" && kinds.last == "end")
    #expect(Set(kinds) == ["start", "step", "measure", "sample", "end"])
    let options = try #require(events[0]["options"] as? [String: Any])
    #expect(options["learningRate"] as? Double == 0.01)
    let page = try sample.text("mine.training.html")
    #expect(page.contains("<svg") && page.contains("</html>") && page.contains("to be learnt"))
    #expect(!page.contains("<script") && !page.contains("://"))
    // Keys of the log are for programs.
    #expect(page.contains("<th>step that was written</th>") && !page.contains("keptStep"))
    #expect(
      run.errorText.contains("curves and answers: \(sample.folder.path("mine.training.html"))"))
  }

  /// What asks and answers in a data set is shown by the page, and never obeyed.
  @Test func thePageEscapesWhatOthersWrote() throws {
    let lines = (0..<4).map {
      "{\"prompt\": \"<script>alert(\($0))</script> & \\\"x\\\"\", \"completion\": \"<b>\"}\n"
    }
    let hostile = try sample.folder.write(lines.joined(), to: "hostile.jsonl")
    try Tool.run(
      "train", hostile, "--base", sample.base, "--threads", "1", "-o", package, "--steps", "2"
    ).expectSuccess()
    let page = try sample.text("mine.training.html")
    #expect(!page.contains("<script") && !page.contains("<b>"))
    #expect(page.contains("&lt;b&gt;"))
  }

  @Test func aTrainingIsRepeatedByItsSettings() throws {
    try Tool.run(
      ["train", try families(), "--base", sample.base, "--threads", "1", "-o", package]
        + ["--steps", "8", "--rank", "3", "--dropout", "0.1", "--schedule", "linear"]
        + ["--weight-decay", "0.1", "--batch-size", "2", "--gradient-accumulation-steps", "2"]
        + ["--clip-grad-norm", "0.5", "--warmup-epochs", "1", "--seed", "9", "--author", "A"]
    ).expectSuccess()
    let again = try Tool.run(
      "train", "--config", sample.folder.path("mine.training.json"), "--base", sample.base, "-o",
      sample.folder.path("again")
    ).expectSuccess()
    #expect(!again.errorText.contains("whose settings are used"), "\(again.errorText)")
    for file in ["adapter_weights.bin", "metadata.json"] {
      #expect(try text(hex: "mine.fmadapter/" + file) == text(hex: "again.fmadapter/" + file))
    }
    let info = try Tool.run("info", package, "--json").text
    #expect(info.contains("27.71"), "alpha is 16 times the root of 3")
    try Tool.run(
      "train", "--config", sample.folder.path("mine.training.json"), data, "--base", sample.base,
      "--steps", "1", "-o", sample.folder.path("elsewhere")
    ).expect(saying: "warning: \(data) has other bytes than the data of the")
    let other = try sample.folder.write("{\"format\": \"x\"}", to: "other.json")
    try Tool.run("train", "--config", other, "--base", sample.base, "-o", "x")
      .expectStatus(
        4,
        saying:
          "other.json: is no configuration of a training; give a file that 'fmadapter train' wrote beside a package"
      )
  }

  /// As versions of the program may choose them in other ways.
  @Test func anotherHoldOutThanThatOfTheSettingsIsSaid() throws {
    let config = sample.folder.path("mine.training.json")
    func train(_ words: String...) throws -> String {
      try Tool.run(
        ["train", "--base", sample.base, "--threads", "1", "--steps", "1", "--force", "-o"] + words
      ).expectSuccess().errorText
    }
    _ = try train(package, families())
    let known = try #require(
      try sample.text("mine.training.json").firstMatch(of: /"heldOutSHA256": "([0-9a-f]{64})"/))
    try sample.folder.edit(
      "mine.training.json", String(known.output.1), String(repeating: "0", count: 64))
    let text = "the held-out examples are not those of the training whose settings are used"
    let (other, elsewhere) = (sample.folder.path("other"), sample.folder.path("elsewhere"))
    #expect(try train(other, "--config", config).contains("warning: \(text)\n"))
    // Whoever asks for others is not told of them.
    #expect(try !train(elsewhere, "--config", config, "--held-out", "20%").contains(text))
    #expect(try !train(elsewhere, "--config", config, "--valid", data).contains(text))
  }

  private func text(hex name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: sample.folder.path(name)))
  }

  @Test func aFinishedTrainingGoesOn() throws {
    try Tool.run(line("-o", package, "--epochs", "4")).expectSuccess()
    let first = try sample.weights("mine.fmadapter")
    try Tool.run(
      "train", "-o", package, "--more-epochs", "6", "--threads", "1"
    ).expectSuccess(saying: "learning rate 0.02")
    #expect(try sample.weights("mine.fmadapter") != first)
    try Tool.run(
      "train", "--config", sample.folder.path("mine.training.json"), "--base", sample.base, "-o",
      sample.folder.path("again")
    ).expectStatus(4, saying: "went on with a package that it replaced")
    try Tool.run(
      "train", data, "-o", sample.folder.path("none"), "--more-epochs", "1", "--base", sample.base
    ).expectStatus(3, saying: "there is no package to go on with")
  }

  @Test func aBaseThatSeesOneTokenCannotBeTrained() throws {
    let small = try SampleBase(context: 1)
    try Tool.run("train", data, "--base", small.base, "-o", package, "--steps", "1")
      .expectStatus(
        2, saying: "the context of the base is 1, but has to be in 2 to 1,000,000,000\n")
  }

  @Test func aTrainingStartsFromAnAdapter() throws {
    try Tool.run(line("-o", package, "--steps", "20", "--valid", data)).expectSuccess()
    let next = sample.folder.path("next")
    let words = ["train", data, "--valid", data, "--base", sample.base, "--threads", "1"]
    let result = try Tool.run(
      words + ["-o", next, "--from", package, "--steps", "4", "--learning-rate", "1e-4"]
    ).expectSuccess()
    let events = try sample.events("next.training.jsonl")
    let start = try #require(
      events.first { $0["event"] as? String == "measure" }?["loss"] as? Double)
    let base = try #require(events.last?["heldOutLossOfBase"] as? Double)
    #expect(start < 0.8 * base, "\(start) \(base)")
    #expect(events.last?["heldOutLossBefore"] as? Double == start)
    #expect(result.errorText.contains(" by the base alone\n"), "\(result.errorText)")
    let metadata = try sample.text("next.fmadapter/metadata.json")
    #expect(metadata.contains("\"start\": ") && metadata.contains("\"base\": "))
    let rank = try Tool.run(words + ["-o", next, "--force", "--from", package, "--rank", "3"])
      .expectStatus(2)
    #expect(rank.errorText.contains("--rank is that of the adapter to start from"))
  }

  @Test func aHeldOutLossThatRisesEndsTheTraining() throws {
    let known = try sample.folder.write(
      (4..<8).map { #"{"prompt": "\#($0)?", "completion": "\#($0 * 5)?"}"# + "\n" }.joined(),
      to: "known.jsonl")
    let result = try Tool.run(
      line("-o", package, "--steps", "240", "--valid", known, "--patience", "1")
    ).expectSuccess()
    let end = try #require(try sample.events("mine.training.jsonl").last)
    #expect(end["endedEarly"] as? Bool == true)
    let (kept, steps) = (end["keptStep"] as? Int ?? 0, end["steps"] as? Int ?? 0)
    #expect(kept < steps && steps < 240)
    #expect(
      result.errorText.contains("ended early, after step \(steps) of 240: the held-out loss ")
        && result.errorText.contains("\(steps) of 240 steps, "), "\(result.errorText)")
    #expect(try sample.text("mine.fmadapter/metadata.json").contains("\"keptStep\": \(kept)"))
  }

  @Test func aRateThatIsFarTooHighGivesNoPackage() throws {
    try Tool.run(
      ["train", data, "--base", sample.base, "--threads", "1", "--tokens", "40", "-o", package]
        + ["--steps", "24", "--learning-rate", "10", "--warmup", "0"]
    ).expectStatus(4, saying: "start anew with a lower learning rate")
    #expect(!FileManager.default.fileExists(atPath: package))
    #expect(try sample.text("mine.training.jsonl").contains("\"event\": \"end\", \"error\": "))
  }

  @Test func twoTrainingsDoNotWriteToOnePlace() throws {
    let lock = try #require(try FileLock(path: sample.folder.path("mine.training.jsonl")))
    try Tool.run(line("-o", package, "--steps", "1")).expectStatus(
      9, saying: "mine.fmadapter: another training writes there; give another folder, or wait")
    withExtendedLifetime(lock) {}
  }

  @Test func namesOfApplesToolkitAreUnderstood() throws {
    try Tool.run(
      line(
        "-o", package, "--steps", "1", "--eval-data", data, "--max-sequence-length=60",
        "--pack-sequences")
    ).expectSuccess()
    #expect(try sample.text("mine.training.json").contains("\"arrangement\": \"packed\""))
  }

  @Test func aPackageComesOfIt() throws {
    let events = try Tool.run(
      line(
        "-o", package, "--steps", "20", "--valid", data, "--json", "--author", "A", "--description",
        "D")
    ).expectSuccess().text.objects()
    #expect(events.first?["event"] as? String == "start")
    #expect(events.filter { $0["event"] as? String == "step" }.count == 20)
    let report = try #require(events.last)
    #expect(report["event"] as? String == "end")
    #expect(report["path"] as? String == package)
    #expect(report["identifier"] as? String == "fmadapter-mine-ccccccc")
    #expect(report["steps"] as? Int == 20)
    let before = try #require(report["heldOutLossBefore"] as? Double)
    let after = try #require(report["heldOutLossAfter"] as? Double)
    #expect(after < before)
    let check = try Tool.run("check", package, "--base", sample.base).expectSuccess()
    #expect(check.text.hasSuffix("accepted, no findings\n"), "\(check.text)")
    let info = try Tool.run("info", package, "--json")
    #expect(
      info.text.contains("\"learningRate\" : 0.02") || info.text.contains("\"learningRate\": 0.02"))
    try Tool.run("run", package, "1?", "--base", sample.base, "--max-tokens", "2").expectSuccess()
  }

  @Test func thePackageCarriesItsAnswersWhereThatWasAsked() throws {
    try Tool.run(line("-o", package, "--steps", "1", "--suffixes")).expectSuccess()
    try Tool.run("check", package, "--base", sample.base).expectSuccess()
    #expect(try Tool.run("info", package).text.contains("  4 texts, "))
  }

  @Test func theSameSeedGivesTheSameBytes() throws {
    func weights(_ name: String, seed: Int, threads: Int) throws -> Data {
      let path = sample.folder.path("\(name).fmadapter")
      let words = line("-o", path, "--steps", "3", "--seed", "\(seed)", threads: threads)
      try Tool.run(words).expectSuccess()
      return try Data(contentsOf: URL(fileURLWithPath: path + "/adapter_weights.bin"))
    }
    let first = try weights("a", seed: 0, threads: 1)
    #expect(try weights("b", seed: 0, threads: 3) == first)
    #expect(try weights("c", seed: 1, threads: 1) != first)
  }

  @Test func whatIsStoppedGoesOn() throws {
    let whole = sample.folder.path("whole.fmadapter")
    try Tool.run(line("-o", whole, "--steps", Tool.manySteps)).expectSuccess()

    let environment = ["FMADAPTER_HOME": sample.folder.path("store")]
    let terminal = try PseudoTerminal(
      line("-o", package, "--steps", Tool.manySteps), environment: environment)
    #expect(terminal.wait(for: "step "))
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    #expect(terminal.screen.contains("--resume goes on with it"))
    #expect(!FileManager.default.fileExists(atPath: package))
    #expect(FileManager.default.fileExists(atPath: package + ".checkpoint"))

    try Tool.run(line("-o", package, "--steps", Tool.manySteps)).expectStatus(
      2, saying: "a training was stopped here")
    let never = try Tool.run("train", "-o", sample.folder.path("never"), "--resume").expectStatus(
      3)
    #expect(never.errorText.contains("no training was stopped here"), "\(never.errorText)")
    let killed = sample.folder.path("killed")
    try sample.folder.write("{}", to: "killed.training.json")
    try Tool.run("train", "-o", killed, "--resume").expectStatus(
      3,
      error: "\(killed).fmadapter.checkpoint: there is no checkpoint, as what was "
        + "begun here ended before its first; 'fmadapter train --config \(killed).training.json "
        + "-o \(killed).fmadapter' begins it anew")
    try Tool.run(line("-o", package, "--steps", "401", "--resume")).expectStatus(
      6, saying: "the checkpoint is of a training with another base",
      ".fmadapter --resume' goes on as it began")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: data))
    try sample.folder.write([UInt8](bytes) + bytes, to: FilePath.name(of: data))
    try Tool.run("train", "-o", package, "--resume").expectStatus(
      6, saying: "; \(data) is not what it was when that training began: put it back, ")
    try sample.folder.write([UInt8](bytes), to: FilePath.name(of: data))
    let resumed = try Tool.run(line("-o", package, "--steps", Tool.manySteps, "--resume"))
      .expectSuccess(saying: "going on after step ")
    #expect(
      try resumed.errorText.contains(Regex("1,500 steps, [0-9,]+ of them now, ")),
      "\(resumed.errorText)")
    #expect(resumed.errorText.contains("  step 0: loss "), "\(resumed.errorText)")
    let steps = try sample.events("mine.training.jsonl").compactMap { event in
      event["event"] as? String == "step" ? event["step"] as? Int : nil
    }
    #expect(steps == Array(1...steps.count) && steps.count == Int(Tool.manySteps))
    #expect(!FileManager.default.fileExists(atPath: package + ".checkpoint"))
    let files = [whole, package].map { URL(fileURLWithPath: $0 + "/adapter_weights.bin") }
    #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]))
  }

  @Test func badDataIsRefusedWithAllFindings() throws {
    let bad = try sample.folder.write("{\n[]\n", to: "bad.jsonl")
    try Tool.run(
      "train", bad, "--valid", data, "--base", sample.base, "-o", package
    ).expectStatus(4, saying: "line.json", "answer.missing")
    #expect(!FileManager.default.fileExists(atPath: package))
  }

  @Test func nothingIsReplacedUnasked() throws {
    try Tool.run(line("-o", package, "--steps", "1")).expectSuccess()
    try Tool.run(line("-o", package, "--steps", "2")).expectStatus(2, saying: "exists already")
    try Tool.run(line("-o", package, "--steps", "2", "--force")).expectSuccess()
  }

  @Test func aLossThatRisesGivesNoPackage() throws {
    let known = try sample.folder.write(
      #"{"prompt": "Tom has a red ball. What colour is the ball?", "completion": "Red."}"#,
      to: "known.jsonl")
    try Tool.run(
      "train", data, "--valid", known, "--base",
      Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path, "-o", package,
      "--steps", "3", "--learning-rate", "1", "--warmup", "0", "--rank", "2", "--tokens", "20"
    ).expectStatus(4, saying: "nothing was written; start anew with a lower learning rate")
    #expect(!FileManager.default.fileExists(atPath: package))
    #expect(!FileManager.default.fileExists(atPath: package + ".checkpoint"))
  }

  @Test func aLossThatStillFallsIsSaid() throws {
    let result = try Tool.run(
      line("-o", package, "--steps", "16", "--valid", data, "--warmup", "12")
    ).expectSuccess()
    let last = try #require(result.errorText.split(separator: "\n").last)
    let steps = try sample.events("mine.training.jsonl").compactMap {
      $0["epoch"] as? Int
    }
    let epochs = ((steps.max() ?? 0) + 1) / 2
    #expect(
      last.contains("the held-out loss still fell by ")
        && last.hasSuffix(
          "go on with 'fmadapter train -o \(package) --more-epochs \(epochs)'"),
      "\(last)")
  }

  static let commandLines: [(words: String, status: Int32)] = [
    ("-o NEW --steps 1", 0), ("--steps 1", 2), ("-o NEW --epochs 1 --steps 1", 2),
    ("-o NEW --targets attn_q,attn_x", 2), ("-o NEW --rank 0", 2),
    ("-o NEW --context 1000", 2), ("-o NEW --name a-b", 2), ("-o /nowhere/x", 3),
    ("-o NEW --steps 1 --targets attn_q,ffn_up --pack", 0),
    ("-o NEW --learning-rate auto --steps 1", 0), ("-o NEW --learning-rate search --steps 1", 0),
    ("-o NEW --learning-rate fast", 2),
    ("-o NEW --tokens 4 --batch-size 1", 2), ("-o NEW --warmup 4 --warmup-epochs 1", 2),
    ("-o NEW --schedule step", 2), ("-o NEW --more-epochs 2", 3),
    ("-o NEW --more-epochs 2 --from NEW", 2), ("-o NEW --held-out 100%", 2),
    ("-o NEW --valid DATA --held-out 20%", 2),
  ]

  @Test(arguments: commandLines) func optionsAreChecked(_ words: String, _ status: Int32) throws {
    let more = words.split(separator: " ").map { $0 == "NEW" ? package : String($0) }
    try Tool.run(["train", data, "--base", sample.base, "--threads", "1"] + more).expectStatus(
      status)
  }
}
