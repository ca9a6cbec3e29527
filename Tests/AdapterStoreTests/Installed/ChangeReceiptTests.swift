import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// A receipt is changed by exchanging its entry, never within it.
@Suite struct ChangeReceiptTests {
  private let fixture: StoreFixture
  private let entry: String
  private var receipt: String { "\(entry)/receipt.json" }
  private static let vouchers = [StoreLayout.model: ["SHA256SUMS"]]

  init() throws {
    fixture = try StoreFixture()
    entry = "\(fixture.root)/bases/\(StoreFixture.first)"
  }

  /// A store with a base that nothing vouched for when it came.
  private func store() async throws -> AdapterStore {
    let store = fixture.store()
    let old = try await store.installBase(.path(fixture.base("a.gguf"))).base.receipt
    let source = FileSource(
      path: StoreLayout.model, url: "https://h/a.gguf", entityTag: nil, vouchers: [])
    let unverified = Receipt(
      source: "https://h/a.gguf", installed: old.installed, tool: old.tool, files: old.files,
      base: old.base, sources: [source])
    try FileSystem.makeWritable(receipt)
    try unverified.write(to: receipt)
    return store
  }

  private func number(_ path: String) throws -> UInt64? { try FileSystem.info(path)?.inode }

  @Test func theEntryIsExchangedForOneOfTheSameFiles() async throws {
    let store = try await store()
    let model = "\(entry)/\(StoreLayout.model)"
    let (entryBefore, modelBefore) = (try number(entry), try number(model))
    try store.vouch(entry, by: Self.vouchers)
    #expect(try #require(Receipt(reading: receipt)).unverified == [])
    #expect(try number(entry) != entryBefore && number(model) == modelBefore)
    #expect((try FileSystem.info(receipt)?.mode ?? 0) & 0o222 == 0)
    #expect(try await store.verify().allSatisfy(\.isIntact))
    #expect(try fixture.names("ingest") == [])
    // What says the same already stays.
    let after = try number(entry)
    try store.vouch(entry, by: Self.vouchers)
    #expect(try number(entry) == after)
  }

  /// The user's own file, of which a base may be a second name, keeps its permissions.
  @Test func aLinkedFileKeepsItsPermissions() async throws {
    let store = fixture.store()
    let source = try fixture.base("a.gguf")
    try await store.installBase(.path(source, .link))
    let before = try FileSystem.info(source)?.mode
    try store.changeReceipt(of: entry) { $0.came(from: "/elsewhere") }
    #expect(try FileSystem.info(source)?.mode == before)
    #expect(Receipt(reading: receipt)?.source == "/elsewhere")
  }

  @Test(arguments: [InstallStep.copy, .receipt, .seal, .commit, .cleanUp])
  func deathAtAnyStepLeavesTheOldOrTheNew(_ step: InstallStep) async throws {
    let store = try await store()
    let dying = fixture.store { process in
      process.interruption = { (now: InstallStep) throws(SimulatedDeath) in
        if now == step { throw SimulatedDeath() }
      }
    }
    #expect(throws: StoreError.busy(path: entry)) { try dying.vouch(entry, by: Self.vouchers) }
    let names = try FileSystem.list(entry).map(\.name.text)
    #expect(names == [StoreLayout.model, StoreLayout.receipt])
    let left = try #require(Receipt(reading: receipt)).unverified
    #expect(left.isEmpty == (step == .cleanUp))
    #expect(try await store.verify().allSatisfy(\.isIntact))
    Subprocess.waitForStarts()
    let other = try fixture.base("b.gguf", weights: "more")
    let policy = InstallPolicy(replaces: true)
    #expect(try await store.installBase(.path(other), policy: policy).outcome == .replaced)
    #expect(try fixture.names("ingest") == [])
  }

  @Test func whoComesInBetweenIsNotOverwritten() async throws {
    let store = try await store()
    let old = try #require(Receipt(reading: receipt))
    var mine = old
    mine.came(from: "/mine")
    try store.changeReceipt(of: entry) { $0.came(from: "/theirs") }
    #expect(try !store.put(mine, over: old, at: entry))
    #expect(Receipt(reading: receipt)?.source == "/theirs")
    #expect(try fixture.names("ingest") == [])
  }

  /// What an earlier program left that was killed as it wrote a receipt where it stood, and what is somebody else's.
  @Test(arguments: [("receipt.json", true), ("thesis.txt", false)])
  func theDraftOfAReceiptIsTheStoresOwn(_ name: String, _ isOwn: Bool) async throws {
    let store = try await store()
    let draft = "\(entry)/.\(name).0123456789abcdef.partial"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: draft))
    let other = try fixture.base("b.gguf", weights: "more")
    let policy = InstallPolicy(replaces: true)
    if isOwn {
      #expect(try await store.installBase(.path(other), policy: policy).outcome == .replaced)
      #expect(try FileSystem.info(draft) == nil)
    } else {
      await #expect(throws: StoreError.occupied(path: entry)) {
        try await store.installBase(.path(other), policy: policy)
      }
      #expect(try FileSystem.info(draft) != nil)
    }
  }
}
