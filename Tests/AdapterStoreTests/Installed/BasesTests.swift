import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct BasesTests {
  @Test(arguments: [BaseTransfer.copy, .link])
  func anInstalledBaseIsKnownWithoutOpeningIt(_ transfer: BaseTransfer) async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try fixture.base("tiny.q4_0.gguf")
    let installation = try await store.installBase(.path(source, transfer))
    let (base, outcome) = (installation.base, installation.outcome)
    #expect(outcome == .installed && base.isCurrent)
    #expect(base.name == "tiny.q4_0" && base.signature == StoreFixture.first)
    #expect(base.contract == StoreFixture.contract(StoreFixture.first))
    #expect(base.path == "\(fixture.root)/bases/\(StoreFixture.first)/base.gguf")
    let (original, installed) = (try FileSystem.info(source), try FileSystem.info(base.path))
    #expect((original?.inode == installed?.inode) == (transfer == .link))
    #expect(((original?.mode ?? 0) & 0o200) != 0, "the user's own file lost a permission")
    let blind = AdapterStore(root: fixture.root, tool: "tests") { _ in
      throw StoreFixture.BadBase()
    }
    #expect(try blind.currentBase() == base)
  }

  @Test(arguments: [(true, true), (false, nil)] as [(Bool, Bool?)])
  func onlyWhatIsConvertedIsMadeHere(_ isConverted: Bool, _ isMadeHere: Bool?) async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try fixture.base("a.zip")
    let result = try await store.installBase(madeFrom: source, isConverted: isConverted) {
      path in try FileManager.default.copyItem(atPath: source, toPath: path)
    }
    #expect(result.base.receipt.base?.isMadeHere == isMadeHere)
  }

  @Test func whatIsInstalledIsHeldAgainstADigestToo() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try fixture.base("a.gguf")
    let right = try await store.installBase(.path(source)).base.receipt.files[0].sha256
    let again = try await store.installBase(.path(source), sha256: right.uppercased())
    #expect(again.outcome == .alreadyInstalled)
    let wrong = String(repeating: "0", count: 64)
    await #expect(
      throws: StoreError.corrupted(url: source, reason: "it has SHA-256 \(right), not \(wrong)")
    ) { try await store.installBase(.path(source), sha256: wrong) }
  }

  /// Each byte is copied and digested, or digested alone.
  @Test(arguments: [(BaseTransfer.copy, 2), (.link, 1)])
  func progressIsOfAllThatIsDone(_ transfer: BaseTransfer, _ passes: Int) async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try fixture.base("a.gguf")
    let size = try #require(try FileSystem.info(source)?.size)
    let control = DownloadControl()
    let progress = control.progress
    try await store.installBase(.path(source, transfer), control: control)
    #expect(await steps(progress) == (1...passes).map { [$0 * size, passes * size] })
  }

  /// What came of what, in bytes; none is lost that nobody took while the installation went on.
  private func steps(
    _ progress: some AsyncSequence<DownloadProgress, Never>
  ) async -> [[Int]] {
    var steps = [[Int]]()
    for await step in progress { steps.append([step.received, step.total ?? 0]) }
    return steps
  }

  @Test func progressOfPartsIsOfAllThatIsDone() async throws {
    let fixture = try StoreFixture()
    let store = AdapterStore(root: fixture.root, tool: "tests") { _ in
      StoreFixture.contract(StoreFixture.first)
    }
    let control = DownloadControl()
    let progress = control.progress
    try await store.installBase(
      .path(Fixtures.path("TensorFilesTests", "split/tiny-00001-of-00003.gguf")),
      control: control)
    let steps = await steps(progress)
    let last = try #require(steps.last)
    #expect(last[0] == last[1] && steps.contains { 2 * $0[0] == $0[1] }, "\(steps)")
    #expect(steps.map { $0[0] } == steps.map { $0[0] }.sorted())
  }

  @Test func aModelInPartsIsCalledAsAskedAndTakesNoDigest() async throws {
    let fixture = try StoreFixture()
    let store = AdapterStore(root: fixture.root, tool: "tests") { _ in
      StoreFixture.contract(StoreFixture.first)
    }
    let path = Fixtures.path("TensorFilesTests", "split/tiny-00001-of-00003.gguf")
    let error = await #expect(throws: StoreError.self) {
      try await store.installBase(.path(path), sha256: String(repeating: "0", count: 64))
    }
    #expect(
      error?.description
        == "\(path): not a base that can be run: it is 3 files, and the given SHA-256 is for one; "
        + "leave it out")
    #expect(try await store.installBase(.path(path), name: "mine").base.name == "mine")
  }

  @Test func aCancelledTaskInstallsNothing() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store()
    let source = try fixture.base("a.gguf")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await store.installBase(.path(source))
    }
    await #expect(throws: StoreError.cancelled) { try await task.value }
    #expect(try store.bases().bases.isEmpty)
    #expect((try? FileSystem.list("\(fixture.root)/ingest"))?.isEmpty != false)
  }

  @Test func aLinkToAModelIsFollowed() async throws {
    let fixture = try StoreFixture()
    let source = try fixture.base("real.gguf")
    let link = "\(fixture.sources)/link.gguf"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: source)
    let base = try await fixture.store().installBase(.path(link, .link)).base
    #expect(base.name == "link")
    #expect(try FileSystem.info(base.path)?.kind == .file)
  }

  @Test func theFirstBaseIsInUseUntilAnotherIsChosen() async throws {
    let (fixture, store) = try StoreFixture.opened()
    #expect(throws: StoreError.noCurrentBase(installed: 0)) { try store.currentBase() }
    try await store.installBase(.path(fixture.base("a.gguf")))
    try await store.installBase(.path(fixture.base("b.gguf", signature: StoreFixture.second)))
    #expect(try store.currentBase().name == "a")
    #expect(try store.useBase("fedc").name == "b")
    #expect(try store.currentBase().name == "b")
    #expect(try store.useBase("a").isCurrent)
    #expect(try store.bases().bases.map(\.isCurrent) == [true, false])
    try store.removeBase("a")
    #expect(try store.currentBase().name == "b", "the only one left")
    let file = "\(fixture.root)/current"
    #expect(try FileSystem.read(file, limit: 100) == Array((StoreFixture.second + "\n").utf8))
    try store.removeBase("b")
    #expect(try FileSystem.info(file) == nil)
  }

  /// The receipt's text in place of what was recorded; nil without a receipt.
  @Test(arguments: ["", "{}", nil])
  func aBaseThatCannotBeUsedIsNotReplacedInSilence(_ receipt: String?) async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(.path(fixture.base("a.gguf")))
    try await store.installBase(.path(fixture.base("b.gguf", signature: StoreFixture.second)))
    let package = try fixture.package()
    try await store.installAdapter(.path(package))
    let path = "\(fixture.root)/bases/\(StoreFixture.first)"
    try FileSystem.removeTree("\(path)/receipt.json")
    if let receipt {
      try fixture.directory.write(receipt, to: "store/bases/\(StoreFixture.first)/receipt.json")
    }
    let damaged = StoreError.damaged(
      path: path, reason: "the base's receipt or model is missing or cannot be read")
    #expect(throws: damaged) { try store.currentBase() }
    #expect(throws: damaged) { try store.base(named: "0123") }
    #expect(throws: damaged) { try store.checkBase(signed: StoreFixture.first) }
    try store.checkBase(signed: StoreFixture.second)
    #expect(try store.bases().bases.map(\.isCurrent) == [false])
    #expect(try store.adapters().adapters.map(\.facts) == [.downloaded], "not obsolete")
    let rules = try await store.examine(system: SystemFacts()).findings.map(\.rule)
    #expect(rules == ["receipt.missing"], "neither of the choice nor of its adapters")
    try await store.installBase(.path(fixture.base("a.gguf")))
    #expect(try store.currentBase().name == "a")
    #expect(try store.useBase("b").isCurrent)
  }

  /// Its receipt does not tell what it is called.
  @Test func theOnlyBaseIsMeantByAnyNameWhereItCannotBeUsed() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(.path(fixture.base("a.gguf")))
    let path = "\(fixture.root)/bases/\(StoreFixture.first)"
    try FileSystem.removeTree("\(path)/receipt.json")
    let damaged = StoreError.damaged(
      path: path, reason: "the base's receipt or model is missing or cannot be read")
    #expect(throws: damaged) { try store.base(named: "a") }
    try await store.installBase(.path(fixture.base("b.gguf", signature: StoreFixture.second)))
    #expect(throws: StoreError.noBase("a", known: ["b (\(StoreFixture.second.prefix(7)))"])) {
      try store.base(named: "a")
    }
  }

  @Test func aBaseThatIsNotThereLeavesNoneInUse() async throws {
    let (fixture, store) = try StoreFixture.opened()
    for (index, digit) in ["a", "b", "c"].enumerated() {
      let signature = String(repeating: digit, count: 40)
      try await store.installBase(.path(fixture.base("\(index).gguf", signature: signature)))
    }
    try store.removeBase("aaaa")
    #expect(throws: StoreError.noCurrentBase(installed: 2)) { try store.currentBase() }
    #expect(try FileSystem.info("\(fixture.root)/current") == nil)
  }

  @Test func aNameOrDigitsThatFitSeveralAreAmbiguous() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let signatures = ["0000a", "0000b"].map { $0 + String(repeating: "1", count: 35) }
    for (index, signature) in signatures.enumerated() {
      try await store.installBase(
        .path(fixture.directory.write(signature, to: "sources/\(index)/same.gguf")))
    }
    for text in ["same", "0000"] {
      #expect(throws: StoreError.ambiguous(text, candidates: signatures)) {
        try store.useBase(text)
      }
    }
    #expect(try store.useBase("0000b").signature == signatures[1])
    let error = #expect(throws: StoreError.self) { try store.useBase("000") }
    #expect(
      error?.description
        == "no base '000' is installed; there are: same (0000a11), same (0000b11)")
  }

  @Test func anotherFileOfTheSignatureTakesThePlaceOnlyWhenAsked() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let old = try await store.installBase(.path(fixture.base("q8.gguf", weights: "8"))).base
    let other = try fixture.base("q4.gguf", weights: "44")
    let (was, now) = try (old.receipt.files[0].sha256, FileRecord(path: "x", file: other).sha256)
    let signature = StoreFixture.first
    await #expect(
      throws: StoreError.otherBase(
        signature: signature, installed: "'q8' (text, 42 bytes, SHA-256 \(was))",
        offered: "'q4' (text, 43 bytes, SHA-256 \(now))", isClaim: false)
    ) { try await store.installBase(.path(other)) }
    #expect(try store.bases().bases.map(\.name) == ["q8"])
    #expect(try fixture.names("ingest") == [])
    let installation = try await store.installBase(
      .path(other), policy: InstallPolicy(replaces: true))
    let (base, outcome) = (installation.base, installation.outcome)
    #expect(outcome == .replaced && base.name == "q4" && base.isCurrent)
    #expect(try store.bases().bases.count == 1)
    let again = try await store.installBase(.path(fixture.base("q4.gguf", weights: "44")))
    #expect(again.outcome == .alreadyInstalled)
  }

  @Test func anotherBaseAtTheSameAddressTakesThePlaceOnlyWhenAsked() async throws {
    let fixture = try StoreFixture()
    let (url, server) = ("https://host.example/m.gguf", ScriptedServer([:]))
    let store = fixture.store(over: server)
    server.replace(url, ScriptedServer.Object(bytes: Array(StoreFixture.first.utf8)))
    let old = try await store.installBase(.url(url)).base
    #expect(old.receipt.unverified.map(\.path) == ["base.gguf"])
    server.replace(url, ScriptedServer.Object(bytes: Array(StoreFixture.second.utf8)))
    await #expect {
      try await store.installBase(.url(url))
    } throws: { error in
      let error = error as? StoreError
      return error?.code == .otherBase && error?.subject == StoreFixture.first
        && error?.choices.first?.hasSuffix(", with the signature \(StoreFixture.second)") == true
    }
    #expect(try store.bases().bases.map(\.signature) == [StoreFixture.first])
    #expect(try fixture.names("ingest") == [])
    let installation = try await store.installBase(
      .url(url), policy: InstallPolicy(replaces: true))
    let (new, outcome) = (installation.base, installation.outcome)
    #expect(outcome == .replaced && new.isCurrent && new.signature == StoreFixture.second)
    #expect(try store.bases().bases.count == 1)
  }

  @Test func aFileThatIsNoBaseIsRefused() async throws {
    let fixture = try StoreFixture()
    let path = try fixture.directory.write("x", to: "sources/x.gguf")
    let error = await #expect(throws: StoreError.self) {
      try await fixture.store().installBase(.path(path))
    }
    #expect(
      error?.description
        == "\(path): not a base that can be run: no signature in the first line; give another one")
    #expect(try FileSystem.info(fixture.root) == nil)
    await #expect(throws: StoreError.noSource(path: "/nowhere")) {
      try await fixture.store().installBase(.path("/nowhere"))
    }
  }

  @Test func removingABaseMakesItsAdaptersObsolete() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(.path(fixture.base("a.gguf")))
    try await store.installAdapter(.path(fixture.package()))
    #expect(try store.adapter(named: "demo").facts == [.downloaded, .fitsCurrentBase])
    try store.removeBase("a")
    #expect(try store.adapter(named: "demo").facts == [.downloaded, .obsolete])
  }
}
