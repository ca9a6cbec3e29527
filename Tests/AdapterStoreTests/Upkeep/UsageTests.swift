import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct UsageTests {
  @Test func everythingInTheStoreIsCountedOnce() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let bytes = StoreFixture.bytes(100_000)
    try fixture.plant(weights: bytes)
    let source = try fixture.base("tiny.gguf", weights: String(repeating: "x", count: 900))
    try await store.installBase(.path(source, .link))
    for file in [
      "compiled/key/draft.json", "ingest/0123456789abcdef-aaaaaaaa-1-1/item/x", "catalogs/a.json",
      "holiday.jpg", "adapters/readme.txt", "ingest/mine", ".current.0123456789abcdef.partial",
    ] {
      try fixture.directory.write([1, 2, 3], to: "store/\(file)")
    }
    let usage = try store.usage()
    #expect(usage.root == fixture.root)
    #expect(
      usage.items.map { "\($0.kind.rawValue) \($0.name)" } == [
        "adapter fmadapter-large-0123456", "base \(StoreFixture.first)", "compiled key",
        "ingest 0123456789abcdef-aaaaaaaa-1-1", "catalogs catalogs", "other current",
        "other .current.0123456789abcdef.partial",
        "foreign holiday.jpg",
        "foreign mine", "foreign readme.txt",
      ])
    let adapter = try #require(usage.items.first)
    #expect(adapter.size > bytes.count && adapter.size < bytes.count + 4000)
    #expect(!adapter.isShared && adapter.reclaimable >= bytes.count)
    let base = usage.items[1]
    #expect(base.isShared && base.size > 900 && base.reclaimable < 20_000)
    #expect(usage.size(of: .foreign) == 9)
    #expect(usage.allocated > 100_000 && usage.allocated < 400_000)
    #expect(usage.free > 0 && usage.capacity > usage.free)
  }

  @Test func whatLiesBehindALinkIsCounted() async throws {
    let fixture = try StoreFixture()
    try fixture.plant(weights: StoreFixture.bytes(100_000))
    try await fixture.store().installBase(.path(fixture.base("tiny.gguf")))
    let before = try fixture.store().usage()
    for name in ["adapters", "bases"] {
      let place = fixture.directory.path("elsewhere \(name)")
      try FileSystem.rename("\(fixture.root)/\(name)", to: place)
      try FileManager.default.createSymbolicLink(
        atPath: "\(fixture.root)/\(name)", withDestinationPath: place)
    }
    #expect(try fixture.store().usage().items == before.items)
  }

  @Test func aStoreThatDoesNotExistIsEmptyAndHasSpace() async throws {
    let fixture = try StoreFixture()
    let usage = try fixture.store().usage()
    #expect(usage.items == [] && usage.allocated == 0 && usage.free > 0)
    #expect(try FileSystem.info(fixture.root) == nil)
  }
}
