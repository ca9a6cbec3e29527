import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Receipts that are not what this program has written.
@Suite struct ReceiptReadingTests {
  private static let adapter = "adapters/fmadapter-demo-0123456"
  private static let base = "bases/\(StoreFixture.first)"

  /// A store with a base and an adapter for it.
  private func filled() async throws -> StoreFixture {
    let fixture = try StoreFixture()
    try await fixture.store().installBase(.path(fixture.base("a.gguf")))
    try await fixture.store().installAdapter(.path(fixture.package()))
    return fixture
  }

  private func tree(_ fixture: StoreFixture) throws -> [String: [UInt8]] {
    try CatalogPublisherTests.tree(fixture.root).filter {
      $0.key.hasPrefix("adapters/") || $0.key.hasPrefix("bases/") || $0.key.hasPrefix("lost+found/")
    }
  }

  @Test(arguments: [adapter, base])
  func whatANewerProgramWroteStaysAsItIs(_ entry: String) async throws {
    let fixture = try await filled()
    try fixture.makeNewer(entry)
    let (store, before) = (fixture.store(), try tree(fixture))
    let newer = StoreError.newer(path: "\(fixture.root)/\(entry)/receipt.json", format: 2)
    for policy in [InstallPolicy(), InstallPolicy(replaces: true)] {
      await #expect(throws: newer) {
        if entry == Self.base {
          try await store.installBase(
            .path(fixture.base("a.gguf", weights: "more")), policy: policy)
        } else {
          try await store.installAdapter(.path(fixture.package(version: 2)), policy: policy)
        }
      }
    }
    let verification = try #require(
      try await store.verify().first { $0.entry.path.hasSuffix(entry) })
    #expect(verification.damage.map(\.kind) == [.newer] && !verification.isDamaged)
    #expect(
      verification.damage.first?.description
        == "receipt.json: written by a newer fmadapter (format 2, this one knows 1); use a newer "
        + "fmadapter")
    await #expect(throws: newer) { try await store.repair(verification) }
    let report = try await store.examine(fixing: true, system: SystemFacts())
    #expect(report.findings.map(\.rule) == ["receipt.newer"] && report.category == .system)
    #expect(report.findings.first?.state == .open)
    #expect(try tree(fixture) == before)
    #expect(try fixture.names("ingest") == [])
  }

  @Test func anAdapterOfANewerProgramIsToldOfByAllThatMeetIt() async throws {
    let fixture = try await filled()
    try fixture.makeNewer(Self.adapter)
    let store = fixture.store()
    let path = "\(fixture.root)/\(Self.adapter)/receipt.json"
    for name in ["demo", "fmadapter-demo-0123456"] {
      #expect(throws: StoreError.newer(path: path, format: 2)) {
        try store.adapter(named: name)
      }
    }
    let problem = StoreProblem(
      rule: "receipt.newer", path: path,
      message: "It was written by a newer fmadapter (format 2, this one knows 1).",
      remedy: "Use a newer fmadapter.")
    let (adapters, problems) = try store.adapters()
    #expect(adapters == [] && problems == [problem])
    #expect(try store.prunable() == [])
    try store.removeAdapter("fmadapter-demo-0123456")
    #expect(try store.adapters().problems == [])
  }

  @Test func aBaseOfANewerProgramIsNotTakenForNone() async throws {
    let fixture = try await filled()
    let store = fixture.store()
    try fixture.makeNewer(Self.base)
    let newer = StoreError.newer(path: "\(fixture.root)/\(Self.base)/receipt.json", format: 2)
    #expect(throws: newer) { try store.currentBase() }
    for name in ["a", "0123"] {
      #expect(throws: newer) { try store.base(named: name) }
    }
    // The one that can be read does not take the place of the one that was chosen.
    try await store.installBase(.path(fixture.base("b.gguf", signature: StoreFixture.second)))
    #expect(throws: newer) { try store.currentBase() }
    #expect(try store.prunable() == [])
  }

  /// As of a base of a later program, whose layers have what adapters cannot change here.
  @Test func projectionsOfLaterProgramsAreLeftOut() async throws {
    let fixture = try await filled()
    let store = fixture.store()
    let contract = try store.currentBase().contract
    let path = "\(Self.base)/receipt.json"
    try fixture.change(
      path, "\"layers\" : [\n      [\n",
      to: "\"layers\" : [\n      [{\"target\": \"hyper_q\", \"blocks\": [1]},\n")
    let written = try FileSystem.read("\(fixture.root)/\(path)", limit: 1 << 20)
    #expect(try store.currentBase().contract == contract)
    #expect(try await store.verify().allSatisfy(\.isIntact))
    // A repair leaves it as the later program wrote it.
    try fixture.flipBit("\(Self.base)/base.gguf", at: 3)
    let damaged = try #require(try await store.verify().first { !$0.isIntact })
    try await store.repair(damaged)
    #expect(try FileSystem.read("\(fixture.root)/\(path)", limit: 1 << 20) == written)
    #expect(try await store.verify().allSatisfy(\.isIntact))
  }

  @Test(arguments: [
    (adapter, "\"size\" : ", "\"size\" : 9223372036854775807, \"was\" : "),
    (adapter, "\"size\" : ", "\"size\" : 9223372036846387201, \"was\" : "),
    (base, "\"size\" : ", "\"size\" : 9223372036854775807, \"was\" : "),
    (base, "\"columns\" : 8", "\"columns\" : 4611686018427387904"),
    (base, "\"columns\" : 8", "\"columns\" : 9223372036854775807"),
    (base, "\"columns\" : 8", "\"columns\" : -9223372036854775808"),
    (base, "\"columns\" : 8", "\"columns\" : 0"), (base, "\"rows\" : 8", "\"rows\" : 4194305"),
  ])
  func numbersThatNothingHasAreDamage(_ entry: String, _ old: String, _ new: String) async throws {
    let fixture = try await filled()
    try fixture.change("\(entry)/receipt.json", old, to: new)
    let store = fixture.store()
    let results = try await store.verify()
    #expect(results.count == 2 && results.filter(\.isIntact).count == 1)
    #expect(
      results.first { !$0.isIntact }?.damage == [Damage(.noReceipt, "receipt.json")])
    let usage = try store.usage()
    #expect(usage.items.map(\.kind) == [.adapter, .base, .other, .other])
    _ = try store.prunable()
    let problems = try store.adapters().problems + store.bases().problems
    #expect(problems.count == 1)
    let report = try await store.examine(system: SystemFacts())
    #expect(report.findings.contains { $0.rule == "receipt.missing" })
  }
}
