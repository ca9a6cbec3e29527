import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// Jobs for torchrun: what is written, and what is made of what comes back.
///
/// `tools/check-torchrun` lets PEFT and TRL train one.
@Suite(.waits) struct TorchrunTests {
  private let sample: SampleBase
  private let data: String
  private let package: String
  private var folder: String { sample.folder.path("mine.torchrun") }

  init() throws { (sample, data, package) = try SampleBase.forTraining() }

  private func words(_ more: String...) -> [String] {
    sample.training(
      on: data, to: package, ["--on", "torchrun", "--learning-rate", "0.01"] + more)
  }

  /// A program in the place of Python; it can do what the folder needs if `adapter` is given.
  private func python(_ body: String) throws -> [String: String?] {
    let path = try sample.folder.write("#!/bin/sh\n\(body)\n", to: "python")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return ["FMADAPTER_PYTHON": path]
  }

  private static let log = """
    {"event": "start", "steps": 2, "processes": 1}
    {"event": "measure", "step": 0, "loss": 5.5}
    {"event": "step", "step": 1, "epoch": 1, "loss": 5.25, "learningRate": 0.01, "gradientNorm": 1.5}
    {"event": "measure", "step": 1, "loss": 4.5}
    {"event": "step", "step": 2, "epoch": 1, "loss": 5.125, "learningRate": 0.005, "gradientNorm": 1.25}
    {"event": "measure", "step": 2, "loss": 4.75}
    {"event": "end", "steps": 2, "keptStep": 1}

    """

  /// Does to the folder what a training there does.
  private func comeBack() throws {
    let export = sample.folder.path("peft")
    if !FileManager.default.fileExists(atPath: export) {
      try Tool.run(
        "export", sample.package, "--to", "peft", "-o", export, "--base", sample.base
      ).expectSuccess()
    }
    try FileManager.default.copyItem(atPath: export, toPath: folder + "/adapter")
    try sample.folder.write(Self.log, to: "mine.torchrun/log.jsonl")
  }

  @Test func theFolderHasWhatATrainingHereHas() throws {
    let result = try Tool.run(
      words("--base-model", "you/model", "--nproc", "4", "--nodes", "2"), store: sample.folder,
      environment: python("exit 1"))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text == folder + "\n")
    #expect(result.errorText.contains("it is to be run elsewhere: copy the folder"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(
      names == ["job.json", "requirements.txt", "run.sh", "train.jsonl", "train.py", "valid.jsonl"])
    let job = try #require(
      JSONSerialization.jsonObject(
        with: Data(contentsOf: URL(fileURLWithPath: folder + "/job.json")))
        as? [String: Any])
    #expect(job["baseModel"] as? String == "you/model" && job["rank"] as? Int == 2)
    #expect(job["targetModules"] as? [String] != [])
    let lines = try sample.text("mine.torchrun/train.jsonl").objects()
    let rendered = try Tool.run("data", "render", data, "--base", sample.base, "--json").text
      .objects()
    #expect(lines.count == 4)
    for (line, example) in zip(lines, rendered) {
      let ids = line["input_ids"] as? [Int] ?? []
      let labels = line["labels"] as? [Int] ?? []
      #expect(ids == example["tokens"] as? [Int])
      let mask = example["mask"] as? [Int] ?? []
      #expect(labels == zip(ids, mask).map { $1 == 1 ? $0 : -100 })
    }
    let script = try sample.text("mine.torchrun/run.sh")
    #expect(script.contains("nnodes=${NNODES:-2} nproc=${NPROC:-4}"))
  }

  @Test func whatCameBackIsAPackageWithItsCurve() throws {
    let first = try Tool.run(
      words("--base-model", "you/model"), store: sample.folder, environment: python("exit 1"))
    #expect(first.text == folder + "\n", "\(first.errorText)")
    let again = try Tool.run(
      words("--base-model", "x"), store: sample.folder, environment: python("exit 1"))
    #expect(again.status == 2 && again.errorText.contains("a job was written here; --resume"))
    try comeBack()
    let result = try Tool.run(
      words("--resume"), store: sample.folder, environment: python("exit 1"))
    #expect(result.text == package + "\n", "\(result.errorText)")
    #expect(result.errorText.contains("held-out loss 5.500 to 4.500"))
    let info = try Tool.run("info", package, "--json").expectSuccess().text
    for fact in ["\"keptStep\"", "PEFT and TRL by torchrun", "\"heldOutLoss\""] {
      #expect(info.contains(fact), "\(fact)")
    }
    #expect(try sample.text("mine.training.jsonl").objects().count == 7)
    #expect(try sample.text("mine.training.html").contains("<svg"))
  }

  @Test func pythonThatHasAllIsAsked() throws {
    let export = sample.folder.path("peft")
    try Tool.run(
      "export", sample.package, "--to", "peft", "-o", export, "--base", sample.base
    ).expectSuccess()
    let log = try sample.folder.write(Self.log, to: "log")
    let body = """
      if [ "$1" = -c ]; then exit 0; fi
      echo "$@" >\(sample.folder.path("asked"))
      cp -r \(export) adapter && cp \(log) log.jsonl
      """
    let result = try Tool.run(
      words("--base-model", "you/model", "--nproc", "2"), store: sample.folder,
      environment: python(body))
    #expect(result.text == package + "\n", "\(result.errorText)")
    #expect(
      try sample.text("asked")
        == "-m torch.distributed.run --standalone --nproc-per-node 2 train.py\n")
  }

  @Test func aTrainingThatFailsIsTold() throws {
    let result = try Tool.run(
      words("--base-model", "you/model"), store: sample.folder,
      environment: python("[ \"$1\" = -c ] && exit 0; echo no memory >&2; exit 7"))
    #expect(result.status == 4)
    #expect(result.errorText.contains("the training ended with exit status 7"))
    #expect(!FileManager.default.fileExists(atPath: package))
  }

  @Test(arguments: [
    (["--base-model", "x", "--activated"], "neither pairs nor --activated"),
    ([], "nobody knows what transformers loads as this base"),
    (["--more-epochs", "2"], "--on and --more-epochs exclude each other"),
  ])
  func whatCannotBeIsRefused(_ more: [String], _ text: String) throws {
    let result = try Tool.run(
      sample.training(
        on: data, to: package, ["--on", "torchrun", "--learning-rate", "0.01"] + more),
      store: sample.folder, environment: python("exit 1"))
    #expect(result.status == 2 && result.errorText.contains(text), "\(result.errorText)")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func anotherBaseIsToldApart() throws {
    _ = try Tool.run(
      words("--base-model", "you/model"), store: sample.folder, environment: python("exit 1"))
    try comeBack()
    let job = try sample.text("mine.torchrun/job.json")
    try sample.folder.write(
      job.replacing(SampleBase.signature, with: String(repeating: "d", count: 40)),
      to: "mine.torchrun/job.json")
    let result = try Tool.run(
      words("--resume"), store: sample.folder, environment: python("exit 1"))
    #expect(result.status == 6 && result.errorText.contains("the job is for another base"))
    try sample.folder.write("{", to: "mine.torchrun/job.json")
    let broken = try Tool.run(
      words("--resume"), store: sample.folder, environment: python("exit 1"))
    #expect(broken.status == 4 && broken.errorText.contains("job.json: "))
  }
}
