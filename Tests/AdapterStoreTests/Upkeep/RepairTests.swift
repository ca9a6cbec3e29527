import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

private let entry = "adapters/fmadapter-large-0123456"
private let weights = "package.fmadapter/adapter_weights.bin"
private let chunk = FileRecord.chunkSize

/// Has a file's bytes, and writes down which of them were asked for.
private final class RangeLog: Downloading {
  let bytes: [UInt8]
  private let asked = Mutex<[Range<Int>]>([])

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var ranges: [Range<Int>] { asked.withLock { $0 } }

  @concurrent func part(of file: RemoteFile, range: Range<Int>) async throws(StoreError) -> [UInt8]
  {
    asked.withLock { $0.append(range) }
    return Array(bytes[range])
  }

  @concurrent func document(
    _ url: String, limit: Int
  ) async throws(StoreError) -> (bytes: [UInt8], url: String) {
    throw .network(url: url, reason: "there are no documents")
  }

  @concurrent func download(
    _ file: RemoteFile, to target: String, control: DownloadControl,
    progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(StoreError) -> DownloadedFile {
    throw .network(url: file.url, reason: "there are no whole files")
  }
}

@Suite struct RepairTests {
  private static let bytes = StoreFixture.bytes(Mishap.size)

  private func damaged(_ store: AdapterStore) async throws -> EntryVerification {
    try #require(try await store.verify().first { !$0.isIntact })
  }

  @Test func aFlippedBitCostsOnePart() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try fixture.plant(weights: Self.bytes, source: "https://host/large.fmadapter")
    let before = try FileSystem.info("\(fixture.root)/\(entry)/\(weights)")
    let open = try MappedFile(path: "\(fixture.root)/\(entry)/\(weights)")
    try fixture.flipBit("\(entry)/\(weights)", at: chunk + 17)
    let server = RangeLog(Self.bytes)
    let result = try await store.repair(damaged(store), by: server)
    #expect(server.ranges == [chunk..<2 * chunk])
    #expect(result.isRepaired && result.fetched == chunk)
    #expect(result.sources == ["https://host/large.fmadapter/adapter_weights.bin"])
    #expect(try await store.verify().map(\.damage) == [[]])
    let after = try FileSystem.info("\(fixture.root)/\(entry)/\(weights)")
    #expect(after?.inode != before?.inode, "it was written in place")
    #expect((after?.mode ?? 0o777) & 0o222 == 0)
    #expect(open.bytes.count == Self.bytes.count, "whoever had it open keeps it")
    #expect(try fixture.names("ingest") == [])
  }

