import AdapterStore
import Foundation
import LanguageModels
import SessionTestSupport
import TestSupport
import Testing

@testable import FoundationModels

private typealias Adapter = SystemLanguageModel.Adapter

/// What names stand for; one after the other, because the configuration is the process's.
@Suite(.serialized) struct StoreTests {
  private let folder: TemporaryDirectory
  private let store: AdapterStore

  init() throws {
    folder = try TemporaryDirectory()
    store = AdapterStore(root: folder.path, tool: "tests")
  }

  /// Runs `body` with the configured store being this test's.
  func configured<R>(
    tagging: String? = nil, _ body: () async throws -> R
  ) async throws -> R {
    SystemLanguageModel.configuration = SystemLanguageModel.Configuration(
      store: folder.url, contentTaggingAdapter: tagging)
    defer { SystemLanguageModel.configuration = SystemLanguageModel.Configuration() }
    return try await body()
  }

  func fill() async throws {
    try await store.installBase(.path(SampleModels.base.path))
    try await store.installAdapter(.path(SampleModels.tagging.path))
  }

  @Test func defaultIsTheBaseInUse() async throws {
    try await fill()
    try await configured {
      #expect(SystemLanguageModel.default.isAvailable)
      let session = LanguageModelSession()
      let content = try await session.respond(to: SampleModels.note).content
      #expect(content == "traffic, travel")
    }
  }

