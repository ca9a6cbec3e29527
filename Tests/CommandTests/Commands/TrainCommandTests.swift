import Adapters
import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct TrainCommandTests {
  private let sample: SampleBase
  private let data: String
  private let package: String

  init() throws {
    sample = try SampleBase()
    let lines = (0..<4).map { #"{"prompt": "\#($0)?", "completion": "\#($0 * 3)!"}"# + "\n" }
    data = try sample.folder.write(lines.joined(), to: "train.jsonl")
    package = sample.folder.path("mine.fmadapter")
  }

  private func line(_ more: String..., threads: Int = 1) -> [String] {
    [
      "train", data, "--base", sample.base, "--threads", "\(threads)", "--rank", "2", "--tokens",
      "40",
      "--learning-rate", "0.02",
    ] + more
  }

  @Test func aPackageComesOfIt() throws {
    let result = try Tool.run(
      line(
        "-o", package, "--steps", "20", "--valid", data, "--json", "--author", "A", "--description",
        "D"))
    #expect(result.status == 0, "\(result.errorText)")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(report["path"] as? String == package)
    #expect(report["identifier"] as? String == "fmadapter-mine-ccccccc")
    #expect(report["steps"] as? Int == 20)
    let before = try #require(report["heldOutLossBefore"] as? Double)
    let after = try #require(report["heldOutLossAfter"] as? Double)
    #expect(after < before)
    let check = try Tool.run("check", package, "--base", sample.base)
    #expect(check.status == 0)
    #expect(check.text.hasSuffix("accepted, no findings\n"), "\(check.text)")
    let info = try Tool.run("info", package, "--json")
    #expect(
      info.text.contains("\"learningRate\" : 0.02") || info.text.contains("\"learningRate\": 0.02"))
    let run = try Tool.run("run", package, "1?", "--base", sample.base, "--max-tokens", "2")
    #expect(run.status == 0, "\(run.errorText)")
  }

  @Test func thePackageCarriesItsAnswersWhereThatWasAsked() throws {
    let result = try Tool.run(line("-o", package, "--steps", "1", "--suffixes"))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try Tool.run("check", package, "--base", sample.base).status == 0)
    #expect(try Tool.run("info", package).text.contains("  4 texts, "))
  }

  @Test func theSameSeedGivesTheSameBytes() throws {
    func weights(_ name: String, seed: Int, threads: Int) throws -> Data {
      let path = sample.folder.path("\(name).fmadapter")
      let words = line("-o", path, "--steps", "3", "--seed", "\(seed)", threads: threads)
      #expect(try Tool.run(words).status == 0)
      return try Data(contentsOf: URL(fileURLWithPath: path + "/adapter_weights.bin"))
    }
    let first = try weights("a", seed: 0, threads: 1)
    #expect(try weights("b", seed: 0, threads: 3) == first)
    #expect(try weights("c", seed: 1, threads: 1) != first)
  }

  @Test func whatIsStoppedGoesOn() throws {
    let whole = sample.folder.path("whole.fmadapter")
    #expect(try Tool.run(line("-o", whole, "--steps", Tool.manySteps)).status == 0)

    let environment = ["FMADAPTER_HOME": sample.folder.path("store")]
    let terminal = try PseudoTerminal(
      line("-o", package, "--steps", Tool.manySteps), environment: environment)
    #expect(terminal.wait(for: "step "))
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    #expect(terminal.screen.contains("--resume goes on with it"))
    #expect(!FileManager.default.fileExists(atPath: package))
    #expect(FileManager.default.fileExists(atPath: package + ".checkpoint"))

    let again = try Tool.run(line("-o", package, "--steps", Tool.manySteps))
    #expect(again.status == 2)
    #expect(again.errorText.contains("a training was stopped here"))
    let other = try Tool.run(line("-o", package, "--steps", "401", "--resume"))
    #expect(other.status == 6)
    #expect(other.errorText.contains("the checkpoint is of a training with another base"))
    let resumed = try Tool.run(line("-o", package, "--steps", Tool.manySteps, "--resume"))
    #expect(resumed.status == 0, "\(resumed.errorText)")
    #expect(resumed.errorText.contains("going on after step "))
    #expect(!FileManager.default.fileExists(atPath: package + ".checkpoint"))
    let files = [whole, package].map { URL(fileURLWithPath: $0 + "/adapter_weights.bin") }
    #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]))
  }

  @Test func badDataIsRefusedWithAllFindings() throws {
    let bad = try sample.folder.write("{\n[]\n", to: "bad.jsonl")
    let result = try Tool.run(
      "train", bad, "--valid", data, "--base", sample.base, "-o", package)
    #expect(result.status == 4)
    #expect(result.errorText.contains("line.json"))
    #expect(result.errorText.contains("answer.missing"))
    #expect(!FileManager.default.fileExists(atPath: package))
  }

  @Test func nothingIsReplacedUnasked() throws {
    #expect(try Tool.run(line("-o", package, "--steps", "1")).status == 0)
    let again = try Tool.run(line("-o", package, "--steps", "2"))
    #expect(again.status == 2)
    #expect(again.errorText.contains("exists already"))
    #expect(try Tool.run(line("-o", package, "--steps", "2", "--force")).status == 0)
  }

  @Test func aLossThatRisesGivesNoPackage() throws {
    let known = try sample.folder.write(
      #"{"prompt": "Tom has a red ball. What colour is the ball?", "completion": "Red."}"#,
      to: "known.jsonl")
    let result = try Tool.run(
      "train", data, "--valid", known, "--base",
      Fixtures.repository.appendingPathComponent("adapters/base/afm-4m.gguf").path, "-o", package,
      "--steps", "3", "--learning-rate", "1", "--warmup", "0", "--rank", "2", "--tokens", "20")
    #expect(result.status == 4, "\(result.errorText)")
    #expect(result.errorText.contains("nothing was written; start anew with a lower learning rate"))
    #expect(!FileManager.default.fileExists(atPath: package))
    #expect(!FileManager.default.fileExists(atPath: package + ".checkpoint"))
  }

  @Test func aLossThatStillFallsIsSaid() throws {
    let result = try Tool.run(
      line("-o", package, "--steps", "16", "--valid", data, "--warmup", "12", "--json"))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(
      result.errorText.contains("the held-out loss still fell by ")
        && result.errorText.contains("it is worth training longer, as with --steps 32"),
      "\(result.errorText)")
    #expect(result.text.contains("\"lastFall\""))
  }

  static let commandLines: [(words: String, status: Int32)] = [
    ("-o NEW --steps 1", 0), ("--steps 1", 2), ("-o NEW --epochs 1 --steps 1", 2),
    ("-o NEW --targets attn_q,attn_x", 2), ("-o NEW --rank 0", 2),
    ("-o NEW --context 1000", 2), ("-o NEW --name a-b", 2), ("-o /nowhere/x", 3),
    ("-o NEW --steps 1 --targets attn_q,ffn_up --pack", 0),
  ]

  @Test(arguments: commandLines) func optionsAreChecked(_ words: String, _ status: Int32) throws {
    let more = words.split(separator: " ").map { $0 == "NEW" ? package : String($0) }
    let result = try Tool.run(["train", data, "--base", sample.base, "--threads", "1"] + more)
    #expect(result.status == status, "\(result.errorText)")
  }
}
