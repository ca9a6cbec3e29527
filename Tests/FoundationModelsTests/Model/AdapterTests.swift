import Adapters
import Foundation
import FoundationModels
import SessionTestSupport
import TestSupport
import Testing

private typealias Adapter = SystemLanguageModel.Adapter

@Suite struct AdapterTests {
  /// A copy of the tagging adapter, changed by `change`.
  private func package(
    in folder: TemporaryDirectory, _ change: (URL) throws -> Void
  ) throws -> URL {
    let url = folder.url.appendingPathComponent("tagging.fmadapter")
    try FileManager.default.copyItem(at: SampleModels.tagging, to: url)
    try change(url)
    return url
  }

  private func rewrite(_ url: URL, _ old: String, _ new: String) throws {
    let file = url.appendingPathComponent("metadata.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(old))
    try text.replacingOccurrences(of: old, with: new)
      .write(to: file, atomically: true, encoding: .utf8)
  }

  private func error(_ url: URL, base: URL = SampleModels.base) -> Adapter.AssetError? {
    #expect(throws: Adapter.AssetError.self) { try Adapter(fileURL: url, base: base) }
  }

  @Test func theCreatorsMetadataIsJSON() throws {
    let folder = try TemporaryDirectory()
    let url = try package(in: folder) {
      try rewrite(
        $0, #""creatorDefined": {"#,
        #""creatorDefined": {"n": null, "b": true, "i": 3, "x": 1.5, "l": [1, "a"], "o": {"k": "v"},"#
      )
    }
    let metadata = try Adapter(fileURL: url, base: SampleModels.base).creatorDefinedMetadata
    #expect(metadata["n"] is NSNull)
    #expect(metadata["b"] as? Bool == true)
    #expect(metadata["i"] as? Int == 3)
    #expect(metadata["x"] as? Double == 1.5)
    #expect((metadata["l"] as? [Any])?.count == 2)
    #expect((metadata["o"] as? [String: Any])?["k"] as? String == "v")
    #expect((metadata["fmadapter"] as? [String: Any])?["formatVersion"] as? Int == 1)
  }

  @Test func compilingWithoutADraftHasNothingToDo() async throws {
    try await Adapter(fileURL: SampleModels.tagging, base: SampleModels.base).compile()
  }

  @Test func anotherBaseIsAnErrorThatNamesBoth() throws {
    let folder = try TemporaryDirectory()
    let other = String(repeating: "a", count: 40)
    let url = try package(in: folder) {
      try rewrite($0, "87c91e2144a043f01c22b033105fd9c84f059d1d", other)
      try rewrite($0, "fmadapter-tagging-87c91e2", "fmadapter-tagging-aaaaaaa")
    }
    let error = self.error(url)
    #expect(error?.caseName == "compatibleAdapterNotFound")
    #expect(
      error?.recoverySuggestion
        == "\(url.path): the adapter is for the base \(other), but the base here is "
        + "87c91e2144a043f01c22b033105fd9c84f059d1d; install the base that it was trained on, or use an adapter for "
        + "this one.")
  }

  @Test func everyFindingIsInTheError() throws {
    let folder = try TemporaryDirectory()
    let url = try package(in: folder) { url in
      try rewrite(url, #""loraRank": 8"#, #""loraRank": 5000"#)
      let weights = url.appendingPathComponent("adapter_weights.bin")
      try Data(contentsOf: weights).dropLast(4096).write(to: weights)
    }
    let error = self.error(url)
    #expect(error?.caseName == "invalidAsset")
    #expect(error?.recoverySuggestion?.contains("metadata.rank") == true)
  }

  @Test(arguments: [
    (
      "https://example.org/a.fmadapter",
      "https://example.org/a.fmadapter: not a file URL; "
        + "install the package, then use its name."
    ),
    (
      "file:///nonexistent.fmadapter",
      "/nonexistent.fmadapter: there is no such package; "
        + "give a .fmadapter folder."
    ),
  ])
  func whatIsNoPackageIsInvalid(_ text: String, _ description: String) throws {
    let url = try #require(URL(string: text))
    let error = self.error(url)
    #expect(error?.caseName == "invalidAsset" && error?.recoverySuggestion == description)
  }

  @Test func errorsSpeakToPeopleToo() {
    let context = Adapter.AssetError.Context(debugDescription: "Details.")
    let errors: [any Error] = [
      Adapter.AssetError.invalidAsset(context), Adapter.AssetError.invalidAdapterName(context),
      Adapter.AssetError.compatibleAdapterNotFound(context),
      Adapter.CompilationError.limitReached(context),
      SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "Details.")),
    ]
    #expect(
      errors.map(\.localizedDescription) == [
        "The adapter's files cannot be used. Details.",
        "This is not the name of an adapter. Details.",
        "There is no such adapter for the installed language model. Details.",
        "The adapter cannot be compiled again today. Details.",
        "The language model cannot be used. Details.",
      ])
    #expect(Adapter.AssetError.invalidAsset(context).recoverySuggestion == "Details.")
  }
}
