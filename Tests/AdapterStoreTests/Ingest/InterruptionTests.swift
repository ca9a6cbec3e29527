import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct InterruptionTests {
  @Test(arguments: InstallStep.allCases, [false, true])
  func deathAtAnyStepLeavesTheOldOrTheNew(_ step: InstallStep, _ replacing: Bool) async throws {
    let fixture = try StoreFixture()
    if replacing { try await fixture.store().installAdapter(.path(fixture.package())) }
    let dying = fixture.store { process in
      process.identifier = StoreFixture.otherProcess
      process.interruption = { (now: InstallStep) throws(SimulatedDeath) in
        if now == step { throw SimulatedDeath() }
      }
    }
    let source = try fixture.package(version: 2)
    await #expect(throws: StoreError.self) { try await dying.installAdapter(.path(source)) }
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
    let outcome = try await store.installAdapter(.path(source)).outcome
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
    try await store.installBase(.path(fixture.base("a.gguf")))
    try await store.installAdapter(.path(fixture.package(stating: "1.0.0")))
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
      try await store.installAdapter(.path(fixture.package("other")))
    }
    #expect(places.allSatisfy { FileSystem.kind(of: $0) == .directory })
    #expect(try store.adapter(named: "demo").facts.contains(.fitsCurrentBase))
    #expect(FileSystem.kind(of: "\(fixture.root)/lost+found") == nil)
  }

  @Test func aRemovalThatIsRefusedNamesWhatWasToGo() async throws {
    let fixture = try StoreFixture()
    try await fixture.store().installBase(.path(fixture.base("a.gguf")))
    let gone = "\(fixture.root)/bases/gone"
    await #expect(throws: StoreError.storage(.system(.remove, path: gone, code: ENOENT))) {
      try fixture.store().discard(gone)
    }
    #expect(try fixture.names("ingest") == [])
  }

  /// What this process is as long as it looks.
  private func facts(_ now: Date) -> ProcessFacts {
    var facts = ProcessFacts()
    (facts.boot, facts.now) = ("aaaaaaaa", { now })
    return facts
  }

  @Test func onlyWhatNobodyWillFinishIsCollected() async throws {
    let fixture = try StoreFixture()
    let layout = StoreLayout(root: fixture.root)
    let now = Date(timeIntervalSince1970: 2_000_000_000)
    let facts = facts(now)
    func make(_ boot: String, _ process: String, age: Int) throws -> Ingest {
      let name = IngestName(boot: boot, process: process, created: now - TimeInterval(age))
      return try Ingest(in: layout, name: name, for: layout.root)
    }
    func plant(_ name: String) throws -> String {
      FilePath.parent(of: try fixture.directory.write("", to: "store/ingest/\(name)/lock"))
    }
    let (own, other) = (facts.identifier, StoreFixture.otherProcess)
    let held = try make("aaaaaaaa", other, age: 10_000_000)
    let hidden = "0123456789abcdef.partial"
    let kept = [
      held.path, try abandon(make("bbbbbbbb", other, age: 86_000)),
      try plant(".0123456789abcdef-aaaaaaaa-\(other)-1999999950.\(hidden)"),
    ]
    let gone = [
      try abandon(make("aaaaaaaa", other, age: 0)), try abandon(make("aaaaaaaa", own, age: 0)),
      try abandon(make("bbbbbbbb", own, age: 87_000)),
      try plant(".0123456789abcdef-aaaaaaaa-\(other)-1999999930.\(hidden)"),
    ]
    try fixture.directory.write("mine", to: "store/ingest/notes.txt")
    Subprocess.waitForStarts()

    let collector = IngestCollector(layout, facts)
    let collected = collector.collect()
    #expect(Set(collected) == Set(gone))
    for path in kept { #expect(try FileSystem.info(path) != nil, "\(path)") }
    #expect(try collector.survey().foreign == [layout.ingest + "/notes.txt"])
    try held.remove()
  }

  /// A number says nothing: in each container the first process is 1, and one that was killed keeps its own until somebody asks how it
  /// ended.
  @Test func aNumberOfTheSystemIsNoOwner() throws {
    let fixture = try StoreFixture()
    var killed: pid_t = 0
    let words = [strdup("true"), nil]
    defer { free(words[0]) }
    try #require(posix_spawn(&killed, "/bin/true", nil, nil, words, nil) == 0)
    defer { waitpid(killed, nil, 0) }
    var state = siginfo_t()
    try #require(waitid(P_PID, id_t(killed), &state, WEXITED | WNOWAIT) == 0)
    #expect(kill(killed, 0) == 0, "it is no zombie")
    let layout = StoreLayout(root: fixture.root)
    for number in [1, ProcessInfo.processInfo.processIdentifier, killed] {
      try fixture.directory.write(
        "", to: "store/ingest/0123456789abcdef-aaaaaaaa-\(number)-2000000000/lock")
    }
    let collector = IngestCollector(layout, facts(Date(timeIntervalSince1970: 2_000_000_000)))
    #expect(collector.collect().count == 3)
    #expect(try fixture.names("ingest") == [])
  }

  /// Where locks do not work, here as somebody else's may not even be opened, this process alone is known to live, and for a day every
  /// other may.
  @Test func withoutLocksTheOwnIsOwnedAndEveryOtherForADay() throws {
    let fixture = try StoreFixture()
    let layout = StoreLayout(root: fixture.root)
    let now = Date(timeIntervalSince1970: 2_000_000_000)
    let facts = facts(now)
    for (process, age, isOwned) in [
      (facts.identifier, 10_000_000, true), (StoreFixture.otherProcess, 86_000, true),
      (StoreFixture.otherProcess, 87_000, false),
    ] {
      let name = IngestName(boot: "aaaaaaaa", process: process, created: now - Double(age))
      let path = "\(layout.ingest)/\(name.text)"
      let lock = try fixture.directory.write("", to: "store/ingest/\(name.text)/lock")
      try OrdinaryUser.run(owning: fixture.directory.path) {
        chmod(lock, 0)
        #expect(IngestCollector(layout, facts).hasOwner(name, at: path) == isOwned, "\(age)")
      }
    }
  }

  /// Whoever saw the name without the lock would take the directory away, or the lock itself.
  @Test(.waits) func noDirectoryIsSeenWithoutItsLock() async throws {
    let fixture = try StoreFixture()
    let layout = StoreLayout(root: fixture.root)
    let (rounds, isDone) = (ByteCounter(), ByteCounter())
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var looks = 0
        while true {
          let isLast = isDone.value > 0
          for name in try fixture.names("ingest") where IngestName(name)?.isBeingMade == false {
            #expect(FileLock.isTaken("\(layout.ingest)/\(name)/lock") == true)
            looks += 1
          }
          rounds.add(1)
          if isLast { return looks }
        }
      }
      while rounds.value == 0 { await Task.yield() }
      var made: [Ingest] = []
      for _ in 0..<100 {
        let name = IngestName(
          boot: "aaaaaaaa", process: StoreFixture.otherProcess, created: .now)
        made.append(try Ingest(in: layout, name: name, for: layout.root))
      }
      isDone.add(1)
      #expect(try #require(try await group.next()) >= made.count)
      withExtendedLifetime(made) {}
    }
  }

  /// On NFS and in FUSE an open file keeps its folder from going.
  @Test func theLockIsGivenUpBeforeItsFolderGoes() throws {
    let fixture = try StoreFixture()
    let layout = StoreLayout(root: fixture.root)
    let name = IngestName(boot: "aaaaaaaa", process: StoreFixture.otherProcess, created: .now)
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
    "0123456789abcdef-aaaaaaaa--1-1", "0123456789abcdef-aaaaaaaa-0ddba11-1",
    ".0123456789abcdef-aaaaaaaa-x-1.0123456789abcdef.partial",
  ])
  func otherNamesAreForeign(_ text: String) {
    #expect(IngestName(text) == nil)
  }

  @Test func aNameIsTakenApartAgain() throws {
    let name = IngestName(
      boot: "0a1b2c3d", process: StoreFixture.otherProcess, created: Date(timeIntervalSince1970: 7))
    #expect(try #require(IngestName(name.text)) == name)
    let hidden = try #require(
      IngestName(FilePath.name(of: FilePath.sibling(of: "/ingest/\(name.text)"))))
    #expect(hidden.text == name.text && hidden.isBeingMade && !name.isBeingMade)
    // Of an earlier program.
    #expect(IngestName("0123456789abcdef-0a1b2c3d-42-7")?.process == "42")
    #expect(IngestName.currentBoot().utf8.count == 8)
  }
}
