import Adapters
import Foundation
import JSON
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import fmadapter

/// How words are drawn where nobody says how.
@Suite(.waits) struct StatedSamplingTests {
  private static let stated: [(String, GGUFValue)] = [
    ("general.sampling.temp", .float32(0.7)), ("general.sampling.top_k", .int32(20)),
    ("general.sampling.penalty_repeat", .float32(1.1)),
  ]
  private static let end = "; --temperature 0 always takes the likeliest."

  private let sample: SampleBase

  init() throws { sample = try SampleBase(stated: Self.stated) }

  private func run(_ words: String...) throws -> [String: Any] {
    let words = ["run"] + words + ["--json", "-n", "12"]
    return try Tool.run(words, store: sample.folder).expectSuccess().object()
  }

  /// What is said before the figures, in a line.
  private func said(_ words: String...) throws -> String {
    let words = ["run"] + words + ["-n", "2"]
    let lines = try Tool.run(words, store: sample.folder).expectSuccess().errorText
      .split(separator: "\n")
    #expect(lines.last?.hasPrefix("2 tokens") == true)
    return lines.dropLast().joined(separator: "\n")
  }

  @Test func aBaseMayStateIt() throws {
    try sample.install()
    let first = try run("--no-adapter", "hello")
    #expect(
      try said("--no-adapter", "hello")
        == "Words are drawn as the base states: temperature 0.7, top-k 20, repetition penalty 1.1"
        + Self.end)
    #expect(first["temperature"] as? Double == 0.7)
    let seed = "\(try #require(first["seed"] as? UInt64))"
    let again = try run("--no-adapter", "hello", "--seed", seed)
    #expect(again["text"] as? String == first["text"] as? String)
    let asked = try run(
      "--no-adapter", "hello", "--seed", seed, "-t", "0.7", "--top-k", "20", "--repetition-penalty",
      "1.1")
    #expect(asked["text"] as? String == first["text"] as? String)
    let some = try said("--no-adapter", "hello", "--top-k", "1", "-t", "0.5")
    #expect(some == "Words are drawn as the base states: repetition penalty 1.1" + Self.end)
    let info = try Tool.run("base", "info", "sample", store: sample.folder).expectSuccess().text
    #expect(info.contains("temperature 0.7, top-k 20, repetition penalty 1.1"))
    let input = try sample.folder.write("\"hello\"\n", to: "in.jsonl")
    let row = try Tool.run(
      "run", "--no-adapter", "--input", input, "-n", "12", "--seed", seed, store: sample.folder
    ).expectSuccess().text.objects()[0]
    #expect(row["answer"] as? String == first["text"] as? String)
    #expect((row["run"] as? [String: Any])?["top-k"] as? Int == 20)
  }

  static let odd: [(stated: [(String, GGUFValue)], said: String)] = [
    (
      [("general.sampling.temp", .float32(50))],
      "The base states temperature 50, which does not count: it has to be between 0 and 2."
    ),
    (
      [("general.sampling.temp", .float32(0)), ("general.sampling.penalty_repeat", .float32(1.1))],
      "The likeliest word is always taken, with the repetition penalty 1.1 that the base states; "
        + "--temperature 0 takes it without."
    ),
  ]

  @Test(arguments: odd.indices) func whatIsNotDrawnIsSaid(index: Int) throws {
    let sample = try SampleBase(stated: Self.odd[index].stated).install()
    let run = try Tool.run("run", "--no-adapter", "hello", "-n", "2", store: sample.folder)
      .expectSuccess()
    #expect(run.errorText.hasPrefix(Self.odd[index].said + "\n2 tokens"), "\(run.errorText)")
  }

  /// As over a base that states nothing, to the last bit.
  @Test func aTemperatureOfZeroIsGreedy() throws {
    try sample.install()
    let plain = try SampleBase().install()
    let words = ["run", "--no-adapter", "hello", "-n", "12", "--json"]
    let expected = try Tool.run(words, store: plain.folder).object()
    let found = try run("--no-adapter", "hello", "--temperature", "0")
    #expect(try said("--no-adapter", "hello", "--temperature", "0").isEmpty)
    #expect(found["temperature"] as? Double == 0)
    #expect(found["text"] as? String == expected["text"] as? String)
    #expect(found["logitsHash"] as? String == expected["logitsHash"] as? String)
  }

  /// An adapter that states nothing takes the likeliest words, whatever its base states.
  @Test func anAdapterMayStateIt() throws {
    try sample.install()
    #expect(try said("echo", "hello").isEmpty)
    #expect(try run("echo", "hello")["temperature"] as? Double == 0)
    let file = sample.package + "/metadata.json"
    var metadata = try AdapterMetadata(parsing: FileSystem.read(file, limit: 1 << 20), file: file)
    let values: [SamplingSettings.Value: Double] = [.temperature: 0.9, .topP: 0.5]
    metadata.statedSettings?.sampling = SamplingSettings { values[$0] }
    try Data(metadata.text.utf8).write(to: URL(fileURLWithPath: file))
    #expect(
      try said(sample.package, "hello")
        == "Words are drawn as the adapter states: temperature 0.9, top-p 0.5" + Self.end)
    #expect(try run(sample.package, "hello")["temperature"] as? Double == 0.9)
    // What was set stays when another answers, and what was not is the other's.
    let chat = try Tool.run(
      ["run", sample.package],
      input: "/set top-k 3\n/adapter none\n/set temperature\n/set top-k\n/set top-p\n",
      store: sample.folder
    ).expectSuccess().errorText
    for line in ["  temperature 0.7\n", "  top-k 3\n", "  top-p 1.0\n"] {
      #expect(chat.contains(line), "\(chat)")
    }
    #expect(chat.contains("as the base states: temperature 0.7, repetition penalty 1.1"))
  }
}
