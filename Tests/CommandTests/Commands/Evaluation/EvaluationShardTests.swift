import Foundation
import JSON
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct EvaluationShardTests {
  private let sample: SampleBase
  private let data: String
  private let outside: String
  private let words: [String]

  init() throws {
    sample = try SampleBase(adapters: ["echo", "other"])
    let lines = (0..<7).map { index in
      switch index {
      case 2:
        #"{"prompt": "Which, {options}?", "options": ["one", "two or more"], "answer": "one"}"#
      case 3: #"{"prompt": "\#(index)?", "chosen": "yes \#(index)", "rejected": "no"}"#
      case 4: #"{"text": "\#(String(repeating: "long ", count: 70))"}"#
      default:
        #"{"prompt": "\#(index)?\#(String(repeating: "!", count: 9 * index))", "answer": "a\#(index)", "rule": {"words": [0, 9]}, "group": "g\#(index % 2)"}"#
      }
    }
    data = try sample.folder.write(lines.joined(separator: "\n\n") + "\n", to: "set.jsonl")
    outside = try sample.folder.write(
      "{\"text\": \"all else\"}\n{\"prompt\": \"a\", \"answer\": \"b\"}\n", to: "outside.jsonl")
    words = [
      "eval", "set.jsonl", "echo.fmadapter", "other.fmadapter", "--outside", "outside.jsonl",
      "--base", "sample.gguf",
      "--threads", "1", "-n", "6", "-t", "1", "--seed", "3", "--pattern", "a",
    ]
  }

  /// Runs it in the folder, where `./measure` is the evaluation, and words behind it are more of it.
  private func shell(_ command: String) throws -> ProcessResult {
    let script = "#!/bin/sh\nexec '\(Tool.path)' \(words.joined(separator: " ")) \"$@\"\n"
    let path = try sample.folder.write(script, to: "measure")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return try Subprocess.run(
      "/bin/sh", ["-c", command],
      environment: ["FMADAPTER_HOME": sample.folder.path("store"), "PATH": "/usr/bin:/bin"],
      directory: sample.folder.path(""))
  }

  /// Without how long it took.
  private func text(_ name: String) throws -> String {
    let text = try String(contentsOfFile: sample.folder.path(name), encoding: .utf8)
    let isTime = { (line: Substring) in
      ["\"seconds\"", "\"tokensPerSecond\"", "tokens/s", "<tr><th>tokens/s"].contains {
        line.drop { $0 == " " }.hasPrefix($0)
      }
    }
    return text.split(separator: "\n").filter { !isTime($0) }.joined(separator: "\n")
  }

  /// As one would on several machines; here by xargs, in processes that run at once.
  @Test(arguments: [2, 3, 9]) func shardsJoinedAreOneRun(_ count: Int) throws {
    try shell("./measure -o all.json --report all.html > all.txt").expectSuccess()
    try shell(
      """
      mkdir parts
      seq -w \(count) | xargs -P 2 -I @ ./measure --shard @/\(count) -o parts/@.json --quiet > /dev/null
      ./measure --from parts -o joined.json --report joined.html > joined.txt
      """
    ).expectSuccess()
    for kind in ["json", "txt", "html"] {
      #expect(try text("joined.\(kind)") == text("all.\(kind)"), "\(kind)")
    }
    let again = try shell("./measure $(printf ' --from %s' parts/*) --require 'cut>=2'")
    #expect(again.status == 4)
    #expect(again.errorText.contains("cut>=2 does not hold: echo has "), "\(again.errorText)")
  }

  private func eval(_ more: String...) throws -> ProcessResult {
    try Tool.run(words.map(inFolder) + more)
  }

  private func inFolder(_ word: String) -> String {
    word.contains(".") ? sample.folder.path(word) : word
  }

  @Test func whatIsMissingOrDoubleOrOtherIsSaid() throws {
    let parts = (1...3).map { sample.folder.path("part-\($0).json") }
    for (index, part) in parts.enumerated() {
      try eval("--shard", "\(index + 1)/3", "-o", part).expectSuccess()
    }
    func join(_ parts: String..., more: [String] = []) throws -> ProcessResult {
      let from = parts.flatMap { ["--from", $0] }
      return try Tool.run(
        words.map(inFolder) + from + ["-o", sample.folder.path("all.json")] + more)
    }
    try join(parts[0], parts[2]).expectStatus(
      4, saying: "shard 2/3 is missing; measure it by --shard, or name its file with --from")
    try join(parts[0], parts[1], parts[2], parts[1]).expectStatus(
      4, saying: "part-2.json has shard 2/3, as has \(parts[1]); name each shard once")
    try join(data).expectStatus(4, saying: "set.jsonl is no record of 'eval --shard'; name what")
    let half = sample.folder.path("half.json")
    try eval("--shard", "1/2", "-o", half).expectSuccess()
    try join(parts[0], half).expectStatus(
      4, saying: "half.json has shard 1/2, and \(parts[0]) has 1/3; name the shards of one")
    let all = [parts[0], parts[1], parts[2]]
    for (more, name) in [
      (["--limit", "6"], "limit"), (["--instructions", "Be brief."], "instructions"),
      (["--no-base"], "adapters"),
    ] {
      try join(all[0], all[1], all[2], more: more).expectStatus(
        4, saying: "part-1.json was measured otherwise: \(name); give the same file, base,")
    }
    let text = try String(contentsOfFile: parts[1], encoding: .utf8)
    let other = try sample.folder.write(
      text.replacingOccurrences(of: "\"signature\": \"cc", with: "\"signature\": \"cd")
        .replacingOccurrences(of: "\"weights\": \"", with: "\"weights\": \"0"), to: "other.json")
    try join(parts[0], other, parts[2]).expectStatus(
      4, saying: "other.json was measured otherwise: base, adapters;")
    let cut = try sample.folder.write(
      text.replacingOccurrences(of: "\"line\": ", with: "\"line\": 1"), to: "cut.json")
    try join(parts[0], cut, parts[2]).expectStatus(4, saying: "cut.json is no record of")
    let stopped = try sample.folder.write(
      text.replacingOccurrences(of: "\"isComplete\": true", with: "\"isComplete\": false"),
      to: "stopped.json")
    try join(parts[0], stopped, parts[2]).expectStatus(
      4, saying: "stopped.json was stopped; measure shard 2/3 again")
    #expect(!FileManager.default.fileExists(atPath: sample.folder.path("all.json")))
    try sample.folder.write(
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: data)), as: UTF8.self)
        + "{\"text\": \"more\"}\n", to: "set.jsonl")
    try join(all[0], all[1], all[2]).expectStatus(4, saying: "was measured otherwise: data;")
  }

  static let usage: [(words: [String], problem: String)] = [
    (["--shard", "1/2"], "--shard needs --output: what it has measured is to be joined"),
    (["--shard", "1/2", "--from", "a.json"], "--shard and --from exclude each other"),
    (
      ["--shard", "1/2", "-o", "a.json", "--require", "cut<1"],
      "--require is for all lines; give it with --from, once all shards are measured"
    ),
    (
      ["--from", "a.json", "b.json"],
      "b.json is no adapter; give --from before each shard, or once with a folder of them"
    ),
  ]

  @Test(arguments: usage) func linesThatAreWrongAreRefused(
    _ words: [String], _ problem: String
  ) throws {
    try Tool.run(["eval", data] + words).expectStatus(2, saying: problem)
  }
}