  /// Makes all files of the store as old as if it had been filled an hour ago.
  private func age() throws {
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
    // In whole seconds, which can be set again without loss.
    let time = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 3600).rounded())
    for case let name as String in files {
      try FileManager.default.setAttributes(
        [.modificationDate: time], ofItemAtPath: folder.path(name))
    }
  }

  /// Writes over a file, so that its size and times stay the same.
  private func replace(_ path: String, by bytes: Data) throws {
    let times = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: bytes)
    try file.close()
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(times)], ofItemAtPath: path)
  }

  @Test(arguments: [nil, "tagging"])
  func theStoreIsReadAgainWhereItHasChanged(tagging: String?) async throws {
    try await fill()
    try age()
    try await configured(tagging: tagging) {
      func model() -> SystemLanguageModel {
        SystemLanguageModel(useCase: tagging == nil ? .general : .contentTagging)
      }
      let first = model()
      #expect(first.isAvailable && first.isAvailable)
      // What is not read cannot be seen: nobody has changed it as far as the file system knows.
      let signature = try store.currentBase().signature
      let receipt = folder.path("bases/\(signature)/receipt.json")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: receipt))
      try replace(receipt, by: Data(repeating: 0x20, count: bytes.count))
      #expect(first.isAvailable && !model().isAvailable)
      try replace(receipt, by: bytes)
      // Any change is seen at once.
      if tagging != nil {
        try store.removeAdapter("tagging")
        #expect(!first.isAvailable)
        try await store.installAdapter(.path(SampleModels.tagging.path))
        #expect(first.isAvailable)
      }
      try store.removeBase(signature)
      #expect(!first.isAvailable)
      try await store.installBase(.path(SampleModels.base.path))
      #expect(first.isAvailable && first.isAvailable)
      // What was written just now might be written again without another time: it is not kept.
      try replace(receipt, by: Data(repeating: 0x20, count: bytes.count))
      #expect(!first.isAvailable)
    }
  }

  @Test func aLinkedBaseThatWasWrittenOverIsNotAvailable() async throws {
    let sources = try TemporaryDirectory()
    let source = try sources.copy(SampleModels.base, to: "base.gguf")
    try await store.installBase(.path(source, .link))
    try await configured {
      #expect(SystemLanguageModel().isAvailable)
      let end = try Data(contentsOf: URL(fileURLWithPath: source)).count
      let file = try #require(FileHandle(forWritingAtPath: source))
      try file.seek(toOffset: UInt64(end - 1))
      try file.write(contentsOf: Data([0x55]))
      try file.close()
      #expect(!SystemLanguageModel().isAvailable)
    }
  }

  @Test func aNameIsTheAdapterForTheBaseInUse() async throws {
    try await fill()
    try await configured {
      let model = SystemLanguageModel(adapter: try Adapter(name: "tagging"))
      let session = LanguageModelSession(model: model)
      let content = try await session.respond(to: SampleModels.note).content
      #expect(content == SampleModels.tags)
    }
  }

  @Test func aPackageFindsItsInstalledBase() async throws {
    try await fill()
    try await configured {
      let model = SystemLanguageModel(adapter: try Adapter(fileURL: SampleModels.playwriting))
      #expect(model.isAvailable)
    }
  }

  @Test func aDraftIsCompiledIntoTheConfiguredStore() async throws {
    let packages = try TemporaryDirectory()
    let package = try packages.copy(SampleModels.tagging, to: "tagging.fmadapter")
    try FileManager.default.copyItem(
      atPath: SampleModels.base.path, toPath: package + "/draft.gguf")
    let url = URL(fileURLWithPath: package)
    try await configured {
      let adapter = try Adapter(fileURL: url, base: SampleModels.base)
      try await adapter.compile()
      let folder = self.folder.path("compiled")
      let compiled = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(compiled.count == 1)
      // Known already, so that no limit matters.
      SystemLanguageModel.configuration.compilationLimit = 0
      try await adapter.compile()
      try FileManager.default.removeItem(atPath: folder)
      let error = await #expect(throws: Adapter.CompilationError.self) {
        try await adapter.compile()
      }
      #expect(
        error?.context.debugDescription.contains(" within 24 hours, which is as often") == true)
    }
  }

  @Test func contentTaggingIsTheConfiguredAdapter() async throws {
    try await fill()
    try await configured(tagging: "tagging") {
      let session = LanguageModelSession(model: SystemLanguageModel(useCase: .contentTagging))
      let content = try await session.respond(to: SampleModels.note).content
      #expect(content == SampleModels.tags)
    }
    try await configured(tagging: "other") {
      #expect(!SystemLanguageModel(useCase: .contentTagging).isAvailable)
    }
  }

  @Test func anEmptyStoreSaysWhatToDo() async throws {
    try await configured {
      #expect(
        SystemLanguageModel.default.diagnosis
          == "No base is installed; install one.")
      #expect(Adapter.compatibleAdapterIdentifiers(name: "tagging").isEmpty)
    }
  }

  @Test func namesThatAreNoneOrUnknownAreErrors() async throws {
    try await fill()
    try await configured {
      let error = self.error("a-b")
      #expect(error?.caseName == "invalidAdapterName")
      #expect(
        error?.recoverySuggestion
          == "'a-b' is not the name of an adapter: names have ASCII letters, digits and underscores only."
      )
      for (name, remedy) in [
        ("weather", "there are: tagging; install one."),
        ("taging", "did you mean 'tagging'?"),
      ] {
        let unknown = self.error(name)
        #expect(unknown?.caseName == "compatibleAdapterNotFound")
        #expect(
          unknown?.recoverySuggestion
            == "No adapter '\(name)' for the base in use, 87c91e2144a043f01c22b033105fd9c84f059d1d, is installed: "
            + "none of this name is; \(remedy)")
      }
    }
  }

  private func error(_ name: String) -> Adapter.AssetError? {
    #expect(throws: Adapter.AssetError.self) { try Adapter(name: name) }
  }

  @Test func identifiersFollowFromTheInstalledBases() async throws {
    try await fill()
    try await configured {
      #expect(
        Adapter.compatibleAdapterIdentifiers(name: "weather") == ["fmadapter-weather-87c91e2"])
      #expect(Adapter.compatibleAdapterIdentifiers(name: "a-b").isEmpty)
    }
  }

  @Test func onlyObsoleteAdaptersAreRemoved() async throws {
    try await fill()
    try await configured {
      try Adapter.removeObsoleteAdapters()
      #expect(try store.adapters().adapters.count == 1)
      // Without a base nothing says what is obsolete.
      try store.removeBase("afm-9m")
      try Adapter.removeObsoleteAdapters()
      #expect(try store.adapters().adapters.count == 1)
      try await installAnotherBase()
      try Adapter.removeObsoleteAdapters()
      #expect(try store.adapters().adapters.isEmpty)
    }
  }

  @Test func anAdapterInUseStays() async throws {
    try await fill()
    try await configured {
      let adapter = try Adapter(name: "tagging")
      try store.removeBase("afm-9m")
      try await installAnotherBase()
      try Adapter.removeObsoleteAdapters()
      #expect(try store.adapters().adapters.count == 1)
      withExtendedLifetime(adapter) {}
    }
  }

  @Test func aSessionKeepsTheAdaptersOfItsBase() async throws {
    try await fill()
    try await configured {
      let session = LanguageModelSession()
      try await session.respond(to: SampleModels.note)
      try store.removeBase("afm-9m")
      try await installAnotherBase()
      try Adapter.removeObsoleteAdapters()
      #expect(try store.adapters().adapters.count == 1)
      // The session goes on although its base has gone from the store.
      try await session.respond(to: SampleModels.note)
      #expect(session.transcript.count == 4)
    }
  }

  @Test func askingLeavesNoTraceInTheStore() async throws {
    try await fill()
    try await configured {
      #expect(SystemLanguageModel.default.isAvailable)
      #expect(!Adapter.compatibleAdapterIdentifiers(name: "tagging").isEmpty)
      #expect(!FileManager.default.fileExists(atPath: folder.path("leases")))
    }
  }

  private func installAnotherBase() async throws {
    var base = RandomBase()
    (base.layers, base.width, base.hiddenWidth, base.vocabularySize) = (1, 64, 64, 64)
    (base.heads, base.keyValueHeads) = (2, 2)
    let path = folder.path("other.gguf")
    try base.write(to: path)
    try await store.installBase(.path(path))
  }
}
