import Foundation
import JSON
import LanguageModels
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct TrainDraftCommandTests {
  private let sample: SampleBase
  private let data: String

  init() throws {
    sample = try SampleBase()
    data = try sample.writeExamples()
  }

  private func line(_ more: String..., threads: Int = 1) -> [String] {
    [
      "train-draft", sample.package, data, "--base", sample.base, "--threads", "\(threads)",
      "--max-tokens", "12", "--tokens", "60",
    ] + more
  }

  /// From data to a text that comes sooner and is the same, on the base that comes with the program.
  @Test func anAdapterGetsADraftThatIsCompiledAndUsed() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let prompts = ["a fox", "a bee", "the sea", "one lamp"]
    let lines = prompts.map {
      #"{"prompt": "A story of \#($0)", "completion": "\#($0) was here."}"# + "\n"
    }
    let data = try sample.folder.write(lines.joined(), to: "stories.jsonl")
    let package = sample.folder.path("mine.fmadapter")
    func tool(_ words: String...) throws -> ProcessResult {
      let result = try Tool.run(words + ["--base", base], store: sample.folder)
      #expect(result.status == 0, "\(words) \(result.errorText)")
      return result
    }
    _ = try tool("train", data, "-o", package, "--steps", "2", "--rank", "2", "--tokens", "40")
    let report = try tool(
      "train-draft", package, data, "--max-tokens", "10", "--steps", "3", "--tokens", "60",
      "--json"
    ).expectSuccess().object()
    #expect(report["path"] as? String == package + "/draft.gguf")
    #expect(report["steps"] as? Int == 3 && report["answers"] as? Int == 4)
    #expect(report["heldOut"] as? Int == 0 && report["width"] as? Int == 64)
    #expect(report["loss"] as? String == "reverse-kl")
    let acceptance = try #require(report["acceptance"] as? Double)
    #expect((0...1).contains(acceptance) && (report["draftRatio"] as? Double ?? 0) > 0)
    #expect(try tool("check", package).text.hasSuffix("accepted, no findings\n"))
    #expect(try Tool.run("info", package).text.contains("  gguf, llama, "))
    let compiled = try tool("compile", package, "--json").expectSuccess().object()
    #expect((compiled["draftRatio"] as? Double ?? 0) > 0)
    func answer(_ draft: String) throws -> [String: Any] {
      try tool(
        "run", package, "A story of a fox", "--json", "--seed", "3", "-t", "0.7",
        "--max-tokens", "40", "--draft", draft
      ).expectSuccess().object()
    }
    #expect(try answer("auto")["text"] as? String == answer("off")["text"] as? String)
  }

  @Test func theSameSeedGivesTheSameBytes() throws {
    func draft(_ name: String, seed: Int, threads: Int) throws -> Data {
      let path = sample.folder.path(name)
      let words = line(
        "-o", path, "--steps", "3", "--seed", "\(seed)", "--type", "f32", threads: threads)
      let result = try Tool.run(words)
      #expect(result.status == 0 && result.text == path + "\n", "\(result.errorText)")
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    let first = try draft("a.gguf", seed: 0, threads: 1)
    #expect(try draft("b.gguf", seed: 0, threads: 3) == first)
    #expect(try draft("c.gguf", seed: 1, threads: 1) != first)
    // It is a draft, too, for --draft.
    try Tool.run(
      "run", sample.package, "1?", "--base", sample.base, "--max-tokens", "4", "--draft",
      sample.folder.path("a.gguf")
    ).expectSuccess()
  }

  @Test func whatIsStoppedGoesOn() throws {
    let (whole, file) = (sample.folder.path("whole.gguf"), sample.folder.path("part.gguf"))
    try Tool.run(line("-o", whole, "--steps", Tool.manySteps)).expectSuccess()
    let environment = ["FMADAPTER_HOME": sample.folder.path("store")]
    let terminal = try PseudoTerminal(
      line("-o", file, "--steps", Tool.manySteps), environment: environment)
    #expect(terminal.wait(for: "step "))
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    #expect(terminal.screen.contains("--resume goes on with it"))
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(FileManager.default.fileExists(atPath: file + ".checkpoint"))

    try Tool.run(line("-o", file, "--steps", Tool.manySteps)).expectStatus(
      2,
      error: "\(file).checkpoint: a training was stopped here; --resume goes on with it, "
        + "--force starts anew")
    try Tool.run(line("-o", file, "--steps", "401", "--resume")).expectStatus(
      6, saying: "the checkpoint is of a training with another base")
    try Tool.run(line("-o", file, "--steps", Tool.manySteps, "--resume"))
      .expectSuccess(saying: "going on with 4 of 4 answers\n", "going on after step ")
    #expect(!FileManager.default.fileExists(atPath: file + ".checkpoint"))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: whole))
        == Data(contentsOf: URL(fileURLWithPath: file)))
    let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path(""))
    #expect(names.allSatisfy { !$0.hasPrefix(".draft") }, "\(names)")
  }

  @Test func nothingIsReplacedUnasked() throws {
    try Tool.run(line("--steps", "1")).expectSuccess()
    try Tool.run("check", sample.package, "--base", sample.base).expectSuccess()
    let metadata = try String(
      contentsOfFile: sample.package + "/metadata.json", encoding: .utf8)
    #expect(metadata.contains("\"speculativeDecodingDraftTokenCount\": "))
    try Tool.run(line("--steps", "1")).expectStatus(
      2,
      error: "\(sample.package)/draft.gguf: exists already; --force replaces it, -o writes another "
        + "file")
    try Tool.run(line("--steps", "1", "--force")).expectSuccess()
    let names = try FileManager.default.contentsOfDirectory(atPath: sample.package)
    #expect(names.count { $0 == "draft.gguf" } == 1)
  }

  static let commandLines: [(words: String, status: Int32, text: String)] = [
    ("-o NEW --epochs 1 --steps 1", 2, "--epochs and --steps exclude each other\n"),
    ("-o NEW --width 12", 2, "--width 12 is no multiple of 8; give 16\n"),
    ("-o NEW --width 64", 2, "a draft of 1 layer of width 64 would have "),
    ("-o NEW --layers 40", 2, "--layers"), ("-o NEW --loss kl", 2, "--loss"),
    ("-o NEW --context 1000", 2, ""), ("-o /nowhere/x", 3, "there is no such folder to write"),
    ("-o NEW --steps 1 --vocabulary 9 --temperature 1 --loss forward-kl --type q4_0", 0, ""),
  ]

  @Test(arguments: commandLines)
  func optionsAreChecked(_ words: String, _ status: Int32, _ text: String) throws {
    let new = sample.folder.path("new.gguf")
    let more = words.split(separator: " ").map { $0 == "NEW" ? new : String($0) }
    let result = try Tool.run(line() + more).expectStatus(status)
    #expect(result.errorText.contains(text) || text.isEmpty, "\(result.errorText)")
    #expect(FileManager.default.fileExists(atPath: new) == (status == 0))
  }

  /// Nothing takes the place of a folder, a device or a pipe, and that is said before anything is trained.
  @Test func theDraftIsAFile() throws {
    let pipe = sample.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for place in [pipe, sample.package] {
      let result = try Tool.run(line("-o", place, "--force", "--steps", Tool.manySteps))
      #expect(
        result.errorText.hasPrefix("fmadapter: error: \(place): not a regular file"),
        "\(result.errorText)")
      result.expectStatus(4)
    }
  }

  @Test func anInstalledAdapterIsNeverChanged() throws {
    let result = try Tool.run("train-draft", "echo", data).expectStatus(2)
    #expect(
      result.errorText.hasPrefix(
        "fmadapter: error: an installed adapter is never changed; give a file to write: -o draft.gguf\n"
      ))
    let bad = try sample.folder.write("{\n[]\n", to: "bad.jsonl")
    let refused = try Tool.run("train-draft", sample.package, bad, "--base", sample.base)
    #expect(refused.status == 4 && refused.errorText.contains("line.json"))
    try Tool.run("train-draft", sample.folder.path("no.fmadapter"), data).expectStatus(3)
  }
}
