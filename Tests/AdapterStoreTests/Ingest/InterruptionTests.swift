import Adapters
import Foundation
import TensorFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct InterruptionTests {
  /// A process number that no system gives out.
  private static let dead = Int32.max

  @Test(arguments: InstallStep.allCases, [false, true])
  func deathAtAnyStepLeavesTheOldOrTheNew(_ step: InstallStep, _ replacing: Bool) async throws {
    let fixture = try StoreFixture()
    if replacing { try await fixture.store().installAdapter(fixture.package()) }
    let dying = fixture.store { process in
      process.identifier = Self.dead
      process.interruption = { (now: InstallStep) throws(SimulatedDeath) in
        if now == step { throw SimulatedDeath() }
      }
    }
    let source = try fixture.package(version: 2)
    await #expect(throws: StoreError.self) { try await dying.installAdapter(source) }
    #expect(try fixture.names("ingest").count == 1, "it died without leaving anything")
    Subprocess.waitForStarts()

    let store = fixture.store()
    let isVisible = step == .cleanUp
    let (adapters, problems) = try store.adapters()
    #expect(
      adapters.map(\.metadata.author)
        == (isVisible ? ["version 2"] : replacing ? ["version 1"] : []))
    #expect(problems.map(\.message) == ["An installation was interrupted."])

    Subprocess.waitForStarts()
    let outcome = try await store.installAdapter(source).outcome
    #expect(outcome == (isVisible ? .alreadyInstalled : replacing ? .replaced : .installed))
    // An installation that finds the content in place has no reason to look around.
    if isVisible { store.collector.collect() }
    #expect(try fixture.names("ingest") == [])
    #expect(try store.adapters().problems == [])
    #expect(try store.adapter(named: "demo").metadata.author == "version 2")
  }

  /// Where the file system cannot exchange, a kill between two renames leaves the entry under a hidden name.
  @Test(arguments: [false, true])
  func anEntryThatLostItsNameGetsItBack(byDoctor: Bool) async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(fixture.base("a.gguf"))
    try await store.installAdapter(fixture.package(stating: "1.0.0"))
    let places = ["adapters/fmadapter-demo-0123456", "bases/\(StoreFixture.first)"].map {
      "\(fixture.root)/\($0)"
    }
    for place in places { try FileSystem.rename(place, to: FilePath.sibling(of: place)) }
    let problems = try store.adapters().problems + store.bases().problems
    #expect(problems.filter { $0.message.hasPrefix("A replacement was interrupted") }.count == 2)
    if byDoctor {
      let report = try await store.examine(fixing: true, system: SystemFacts())
      #expect(
        report.findings.filter { $0.state == .fixed }.map(\.rule) == [
          "entry.nameless", "entry.nameless",
        ])
      #expect(report.open.isEmpty)
    } else {
      try await store.installAdapter(fixture.package("other"))
    }
    #expect(places.allSatisfy { FileSystem.kind(of: $0) == .directory })
    #expect(try store.adapter(named: "demo").facts.contains(.fitsCurrentBase))
    #expect(FileSystem.kind(of: "\(fixture.root)/lost+found") == nil)
  }

  @Test func aRemovalThatIsRefusedNamesWhatWasToGo() async throws {
    let fixture = try StoreFixture()
    try await fixture.store().installBase(fixture.base("a.gguf"))
    let gone = "\(fixture.root)/bases/gone"
    await #expect(throws: StoreError.storage(.system(.remove, path: gone, code: ENOENT))) {
      try fixture.store().discard(gone)
    }
    #expect(try fixture.names("ingest") == [])
  }

  @Test func onlyWhatNobodyWillFinishIsCollected() async throws {
    let fixture = try StoreFixture()
    let layout = StoreLayout(root: fixture.root)
    let now = Date(timeIntervalSince1970: 2_000_000_000)
    func make(_ boot: String, _ process: Int32, age: Int) throws -> Ingest {
      let name = IngestName(boot: boot, process: process, created: now - TimeInterval(age))
      return try Ingest(in: layout, name: name, for: layout.root)
    }
    let own = ProcessInfo.processInfo.processIdentifier
    let held = try make("aaaaaaaa", Self.dead, age: 10_000_000)
    let kept = [
      held.path, try abandon(make("aaaaaaaa", own, age: 10_000_000)),
      try abandon(make("bbbbbbbb", Self.dead, age: 86_000)),
    ]
    let gone = [
      try abandon(make("aaaaaaaa", Self.dead, age: 0)),
      try abandon(make("bbbbbbbb", own, age: 87_000)),
    ]
    try fixture.directory.write("mine", to: "store/ingest/notes.txt")

    let collector = IngestCollector(layout: layout, boot: "aaaaaaaa", now: now)
    let collected = collector.collect()
    #expect(Set(collected) == Set(gone))
    for path in kept { #expect(try FileSystem.info(path) != nil, "\(path)") }
    #expect(try collector.survey().foreign == [layout.ingest + "/notes.txt"])
    try held.remove()
  }

  /// On NFS and in FUSE an open file keeps its folder from going.
  @Test func theLockIsGivenUpBeforeItsFolderGoes() throws {
    let fixture = try StoreFixture()
    let layout = StoreLayout(root: fixture.root)
    let name = IngestName(boot: "aaaaaaaa", process: Self.dead, created: .now)
    let ingest = try Ingest(in: layout, name: name, for: layout.root)
    let link = fixture.directory.path("link")
    try FileSystem.linkOrCopy("\(ingest.path)/lock", to: link)
    #expect(FileLock.isHeld(link))
    try ingest.remove()
    #expect(!FileLock.isHeld(link))
    withExtendedLifetime(ingest) {}
  }

  /// Gives up the lock, as the end of the process does.
  private func abandon(_ ingest: Ingest) -> String { ingest.path }

  @Test(arguments: [
    "", "x", "0123456789abcdef", "0123456789abcdef-aaaaaaaa-0-1", "0123456789abcdef-aaaaaaaa-1",
    "0123456789abcde-aaaaaaaa-1-1", "0123456789abcdef-aaaaaaa-1-1", "0123456789abcdef-aaaaaaaa-x-1",
    "0123456789abcdef-aaaaaaaa--1-1",
  ])
  func otherNamesAreForeign(_ text: String) {
    #expect(IngestName(text) == nil)
  }

  @Test func aNameIsTakenApartAgain() throws {
    let name = IngestName(boot: "0a1b2c3d", process: 42, created: Date(timeIntervalSince1970: 7))
    #expect(try #require(IngestName(name.text)) == name)
    #expect(IngestName.currentBoot().utf8.count == 8)
  }
}
