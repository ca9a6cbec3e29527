import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// A disk that does not confirm that names have changed: here a folder that may be changed, and not opened to be brought to the disk.
@Suite struct ConfirmationTests {
  private let fixture: StoreFixture
  private let target: String
  private var bases: String { FilePath.parent(of: target) }
  private var unconfirmed: StoreError {
    .storage(.system(.confirm, path: target, code: EACCES))
  }

  init() throws {
    fixture = try StoreFixture()
    target = "\(fixture.root)/bases/\(StoreFixture.first)"
  }

  private func plan(_ weights: String) throws -> AdapterStore.IngestPlan {
    let source = try fixture.base("\(weights).gguf", weights: weights)
    var plan = AdapterStore.IngestPlan(source: source, files: [(StoreLayout.model, source)])
    plan.base = BaseRecord(name: weights, contract: StoreFixture.contract(StoreFixture.first))
    return plan
  }

  /// A store whose disk confirms nothing from the moment of the exchange on.
  private var deaf: AdapterStore {
    fixture.store { process in
      let bases = bases
      process.interruption = { (now: InstallStep) throws(SimulatedDeath) in
        if now == .commit { chmod(bases, 0o300) }
      }
    }
  }

  private func weights(_ path: String) throws -> String? {
    String(decoding: try FileSystem.read(path, limit: 1000), as: UTF8.self)
      .split(separator: "\n").last.map(String.init)
  }

  /// What stands under the name, and what was taken out of there and waits.
  private func expectBoth(_ new: String, _ old: String?) throws {
    #expect(try weights("\(target)/\(StoreLayout.model)") == new)
    let left = try fixture.names("ingest")
    #expect(left.count == 1)
    guard let old, let name = left.first else { return }
    #expect(try weights("\(fixture.root)/ingest/\(name)/item/\(StoreLayout.model)") == old)
  }

  @Test(arguments: [false, true])
  func whatAnExchangeHasBroughtOutStaysUntilItIsConfirmed(_ isReplaced: Bool) throws {
    let (old, new) = (try plan("old"), try plan("new"))
    try OrdinaryUser.run(owning: fixture.directory.path) {
      let store = fixture.store()
      if isReplaced { _ = try store.ingest(old, to: target) { _ in } }
      #expect(throws: unconfirmed) { try deaf.ingest(new, to: target) { _ in } }
      try expectBoth("new", isReplaced ? "old" : nil)
      // As long as that is not sure, nobody takes it away.
      #expect(store.collector.collect() == [])
      try expectBoth("new", isReplaced ? "old" : nil)
      chmod(bases, 0o700)
      Subprocess.waitForStarts()
      #expect(store.collector.collect().count == 1)
      #expect(try fixture.names("ingest") == [])
      #expect(try store.bases().bases.map(\.name) == ["new"])
    }
  }

  @Test func aChangedReceiptIsNotSaidToBeUnchanged() throws {
    let plan = try plan("old")
    try OrdinaryUser.run(owning: fixture.directory.path) {
      _ = try fixture.store().ingest(plan, to: target) { _ in }
      #expect(throws: unconfirmed) { try deaf.changeReceipt(of: target) { $0.came(from: "/b") } }
      try expectBoth("old", "old")
      #expect(Receipt(reading: "\(target)/receipt.json")?.source == "/b")
    }
  }

  @Test func whatWasRemovedStaysWholeUntilItIsConfirmed() throws {
    let plan = try plan("old")
    try OrdinaryUser.run(owning: fixture.directory.path) {
      let store = fixture.store()
      _ = try store.ingest(plan, to: target) { _ in }
      chmod(bases, 0o300)
      #expect(throws: unconfirmed) { try store.discardEntry(target) }
      #expect(try FileSystem.info(target) == nil)
      let name = try #require(try fixture.names("ingest").first)
      #expect(
        try EntryVerifier.files(in: "\(fixture.root)/ingest/\(name)/removed")
          == [StoreLayout.model, StoreLayout.receipt])
    }
  }

  @Test func theErrorSaysWhatIsThere() {
    #expect(
      unconfirmed.description
        == "\(target): it was changed, and its disk did not confirm that: Permission denied; check the "
        + "disk, then do it again")
  }
}
