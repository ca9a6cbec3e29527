import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import LanguageModels
@testable import TensorFiles

/// What bases state of how tokens are drawn.
@Suite struct SamplingSettingsTests {
  /// Keys of the file, without `general.sampling.`.
  private static let folders: [(generation: String, keys: [String: Double])] = [
    (
      #"{"do_sample": true, "temperature": 0.7, "top_k": 20, "top_p": 0.8, "repetition_penalty": 1.05}"#,
      ["temp": 0.7, "top_k": 20, "top_p": 0.8, "penalty_repeat": 1.05]
    ),
    (
      #"{"temperature": 0.3, "min_p": 0.15}"#, ["temp": 0.3, "min_p": 0.15]
    ),
    (#"{"do_sample": true, "top_k": 64}"#, ["temp": 1, "top_k": 64]),
    (
      #"{"do_sample": false, "temperature": 0.7, "repetition_penalty": 1.1}"#,
      ["penalty_repeat": 1.1]
    ),
    (#"{"temperature": null, "top_k": null}"#, [:]),
    (#"{"temperature": -1, "top_k": 1.5, "top_p": 0, "min_p": "none"}"#, [:]),
  ]

  @Test(arguments: folders.indices) func foldersBecomeKeysOfLlamaCpp(index: Int) throws {
    let (generation, keys) = Self.folders[index]
    let folder = try CheckpointFolder("qwen2")
    let values = try JSONSerialization.jsonObject(with: Data(generation.utf8))
    try folder.set("generation_config.json", try #require(values as? [String: Any]))
    let metadata = try folder.convert().metadata
    let found = metadata.keys.filter { $0.hasPrefix("general.sampling.") }
    #expect(Set(found) == Set(keys.keys.map { "general.sampling." + $0 }))
    for (key, number) in keys {
      let value = metadata["general.sampling." + key]
      switch value {
      case .int32(let whole): #expect(key == "top_k" && Double(whole) == number)
      case .float32(let part): #expect(key != "top_k" && part == Float(number))
      default: Issue.record("\(key) is \(String(describing: value))")
      }
    }
    #expect(SamplingSettings(metadata).isEmpty == keys.isEmpty)
  }

  /// A base may state what a person may ask for, and no more.
  @Test(arguments: [
    ("temp", 2, true), ("temp", 50, false), ("top_k", 2e6, false), ("top_p", 0.01, true),
    ("top_p", 0.001, false), ("penalty_repeat", 0.5, false),
  ])
  func numbersOfABaseAreBounded(_ key: String, _ number: Double, _ isTaken: Bool) throws {
    var writer = GGUFWriter()
    writer.set("general.sampling." + key, .float32(Float(number)))
    let file = try GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf")
    let stated = SamplingSettings(file.metadata)
    #expect(stated.isEmpty != isTaken && stated.untaken.isEmpty == isTaken)
  }

  private func options(_ settings: SamplingSettings) -> SamplingOptions {
    var options = SamplingOptions(seed: 3, maximumTokens: 9)
    options.take(settings)
    return options
  }

  @Test func filesStateHowTokensAreDrawn() throws {
    var writer = GGUFWriter()
    writer.set("general.sampling.temp", .float32(0.5))
    writer.set("general.sampling.top_k", .uint32(7))
    writer.set("general.sampling.top_p", .float32(1.5))
    writer.set("general.sampling.min_p", .text("0.1"))
    writer.set("general.sampling.penalty_repeat", .float64(1.25))
    let file = try GGUFFile(bytes: TensorBytes(writer.head()), path: "m.gguf")
    let stated = SamplingSettings(file.metadata)
    #expect(
      options(stated)
        == SamplingOptions(
          temperature: 0.5, topK: 7, repetitionPenalty: 1.25, seed: 3, maximumTokens: 9))
    #expect(stated.untaken == [.topP: 1.5])
    var asked = SamplingSettings()
    asked[.topK] = 2
    #expect(options(asked.over(stated)).topK == 2 && options(asked.over(stated)).temperature == 0.5)
    // Exactly the likeliest tokens.
    asked[.temperature] = 0
    #expect(options(asked.over(stated)).repetitionPenalty == 1)
    #expect(options(SamplingSettings()) == SamplingOptions(seed: 3, maximumTokens: 9))
    // What is drawn among is drawn.
    #expect(options(SamplingSettings { $0 == .topP ? 0.9 : nil }).temperature == 1)
    #expect(options(SamplingSettings { $0 == .repetitionPenalty ? 1.1 : nil }).temperature == 0)
  }
}
