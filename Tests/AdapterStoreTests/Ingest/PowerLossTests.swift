import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Power is lost, or the process killed, at every point of what changes a store.
@Suite(.waits) struct PowerLossTests {
  /// What is done to a store.
  enum Work: String, Sendable, CaseIterable {
    case firstAdapter, replacement, replacementByRenames, removal
    case firstBase, linkedBase, otherBase, fetchedBase

    /// What is in the store before.
    var before: [String] {
      switch self {
      case .replacement, .replacementByRenames, .removal: ["version 1"]
      case .otherBase: ["base 1"]
      case .firstAdapter, .firstBase, .linkedBase, .fetchedBase: []
      }
    }

    /// What is in it once that is done.
    var after: [String] {
      switch self {
      case .firstAdapter, .replacement, .replacementByRenames: ["version 2"]
      case .removal: []
      case .firstBase, .linkedBase, .fetchedBase: ["base 1"]
      case .otherBase: ["base 2"]
      }
    }

    /// What may be found in it in between.
    var between: [[String]] {
      let nameless = ["A replacement was interrupted before this had its name again."]
      return [before, after] + (self == .replacementByRenames ? [nameless] : [])
    }
  }

  private static let seed: UInt64 = 45
  private static let limit = runsAllTests ? Int.max : 60
  /// What is only in the way: where a disk cannot exchange, also what was replaced, under a hidden name.
  private static let harmless = ["An installation was interrupted.", "This is not the store's."]
  private static let address = "https://one.example/base.gguf"

  private let fixture: StoreFixture
  private let packages, bases: [String]

  init() throws {
    fixture = try StoreFixture()
    packages = try [fixture.package(version: 1), fixture.package(version: 2)]
    bases = try [
      fixture.base("a.gguf", weights: "base 1"), fixture.base("b.gguf", weights: "base 2"),
    ]
  }

  /// The store at `root` as a process on a system of this name sees it, days after the work.
  private func store(
    at root: String, boot: String = "aaaaaaaa", days: Double = 0, isDying: Bool = false
  ) -> AdapterStore {
    var process = ProcessFacts()
    process.boot = boot
    process.now = { Date(timeIntervalSince1970: 1_800_000_000 + days * 86_400) }
    if isDying { process.identifier = FilePath.randomName() }
    let base = Array("\(StoreFixture.first)\nbase 1".utf8)
    let server = ScriptedServer([Self.address: .init(bytes: base)], pieceSize: 16)
    return StoreFixture.store(at: root, over: server, process)
  }

  private func begin(_ work: Work) async throws {
    let store = store(at: fixture.root)
    switch work {
    case .replacement, .replacementByRenames, .removal:
      try await store.installAdapter(.path(packages[0]))
    case .otherBase: try await store.installBase(.path(bases[0]))
    case .firstAdapter, .firstBase, .linkedBase, .fetchedBase: break
    }
  }

  private func run(_ work: Work, in store: AdapterStore) async throws {
    switch work {
    case .firstAdapter, .replacement, .replacementByRenames:
      try await store.installAdapter(.path(packages[1]))
    case .removal:
      do throws(StoreError) {
        try store.removeAdapter("fmadapter-demo-0123456")
      } catch {
        // It may have been removed before the crash.
        guard error.code == .noAdapter else { throw error }
      }
    case .firstBase: try await store.installBase(.path(bases[0]))
    case .linkedBase: try await store.installBase(.path(bases[0], .link))
    case .otherBase:
      try await store.installBase(.path(bases[1]), policy: InstallPolicy(replaces: true))
    case .fetchedBase: try await store.installBase(.url(Self.address))
    }
  }

  private func record(_ work: Work) async throws -> FileRecording {
    try await begin(work)
    let dying = store(at: fixture.root, isDying: true)
    let recording = try await FileRecording(of: fixture.directory.path) {
      try await run(work, in: dying)
    }
    return work == .replacementByRenames ? recording.withoutExchange : recording
  }

  /// What the store has, by what is written in it, and all that is wrong with it.
  private func contents(of store: AdapterStore) async throws -> [String] {
    let (adapters, bases) = (try store.adapters(), try store.bases())
    let names = adapters.adapters.map { $0.metadata.author ?? "nobody" }
    let words = try bases.bases.map { base in
      let text = String(decoding: try FileSystem.read(base.path, limit: 1000), as: UTF8.self)
      return text.split(separator: "\n").last.map(String.init) ?? ""
    }
    let problems = (adapters.problems + bases.problems).map(\.message)
    let damage = try await store.verify().flatMap(\.damage).map(\.description)
    return names + words + problems.filter { !Self.harmless.contains($0) } + damage
  }

  /// What a crash has left that is neither the old nor the new, or keeps the next attempt from succeeding; nil for nothing.
  private func fault(_ crash: PowerLossModel.Crash, of work: Work, at root: String) async -> String?
  {
    do {
      try crash.tree.write(to: root)
      // After a loss of power another system runs; two days later nobody waits for what was left.
      let boot = crash.isKill ? "aaaaaaaa" : "bbbbbbbb"
      let store = store(at: root, boot: boot, days: crash.isKill ? 0 : 2)
      let found = try await contents(of: store)
      guard (crash.isEnd ? [work.after] : work.between).contains(found) else {
        return "\(crash.words): found \(found)"
      }
      try await run(work, in: store)
      let now = try await contents(of: store)
      guard now == work.after else { return "\(crash.words), and the next attempt: found \(now)" }
      let layout = StoreLayout(root: root)
      let later = self.store(at: root, boot: boot, days: 30)
      IngestCollector(layout, later.process).collect()
      let left = try FileTree(reading: layout.ingest).items.keys.sorted()
      return left.isEmpty ? nil : "\(crash.words): left \(left)"
    } catch {
      return "\(crash.words): \(error)"
    }
  }

  /// The faults of all crashes that are tried.
  private func faults(_ work: Work, _ model: PowerLossModel) async throws -> [String] {
    let memory = try TemporaryDirectory(inMemory: true)
    var faults: [String] = []
    let crashes = model.crashes(in: "store", limit: Self.limit, seed: Self.seed)
    for (index, crash) in crashes.enumerated() {
      let folder = memory.path("\(index)")
      if let fault = await fault(crash, of: work, at: "\(folder)/store") { faults.append(fault) }
      try FileSystem.removeTree(folder)
    }
    return faults
  }

  @Test(arguments: Work.allCases) func theOldOrTheNewIsThereWhole(_ work: Work) async throws {
    let recording = try await record(work)
    let model = try PowerLossModel(recording)
    #expect(model.end(in: "") == recording.after, "something is done that is not recorded")
    #expect(try await faults(work, model) == [])
  }

  /// The model finds what it is there for.
  @Test(arguments: PowerLossModel.Syncs.allCases)
  func aStoreThatForgetsToSyncIsFoundOut(_ syncs: PowerLossModel.Syncs) async throws {
    let model = try PowerLossModel(try await record(.replacement), forgetting: syncs)
    #expect(try await !faults(.replacement, model).isEmpty)
  }
}