  @Test(arguments: Mishap.all.filter { !$0.damage.contains { $0.kind == .noReceipt } })
  func everyKindOfDamageIsMended(_ mishap: Mishap) async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try fixture.directory.write(Self.bytes, to: "origin/adapter_weights.bin")
    try fixture.plant(weights: Self.bytes, source: FilePath.parent(of: source))
    try mishap.befall(fixture)
    let verification = try await damaged(store)
    let result = try await store.repair(verification, by: nil)
    #expect(result.isRepaired)
    let lost = verification.damage.filter { [.changed, .missing].contains($0.kind) }
    let unreadable = verification.damage.contains { $0.kind == .unreadable }
    #expect(
      result.fetched
        == (unreadable ? Mishap.size : lost.reduce(0) { $0 + ($1.range?.count ?? 0) }))
    #expect(try await store.verify().map(\.damage) == [[]])
    #expect(
      try fixture.names("lost+found").count == verification.damage.count { $0.kind == .extra })
  }

  @Test func wrongBytesAreNeverTaken() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try fixture.plant(weights: Self.bytes, source: "https://host/large.fmadapter")
    try fixture.flipBit("\(entry)/\(weights)", at: 5)
    let before = try await damaged(store)
    let error = await #expect(throws: StoreError.self) {
      try await store.repair(before, by: RangeLog([UInt8](repeating: 0, count: Mishap.size)))
    }
    #expect(
      error?.description
        == "\(fixture.root)/\(entry)/\(weights): bytes 0 to 8,388,607 are damaged, and "
        + "https://host/large.fmadapter/adapter_weights.bin has other bytes; install it again")
    #expect(try await damaged(store) == before)
    #expect(try fixture.names("ingest") == [])
  }

  @Test func withoutReceiptOrSourceNothingCanBeMended() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try fixture.plant(weights: [1, 2, 3], source: "unknown")
    try fixture.flipBit("\(entry)/\(weights)", at: 0)
    let verification = try await damaged(store)
    let error = await #expect(throws: StoreError.self) {
      try await store.repair(verification, by: nil)
    }
    #expect(error?.description.contains("where it came from is not known") == true)
    try FileSystem.removeTree("\(fixture.root)/\(entry)/receipt.json")
    await #expect(throws: StoreError.self) { try await store.repair(verification, by: nil) }
  }

  /// Where the catalog of a damaged adapter is now, as far as the store knows; whether its bytes are the same, and what
  /// becomes of the repair.
  @Test(arguments: [(true, true), (true, false), (false, true)])
  func bytesOfACatalogThatHasMovedAreFoundByTheirDigest(
    _ isAdded: Bool, _ isSame: Bool
  ) async throws {
    let (fixture, store) = try StoreFixture.opened()
    let (old, new) = (fixture.directory.path("old"), fixture.directory.path("new"))
    _ = try CatalogPublisher(directory: old).publish([fixture.package(stating: "1.0.0")])
    _ = try CatalogPublisher(directory: new)
      .publish([fixture.package(version: isSame ? 1 : 2, stating: "1.0.0")])
    let source = try CatalogSource(old, directory: "/")
    try store.addCatalog(source)
    let offer = try #require(try await store.surveyCatalogs().offers.first)
    try await store.installAdapter(.offer(offer))
    try FileSystem.removeTree(old)
    if isAdded {
      try store.addCatalog(CatalogSource(new, directory: "/"))
      _ = try await store.surveyCatalogs()
    }
    let file = "package.fmadapter/adapter_weights.bin"
    try fixture.flipBit("adapters/fmadapter-demo-0123456/\(file)", at: 3)
    let verification = try await damaged(store)
    if isAdded && isSame {
      let result = try await store.repair(verification, by: nil)
      #expect(result.sources.allSatisfy { $0.hasPrefix(new) } && result.fetched > 0)
      #expect(try await store.verify().map(\.damage) == [[]])
      return
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.repair(verification, by: nil)
    }
    #expect(
      error?.remedy?.contains("if the catalog \(old)/index.json has moved, add its new address")
        == true, "\(String(describing: error))")
  }

  @Test func aSourceThatIsAwayIsAskedOnce() async throws {
    let fixture = try StoreFixture()
    let path = try fixture.directory.write(Self.bytes, to: "whole")
    let asked = Mutex(0)
    let away = RepairSource(place: "https://away/") { _ throws(StoreError) in
      asked.withLock { $0 += 1 }
      throw .network(url: "https://away/", reason: "nobody answers")
    }
    let job = RepairJob(
      record: try FileRecord(path: "whole", file: path), damaged: fixture.directory.path("gone"),
      sources: [away, .file(path)])
    var yield = RepairJob.Yield()
    try await job.run(to: fixture.directory.path("mended"), &yield)
    #expect(job.record.chunks.count > 1 && yield.fetched == Mishap.size)
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func aLinkedBaseGetsACopyOfItsOwn() async throws {
    let (fixture, store) = try StoreFixture.opened()
    let source = try fixture.base("tiny.gguf", weights: "1")
    let base = try await store.installBase(.path(source, .link)).base
    // As a training run does that writes over its own file.
    try Data("\(StoreFixture.first)\n2".utf8).write(
      to: URL(fileURLWithPath: source), options: [])
    let verification = try await damaged(store)
    await #expect(throws: StoreError.self) { try await store.repair(verification, by: nil) }
    try FileSystem.removeTree(source)
    _ = try fixture.base("tiny.gguf", weights: "1")
    #expect(try await store.repair(verification, by: nil).isRepaired)
    #expect(try await store.verify().map(\.damage) == [[]])
    let (installed, original) = (try FileSystem.info(base.path), try FileSystem.info(source))
    #expect(installed?.inode != original?.inode)
    #expect((original?.mode ?? 0) & 0o200 != 0, "the user's own file lost a permission")
  }

  @Test(arguments: InstallStep.allCases.filter { $0 != .digest })
  func deathAtAnyStepLeavesTheOldOrTheNew(_ step: InstallStep) async throws {
    let fixture = try StoreFixture()
    let source = try fixture.directory.write([1, 2, 3], to: "origin/adapter_weights.bin")
    try fixture.plant(weights: [1, 2, 3], source: FilePath.parent(of: source))
    try fixture.flipBit("\(entry)/\(weights)", at: 1)
    let dying = fixture.store { process in
      process.identifier = StoreFixture.otherProcess
      process.interruption = { (now: InstallStep) throws(SimulatedDeath) in
        if now == step { throw SimulatedDeath() }
      }
    }
    let verification = try await damaged(dying)
    await #expect(throws: StoreError.self) { try await dying.repair(verification, by: nil) }
    #expect(try fixture.names("ingest").count == 1)
    let store = fixture.store()
    let left = try await store.verify().filter { !$0.isIntact }
    #expect(left == (step == .cleanUp ? [] : [verification]))
    if let rest = left.first { #expect(try await store.repair(rest, by: nil).isRepaired) }
    store.collector.collect()
    #expect(try fixture.names("ingest") == [])
    #expect(try await store.verify().map(\.damage) == [[]])
  }
}
