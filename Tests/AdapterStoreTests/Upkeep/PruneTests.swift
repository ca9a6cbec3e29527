import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct PruneTests {
  private static let digest = String(repeating: "a", count: 64)
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  /// A store with one of each kind of thing, of use and of none.
  private func mixed() async throws -> StoreFixture {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(.path(fixture.base("a.gguf")))
    let kept = try fixture.plant("kept", weights: [1])
    try fixture.plant("orphan", signature: StoreFixture.second, weights: [1, 2])
    let digest = try #require(Receipt(reading: kept.receiptPath)?.files.first?.sha256)
    try draft(fixture, "used", digest, StoreFixture.first)
    try draft(fixture, "nobase", digest, StoreFixture.second)
    try draft(fixture, "noadapter", Self.digest, StoreFixture.first)
    let file = try #require(
      Receipt(reading: "\(fixture.root)/bases/\(StoreFixture.first)/receipt.json")?.files.first)
    try compiledBase(fixture, "inuse", file.sha256, StoreFixture.first)
    try compiledBase(fixture, "removed", file.sha256, StoreFixture.second)
    try compiledBase(fixture, "replaced", Self.digest, StoreFixture.first)
    try fixture.directory.write("x", to: "store/compiled/unknown/model.bin")
    try partial(fixture, updated: Self.start)
    let name = IngestName(
      boot: "aaaaaaaa", process: StoreFixture.otherProcess, created: Self.start - 100_000)
    try fixture.directory.write("x", to: "store/ingest/\(name.text)/item/x")
    return fixture
  }

  private func draft(
    _ fixture: StoreFixture, _ key: String, _ digest: String, _ base: String
  ) throws {
    let record = CompiledDraft(
      draftSHA256: digest, baseSignature: base, baseSize: 1, processor: "plain",
      passRatios: [Double](repeating: 1, count: 16), secondsPerToken: 0.01, created: Self.start)
    try fixture.directory.write("code", to: "store/compiled/\(key)/model.bin")
    try record.write(to: "\(fixture.root)/compiled/\(key)/draft.json")
  }

  private func compiledBase(
    _ fixture: StoreFixture, _ key: String, _ digest: String, _ base: String
  ) throws {
    let tiles = Array("tiles".utf8)
    let record = CompiledBase(
      modelSHA256: digest, baseSignature: base, processor: "plain", size: tiles.count,
      tilesSHA256: SHA256.hex(tiles), created: Self.start)
    try fixture.directory.write(tiles, to: "store/compiled/\(key)/tiles.bin")
    try record.write(to: "\(fixture.root)/compiled/\(key)/base.json")
  }

  /// A download of a process that has ended, or of one that has given it up.
  @discardableResult
  private func partial(
    _ fixture: StoreFixture, updated: Date, released: Bool = false
  ) throws -> String {
    let boot = IngestName.currentBoot()
    let name = IngestName(
      boot: boot, process: StoreFixture.otherProcess, created: Self.start)
    let state = PartialState(
      url: "https://host/x.bin", file: "x.bin", entityTag: "\"1\"", boot: boot, created: updated,
      updated: updated,
      released: released)
    let path = "ingest/\(name.text)/part/\(String(repeating: "0", count: 32))"
    try fixture.directory.write([1, 2, 3], to: "store/\(path)/data")
    try state.write(to: "\(fixture.root)/\(path)/state.json")
    return path
  }

  private func text(_ items: [Prunable]) -> [String] {
    items.map { "\($0.kind.rawValue) \($0.name.prefix(24)): \($0.reason)" }
  }

  @Test func whatIsOfNoUseIsFoundWithItsReasonAndNothingElse() async throws {
    let fixture = try await mixed()
    let found = try fixture.store().prunable()
    #expect(
      text(found.map { $0.kind == .ingest ? renamed($0) : $0 }) == [
        "adapter fmadapter-orphan-fedcba9: its base fedcba9 is not installed",
        "compiled noadapter: its adapter is not installed",
        "compiled nobase: its base fedcba9 is not installed",
        "compiled removed: its base fedcba9 is not installed",
        "compiled replaced: another file is installed as its base now",
        "partial partial-00000000: the download of https://host/x.bin was not finished",
        "ingest name: its installation was interrupted",
      ])
    #expect(found.allSatisfy { $0.size > 0 && !$0.isInUse && $0.recorded != nil })
    // Looking changes nothing.
    #expect(try fixture.store().prunable() == found)
  }

  @Test func whatIsCompiledIsVerifiedByTheNameThatListsHave() async throws {
    let store = try await mixed().store()
    for item in try store.usage().items where item.kind == .compiled && item.name != "unknown" {
      #expect(try await store.verify([item.name]).map(\.entry.name) == [item.name])
    }
  }

  /// What was compiled of files outside of the store is of use as long as they are there.
  @Test func filesOutsideOfTheStoreKeepWhatWasCompiled() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(.path(fixture.base("a.gguf")))
    let file = try fixture.directory.write("guesses", to: "mine/draft_suffixes.bin")
    let base = try fixture.directory.write("base", to: "b.gguf")
    for (key, signature, path) in [
      ("installed", StoreFixture.first, nil), ("file", StoreFixture.second, base),
    ] as [(String, String, String?)] {
      let record = CompiledDraft(
        draftSHA256: SHA256.hex(Array("guesses".utf8)), baseSignature: signature, baseSize: 1,
        processor: "plain", passRatios: [Double](repeating: 1, count: 16), secondsPerToken: 0.01,
        packagePath: FilePath.parent(of: file), basePath: path, created: Self.start)
      try fixture.directory.write("", to: "store/compiled/\(key)/x")
      try record.write(to: "\(fixture.root)/compiled/\(key)/draft.json")
    }
    #expect(try store.prunable() == [])
    try FileSystem.removeTree(base)
    #expect(
      try text(store.prunable()) == ["compiled file: its base fedcba9 is not installed"])
    try fixture.directory.write("others", to: "mine/draft_suffixes.bin")
    #expect(try store.prunable().count == 2)
  }

  private func renamed(_ item: Prunable) -> Prunable {
    Prunable(
      kind: item.kind, name: "name", path: item.path, size: item.size, reason: item.reason,
      recorded: item.recorded, isInUse: item.isInUse)
  }

  @Test func whatWasFoundIsRemovedAndTheRestStays() async throws {
    let fixture = try await mixed()
    let store = fixture.store()
    let results = try store.prune(store.prunable())
    #expect(results.map(\.outcome) == Array(repeating: .removed, count: 7))
    #expect(try fixture.names("adapters") == ["fmadapter-kept-0123456"])
    #expect(try fixture.names("compiled") == ["inuse", "unknown", "used"])
    #expect(try fixture.names("ingest") == [])
    #expect(try store.prunable() == [])
    #expect(try await store.verify().allSatisfy { $0.isIntact })
  }

  @Test(arguments: Prunable.Kind.allCases)
  func aKindMayBeChosen(_ kind: Prunable.Kind) async throws {
    let fixture = try await mixed()
    let store = fixture.store()
    let found = try store.prunable(PruneSelection(kinds: [kind]))
    #expect(!found.isEmpty && Set(found.map(\.kind)) == [kind])
  }

  @Test(arguments: [(-86_400.0, 0), (0, 0), (86_399, 0), (86_400, 5), (1e9, 5)])
  func ageGoesByWhatWasRecorded(_ passed: TimeInterval, _ count: Int) async throws {
    let fixture = try await mixed()
    let store = fixture.store { $0.now = { Self.start + passed } }
    let kinds: Set<Prunable.Kind> = [.adapter, .compiled]
    let old = PruneSelection(kinds: kinds, olderThan: 86_400)
    #expect(try store.prunable(old).count == count)
    #expect(try store.prunable(PruneSelection(kinds: kinds)).count == 5)
  }

  @Test(arguments: [
    (86_400.0, 1), (0, 0), (-59, 0), (-61, 1), (-1e9, 1),
  ])
  func aDownloadFromTheFutureIsOfUnknownAgeAndSoOld(
    _ passed: TimeInterval, _ count: Int
  ) async throws {
    let fixture = try StoreFixture()
    try partial(fixture, updated: Self.start)
    let now = Self.start + passed
    let store = fixture.store { $0.now = { now } }
    let kinds: Set<Prunable.Kind> = [.partial]
    #expect(
      try store.prunable(PruneSelection(kinds: kinds, olderThan: 86_400)).count == count)
    let fresh = PruneSelection(kinds: kinds, sparesFreshPartials: true)
    #expect(try store.prunable(fresh).count == (passed < -60 ? 1 : 0))
    let age = try #require(try store.partials().first).age(at: now)
    #expect(age == (passed < -60 ? nil : max(0, passed)))
  }

  @Test(arguments: [0.0, 1, 4_000_000_000])
  func timesOfFilesDecideNothing(_ time: TimeInterval) async throws {
    let fixture = try await mixed()
    let before = try fixture.store().prunable()
    let manager = FileManager.default
    for path in try manager.subpathsOfDirectory(atPath: fixture.root) {
      try manager.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: time)],
        ofItemAtPath: "\(fixture.root)/\(path)")
    }
    let old = PruneSelection(olderThan: 86_400)
    #expect(try fixture.store().prunable() == before)
    #expect(try fixture.store().prunable(old).map(\.kind) == [.ingest])
  }

  @Test func withoutAReadableReceiptABaseStillCountsAndAnAgeIsUnknown() async throws {
    let fixture = try await mixed()
    try fixture.directory.write("{", to: "store/bases/\(StoreFixture.first)/receipt.json")
    let orphan = "\(fixture.root)/adapters/fmadapter-orphan-fedcba9"
    try FileSystem.removeTree("\(orphan)/receipt.json")
    let store = fixture.store { $0.now = { Self.start + 1e9 } }
    #expect(
      try store.prunable(PruneSelection(kinds: [.adapter])).map(\.name)
        == ["fmadapter-orphan-fedcba9"])
    #expect(try store.prunable(PruneSelection(kinds: [.adapter], olderThan: 1)) == [])
    // Any draft may be of the adapter that nothing is known of.
    #expect(
      try store.prunable(PruneSelection(kinds: [.compiled])).map(\.name)
        == ["nobase", "removed"])
  }

  @Test func adaptersOfABaseThatWasSetAsideStay() async throws {
    let fixture = try await mixed()
    try fixture.directory.write("{", to: "store/bases/\(StoreFixture.first)/receipt.json")
    try fixture.directory.write("x", to: "store/bases/\(StoreFixture.first)/base.gguf")
    let report = try await fixture.store().examine(fixing: true, system: SystemFacts())
    #expect(report.findings.contains { $0.rule == "receipt.missing" && $0.state == .fixed })
    #expect(try fixture.names("bases") == [])
    let found = try fixture.store().prunable(PruneSelection(kinds: [.adapter]))
    #expect(found.map(\.name) == ["fmadapter-orphan-fedcba9"])
    let obsolete = report.findings.first {
      $0.rule == "adapter.obsolete" && $0.place == "fmadapter-kept-0123456"
    }
    #expect(obsolete?.remedy.hasPrefix("Install that base again; ") == true)
  }

  /// What another user has left in a shared store is his to remove, and no reason to fail day by day.
  @Test(arguments: [
    (Prunable.Kind.ingest, EPERM, PruneResult.Outcome.kept), (.partial, EACCES, .kept),
    (.adapter, EACCES, .failed), (.ingest, EIO, .failed), (.compiled, ENOENT, .gone),
  ])
  func whatCannotBeRemovedIsToldApart(
    _ kind: Prunable.Kind, _ code: Int32, _ outcome: PruneResult.Outcome
  ) {
    let item = Prunable(
      kind: kind, name: "n", path: "/p", size: 1, reason: "r", recorded: nil, isInUse: false)
    let error = StoreError.storage(.system(.changeMode, path: "/p", code: code))
    let result = PruneResult(item, failure: error)
    #expect(result.outcome == outcome)
    #expect((result.reason == nil) == (outcome == .gone))
  }

  @Test func whatASessionHasOpenStays() async throws {
    let fixture = try await mixed()
    let store = fixture.store()
    let adapter = try store.adapter(named: "orphan")
    let lease = store.lease(adapter)
    #expect(lease.isHeld)
    let found = try store.prunable(PruneSelection(kinds: [.adapter]))
    #expect(found.map(\.isInUse) == [true])
    #expect(try store.prune(found).map(\.outcome) == [.kept])
    #expect(try fixture.names("adapters").count == 2)
    withExtendedLifetime(lease) {}
  }

  @Test func allLeasesOfAProcessOnAnEntryTakeOneDescriptor() async throws {
    let fixture = try await mixed()
    let store = fixture.store()
    let adapter = try store.adapter(named: "orphan")
    let path = "\(fixture.root)/leases/\(adapter.identifier)"
    var leases = (0..<100).map { _ in store.lease(adapter) } + [fixture.store().lease(adapter)]
    leases.append(store.lease(at: adapter.path + "/adapter_weights.bin"))
    #expect(leases.filter(\.isHeld).count == 102)
    #expect(Self.descriptors(of: path) == 1)
    leases.removeLast(leases.count - 1)
    #expect(FileLock.isHeld(path))
    // In the place of a file that was removed there is another one.
    try FileManager.default.removeItem(atPath: path)
    leases.append(store.lease(adapter))
    #expect(FileLock.isHeld(path))
    leases = []
    #expect(!FileLock.isHeld(path) && Self.descriptors(of: path) == 0)
  }

  /// How often this process has the file at `path` open.
  private static func descriptors(of path: String) -> Int {
    let (files, folder) = (FileManager.default, "/proc/self/fd")
    let all = (try? files.contentsOfDirectory(atPath: folder)) ?? []
    return all.count { number in
      (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")) == path
    }
  }

  @Test func aLeaseThatEndedKeepsNothing() async throws {
    let fixture = try await mixed()
    let store = fixture.store()
    do { _ = store.lease(try store.adapter(named: "orphan")) }
    let found = try store.prunable(PruneSelection(kinds: [.adapter]))
    #expect(try store.prune(found).map(\.outcome) == [.removed])
    #expect(try fixture.names("leases") == [])
  }

  @Test func anOpenMappingOutlivesTheRemoval() async throws {
    let fixture = try await mixed()
    let store = fixture.store()
    let path = try store.adapter(named: "orphan").path
    let mapped = try MappedFile(path: "\(path)/adapter_weights.bin")
    try store.prune(store.prunable())
    #expect(try FileSystem.info(path) == nil)
    #expect(mapped.bytes.array == [1, 2])
  }

  @Test func whatIsOfUseAgainIsNotRemoved() async throws {
    let fixture = try await mixed()
    let store = fixture.store()
    let found = try store.prunable(PruneSelection(kinds: [.adapter, .compiled]))
    try await fixture.store().installBase(
      .path(fixture.base("b.gguf", signature: StoreFixture.second)))
    try fixture.store().removeAdapter("kept")
    let outcomes = try store.prune(found).map { "\($0.item.name) \($0.outcome.rawValue)" }
    #expect(
      outcomes == [
        "fmadapter-orphan-fedcba9 kept", "noadapter removed", "nobase removed", "removed kept",
        "replaced removed",
      ])
  }

  @Test func aDownloadInProgressAndARunningInstallationAreLeftAlone() async throws {
    let fixture = try StoreFixture()
    let path = try partial(fixture, updated: Self.start)
    let paused = try partial(fixture, updated: Self.start, released: true)
    let locks = try [path, paused].map { partial in
      let place = FilePath.parent(of: FilePath.parent(of: "\(fixture.root)/\(partial)"))
      return try #require(try FileLock(path: Ingest.lock(in: place)))
    }
    defer { withExtendedLifetime(locks) {} }
    let name = IngestName(
      boot: IngestName.currentBoot(), process: StoreFixture.otherProcess, created: Self.start)
    let ingest = try Ingest(
      in: StoreLayout(root: fixture.root), name: name, for: fixture.root)
    let store = fixture.store()
    let found = try store.prunable()
    #expect(found.map(\.path) == ["\(fixture.root)/\(paused)"])
    try store.prune(found)
    #expect(try FileSystem.info("\(fixture.root)/\(path)/data") != nil)
    #expect(try FileSystem.info(ingest.item) != nil)
  }

  @Test func theSecondOfTwoFindsItGone() async throws {
    let fixture = try await mixed()
    let found = try fixture.store().prunable()
    try fixture.store().prune(found)
    #expect(
      try fixture.store().prune(found).map(\.outcome)
        == Array(repeating: .gone, count: found.count))
  }

  @Test func installingWhileAnotherPrunesLosesNothing() async throws {
    let fixture = try StoreFixture()
    let source = try fixture.package()
    try await fixture.store().installBase(.path(fixture.base("a.gguf")))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let store = fixture.store()
          for _ in 0..<10 { try await store.installAdapter(.path(source)) }
        }
        group.addTask {
          let store = fixture.store()
          for _ in 0..<10 { try store.prune(store.prunable()) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await fixture.store().verify(["demo"]).allSatisfy { $0.isIntact })
    #expect(try fixture.names("ingest") == [])
  }

  @Test(arguments: ["", "{", "{\"formatVersion\": 0}", "{\"formatVersion\": 9}", "[]"])
  func aDraftThatCannotBeUnderstoodIsLeftAlone(_ record: String) async throws {
    let fixture = try StoreFixture()
    try fixture.directory.write(record, to: "store/compiled/key/draft.json")
    #expect(try fixture.store().prunable() == [])
  }

  @Test func whatAnEarlierProgramCompiledIsOfNoMoreUse() async throws {
    let fixture = try StoreFixture()
    try fixture.directory.write(
      "{\"formatVersion\": 2, \"created\": \"2026-11-22T03:00:00Z\", \"other\": []}",
      to: "store/compiled/key/draft.json")
    let found = try fixture.store().prunable()
    #expect(found.map(\.reason) == ["an earlier fmadapter compiled it"])
    #expect(found.first?.recorded == Date(timeIntervalSince1970: 1_795_316_400))
    #expect(try await fixture.store().verify() == [])
    try fixture.store().prune(found)
    #expect(try fixture.names("compiled") == [])
  }
}
