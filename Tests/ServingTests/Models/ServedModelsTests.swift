import Adapters
import Foundation
import JSON
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import LanguageModels
@testable import Serving

@Suite struct ServedModelsTests {
  @Test(
    arguments: [
      ("a", [("a", nil, nil)]), ("a:latest", [("a", nil, nil)]), ("a@1.0.0", [("a", "1.0.0", nil)]),
      ("b+a:0.5+c:-1", [("b", nil, nil), ("a", nil, 0.5), ("c", nil, -1)]),
      ("smollm2:135m", [("smollm2:135m", nil, nil)]), ("", [("", nil, nil)]),
    ] as [(String, [(String, String?, Double?)])])
  func namesHaveParts(_ text: String, _ parts: [(String, String?, Double?)]) {
    let expected = parts.map { ModelName.Part(name: $0.0, version: $0.1, strength: $0.2) }
    #expect(ModelName(text).parts == expected)
  }

  @Test func modelsAreFoundByEachName() async throws {
    let served = try await ServedStore()
    let listing = try served.models.listing()
    let tagging = try #require(listing.adapters.first { $0.identifier.name == "tagging" })
    let base = ServedStore.baseName
    for (name, count) in [
      (base, 0), ("tagging", 1), ("\(tagging.identifier)", 1), ("tagging:latest", 1),
      ("\(base)+tagging", 1), ("tagging:0.5+playwriting", 2),
      ("tagging@\(tagging.version.description)", 1), (served.models.base.signature, 0),
    ] {
      #expect(try served.models.model(named: name).adapters.count == count, "\(name)")
    }
    let half = try served.models.model(named: "tagging:0.5").adapters[0]
    let whole = try served.models.model(named: "tagging").adapters[0]
    #expect(half.scale == whole.scale / 2)
    // Passes have one product for all requests of an adapter, whose tiles are made once.
    #expect(half.matrices === whole.matrices)
  }

  @Test(arguments: [
    "", "nobody", "tagging@9.9.9", "tagging+nobody", "+", "../tagging", "afm-9m+", "afm-9m@7.7.7",
    "afm-9m@", "afm-9m@1.0.0+tagging", "afm-9m@:latest",
  ])
  func whatIsNotThereIsNotFound(_ name: String) async throws {
    let served = try await ServedStore()
    let error = #expect(throws: ServingError.self) { try served.models.model(named: name) }
    #expect(error?.kind == .notFound && error?.code == "model_not_found")
  }

  /// Clients are not told, as the reason names paths.
  @Test func whoRunsTheServerIsToldWhatCannotBeUsed() async throws {
    let told = Mutex<[String]>([])
    let served = try await ServedStore(adapters: ["tagging"]) { options in
      options.tellFault = { error in told.withLock { $0.append("\(error)") } }
    }
    let adapter = try #require(try served.store.adapters().adapters.first)
    let weights = FilePath.join(adapter.path, PackageFile.weights)
    try FileSystem.openToOwner(adapter.path)
    try FileSystem.makeWritable(weights)
    try #require(FileHandle(forWritingAtPath: weights)).truncate(atOffset: 100)
    let error = #expect(throws: ServingError.self) { try served.models.model(named: "tagging") }
    #expect(error?.field == "model" && error?.message.contains("/") == false)
    #expect(
      told.withLock { $0 }.map { $0.contains(adapter.path) } == [true], "\(told.withLock { $0 })")
  }

  /// In the form of each interface.
  @Test(arguments: [
    ("/v1/chat/completions", "error.code"),
    ("/v1/messages/count_tokens", "error.details.error_code"),
    ("/api/chat", "error"),
  ])
  func aBaseHasNoVersions(_ path: String, _ told: String) async throws {
    try await ServedStore(adapters: []).serving { port in
      func ask(_ model: String) throws -> TestAnswer {
        let chat = #""messages": [{"role": "user", "content": "a"}]"#
        return try TestAnswer.of(
          "POST", path, #"{"model": "\#(model)", \#(chat)}"#, port: port)
      }
      let unknown = try ask("nobody")
      for version in ["", "7.7.7"] {
        let name = "\(ServedStore.baseName)@\(version)"
        let answer = try ask(name)
        #expect(answer.status == 404 && unknown.status == 404, "\(answer.body)")
        #expect(
          answer.json[path: told]?.string?.replacingOccurrences(of: name, with: "nobody")
            == unknown.json[path: told]?.string)
      }
    }
  }

  @Test(arguments: [
    "tagging+tagging", "tagging:1e300", "tagging:-11", "tagging+playwriting+tagging:2",
    Array(repeating: "tagging", count: 9).joined(separator: "+"),
  ])
  func whatNobodyCanMeanIsRefused(_ name: String) async throws {
    let served = try await ServedStore()
    let error = #expect(throws: ServingError.self) { try served.models.model(named: name) }
    #expect(error?.kind == .invalidRequest && error?.field == "model")
  }

  /// What the base has read of a prompt, an activated adapter does not read again; another adapter does.
  @Test func anActivatedAdapterGoesOnWhereTheBaseHasRead() async throws {
    let served = try await ServedStore(adapters: ["tagging"])
    let base = served.models.base
    try await served.installActivated(invocation: base.renderer.answerOpening)
    func ask(_ name: String) throws -> GenerationStatistics {
      let model = try served.models.model(named: name)
      let text = String(repeating: "A kite and a lamp. ", count: 40)
      var request = GenerationRequest(.chat([.init(role: .user, content: text)]))
      request.maximumTokens = 1
      let generation = try Generation(request, GenerationPrompt(request, model), model, seed: nil)
      while try generation.next(isCancelled: { false }) != nil {}
      return generation.statistics
    }
    #expect(try ask(ServedStore.baseName).isActivated == nil)
    let statistics = try ask("activated")
    #expect(statistics.isActivated == true && statistics.reusedTokens >= 64)
    #expect(statistics.promptTokens < 64 + base.renderer.answerOpening.count)
    #expect(try ask("tagging").reusedTokens == 0)
    let error = #expect(throws: ServingError.self) {
      try served.models.model(named: "activated+tagging")
    }
    #expect(error?.field == "model")
  }

  /// Without a restart, and an answer that has begun goes on.
  @Test func whatIsInstalledMeanwhileIsThere() async throws {
    let served = try await ServedStore(adapters: ["tagging"])
    #expect(throws: ServingError.self) { try served.models.model(named: "playwriting") }
    _ = try await served.store.installAdapter(.path(ServedStore.bundled("playwriting.fmadapter")))
    let model = try served.models.model(named: "playwriting")
    var request = GenerationRequest(.chat([.init(role: .user, content: "Write a play.")]))
    request.maximumTokens = 8
    let generation = try Generation(request, GenerationPrompt(request, model), model, seed: nil)
    let first = try generation.next(isCancelled: { false })
    _ = try served.store.removeAdapter("playwriting")
    #expect(throws: ServingError.self) { try served.models.model(named: "playwriting") }
    var text = first?.text ?? ""
    while let piece = try generation.next(isCancelled: { false }) { text += piece.text }
    #expect(!text.isEmpty && generation.end == .length)
  }
}
