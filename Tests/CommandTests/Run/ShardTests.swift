import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct ShardTests {
  @Test(arguments: ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "1/1000001", "a/b", "1/"])
  func othersAreNoShards(_ text: String) { #expect(Shard(text) == nil) }

  /// None is left out or twice, and none is longer than another by more than a line.
  @Test(arguments: [0, 1, 5, 12, 1_000_003, .max], [1, 2, 3, 7, 1_000_000])
  func shardsAreAllLines(_ total: Int, _ count: Int) throws {
    var (end, lengths) = (0, Set<Int>())
    for number in count > 7 ? [1] : Array(1...count) {
      let range = try #require(Shard("\(number)/\(count)")).range(of: total)
      #expect(range.lowerBound == end)
      end = range.upperBound
      lengths.insert(range.count)
    }
    #expect(count > 7 || end == total)
    #expect((lengths.max() ?? 0) - (lengths.min() ?? 0) <= 1)
  }

  private let sample: SampleBase
  private let input: String

  init() throws {
    sample = try SampleBase().install()
    let lines = (1...5).map { #"{"prompt": "text \#($0)", "id": \#($0)}"# }
    input = try sample.folder.write(lines.joined(separator: "\n\n") + "\n", to: "in.jsonl")
  }

  private func answer(_ more: String...) throws -> ProcessResult {
    try Tool.run(
      ["run", "echo", "--input", input, "-n", "5", "-t", "1", "--seed", "3"] + more,
      store: sample.folder)
  }

  private func merge(_ words: String...) throws -> ProcessResult {
    try Tool.run(["merge-answers", input] + words, store: sample.folder)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: sample.folder.path(name), encoding: .utf8)
  }

  /// As one would on several machines; here by xargs, in processes that run at once.
  @Test(arguments: [2, 3, 7]) func shardsJoinedAreOneRun(_ count: Int) throws {
    let whole = try answer().expectSuccess().text
    let command = """
      seq \(count) | xargs -P 2 -I @ '\(Tool.path)' run echo --input in.jsonl -n 5 -t 1 --seed 3 --shard @/\(count) \
      --output part-@.jsonl --quiet && '\(Tool.path)' merge-answers in.jsonl part-*.jsonl --output all.jsonl
      """
    let result = try Subprocess.run(
      "/bin/sh", ["-c", command],
      environment: ["FMADAPTER_HOME": sample.folder.path("store"), "PATH": "/usr/bin:/bin"],
      directory: sample.folder.path(""))
    #expect(result.errorText == "5 answers written\n")
    #expect(try text("all.jsonl") == whole)
  }

  @Test func aShardGoesOnWhereItWasCut() throws {
    let part = sample.folder.path("part.jsonl")
    try answer("--shard", "2/2", "--output", part).expectSuccess(saying: "3 answers")
    let whole = try text("part.jsonl")
    let cut = try sample.folder.write(String(whole.dropLast(20)), to: "part.jsonl")
    try merge(cut).expectStatus(
      4, saying: "part.jsonl ends within a line; go on with it by 'run --shard' and --resume")
    try answer("--shard", "2/2", "--output", part, "--resume").expectSuccess(saying: "1 answer")
    #expect(try text("part.jsonl") == whole)
    try answer("--shard", "1/2", "--output", part, "--resume").expectStatus(
      4, saying: "part.jsonl has 3 lines, more than")
  }

  @Test func whatIsMissingOrDoubleOrOtherIsSaid() throws {
    var parts: [String] = []
    for number in 1...3 {
      parts.append(sample.folder.path("part-\(number).jsonl"))
      try answer("--shard", "\(number)/3", "--output", parts[number - 1]).expectSuccess()
    }
    try merge(parts[0], parts[2]).expectStatus(
      4, saying: "part-3.jsonl: line 1 answers prompt 4, and prompt 2 of ")
    try merge(parts[0], parts[0]).expectStatus(
      4, saying: "line 1 answers prompt 1, and prompt 2 of")
    try merge(parts[0], parts[1]).expectStatus(
      4, saying: "prompt 4 of \(input) and all behind it have no answer; name the shards")
    try merge(parts[0], parts[1], parts[2], parts[2]).expectStatus(
      4, saying: "line 1 answers prompt 4, and all prompts of \(input) have theirs")
    try answer("--shard", "3/3", "--output", parts[2], "--force", "--top-k", "2").expectSuccess()
    try merge(parts[0], parts[1], parts[2], "-o", sample.folder.path("all.jsonl")).expectStatus(
      4, saying: "part-3.jsonl: line 1 was answered with other settings than the first: top-k;")
    #expect(!FileManager.default.fileExists(atPath: sample.folder.path("all.jsonl")))
    let notes = try sample.folder.write("[]\n", to: "notes.jsonl")
    try merge(notes).expectStatus(4, saying: "notes.jsonl: line 1 is no answer of 'run --input'")
    try merge(parts[0], "-o", parts[0]).expectStatus(4)
  }

  @Test func nothingIsReplacedUnasked() throws {
    let part = sample.folder.path("part.jsonl")
    try answer("--output", part).expectSuccess()
    let all = try sample.folder.write("mine", to: "all.jsonl")
    try merge(part, "-o", all).expectStatus(2, saying: "all.jsonl exists already; replace it by")
    #expect(try text("all.jsonl") == "mine")
    try merge(part, "-o", all, "--force").expectSuccess(saying: "5 answers written\n")
    #expect(try text("all.jsonl") == text("part.jsonl"))
    #expect(try merge(part).text == text("part.jsonl"))
  }

  @Test func aShardIsOfAFile() throws {
    try Tool.run("run", "echo", "Hello", "--shard", "1/2", store: sample.folder)
      .expectStatus(2, saying: "--shard is for --input")
    try answer("--shard", "3/2").expectStatus(2, saying: "a part of all, such as 1/4")
  }
}
