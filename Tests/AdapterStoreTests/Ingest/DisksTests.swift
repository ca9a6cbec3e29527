import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// A directory on another disk than the temporary ones.
private final class OtherDisk: Sendable {
  private static let place = "/dev/shm"
  let path = "\(place)/fmadapter-test-\(UUID().uuidString)"

  /// Whether this machine has no second disk that a test may write to.
  static var isMissing: Bool {
    FileSystem.canRename(from: FileManager.default.temporaryDirectory.path, into: place)
      || !FileSystem.isWritable(directory: place)
  }

  deinit { try? FileSystem.removeTree(path) }

  /// Makes `names` of the store links to folders here, to which what is there already is moved.
  func hold(_ names: [String], of root: String) throws {
    try FileSystem.createDirectory(root)
    for name in names {
      let (inside, outside) = ("\(root)/\(name)", "\(path)/\(name)")
      try FileSystem.createDirectory(path)
      if FileManager.default.fileExists(atPath: inside) {
        // Packages are read-only folders, which FileManager does not move to another disk.
        _ = try Subprocess.run("/bin/cp", ["-a", inside, outside])
        try FileSystem.removeTree(inside)
      } else {
        try FileSystem.createDirectory(outside)
      }
      try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
    }
  }
}

@Suite(.waits, .disabled(if: OtherDisk.isMissing, "/dev/shm is no other disk here"))
struct DisksTests {
  private let fixture: StoreFixture
  private let disk = OtherDisk()
  private static let entry = "adapters/fmadapter-demo-0123456"
  private static let layouts = [
    ["adapters"], ["bases"], ["ingest"], ["compiled"], ["lost+found"],
    ["adapters", "bases", "compiled"],
  ]

  init() throws { fixture = try StoreFixture() }

  private func link(_ names: [String]) throws { try disk.hold(names, of: fixture.root) }

  private func expectOrder(_ store: AdapterStore) async throws {
    #expect(try await store.verify().filter { !$0.isIntact } == [])
    #expect(try store.adapters().problems == [])
    #expect(try store.bases().problems == [])
    #expect(try store.usage().size(of: .foreign) == 0)
    #expect(
      try await store.examine(system: SystemFacts()).findings.filter { $0.severity == .error } == []
    )
    for folder in StoreLayout(root: fixture.root).ingests {
      #expect(try FileSystem.info(folder) == nil || FileSystem.list(folder) == [], "\(folder)")
    }
  }

  @Test func aLinkFromAnotherDiskIsACopyOfItsOwn() async throws {
    let source = try fixture.base("tiny.gguf")
    try FileSystem.createDirectory(disk.path)
    let elsewhere = "\(disk.path)/tiny.gguf"
    try FileSystem.copyFile(source, to: elsewhere)
    let base = try await fixture.store().installBase(.path(elsewhere, .link)).base
    #expect((try FileSystem.info(base.path)?.mode ?? 0) & 0o222 == 0, "nobody's but the store's")
    #expect((try FileSystem.info(elsewhere)?.mode ?? 0) & 0o200 != 0)
  }

  @Test(arguments: layouts) func whatIsInstalledReplacedAndRemovedKeepsItsDisk(
    _ names: [String]
  ) async throws {
    try link(names)
    let store = fixture.store()
    let base = try fixture.base("tiny.gguf")
    for transfer in [BaseTransfer.link, .copy] {
      #expect(try await store.installBase(.path(base, transfer)).outcome != .replaced)
      try store.removeBase("tiny")
    }
    try await store.installBase(.path(base))
    #expect(try await store.installAdapter(.path(fixture.package())).outcome == .installed)
    #expect(try await store.installAdapter(.path(fixture.package(version: 2))).outcome == .replaced)
    try await expectOrder(store)
    try store.removeAdapter("demo")
    #expect(try store.adapters().adapters == [])
    try await expectOrder(store)
  }

  @Test(arguments: layouts) func damageIsMendedAndWhatIsStrangeMoved(
    _ names: [String]
  ) async throws {
    let store = fixture.store()
    try await store.installBase(.path(fixture.base("tiny.gguf")))
    try await store.installAdapter(.path(fixture.package()))
    try link(names)
    try fixture.flipBit("\(Self.entry)/package.fmadapter/adapter_weights.bin", at: 3)
    for place in ["adapters/mine", "\(Self.entry)/extra"] {
      try fixture.directory.write("mine", to: "store/\(place)")
    }
    let report = try await store.examine(fixing: true, system: SystemFacts())
    #expect(report.category == nil, "\(report.findings)")
    try await expectOrder(store)
  }

  @Test(arguments: layouts) func whatAKilledInstallationLeftIsFound(
    _ names: [String]
  ) async throws {
    try link(names)
    let dying = fixture.store { process in
      process.identifier = StoreFixture.otherProcess
      process.interruption = { (now: InstallStep) throws(SimulatedDeath) in
        if now == .commit { throw SimulatedDeath() }
      }
    }
    await #expect(throws: StoreError.self) {
      try await dying.installAdapter(.path(fixture.package()))
    }
    let store = fixture.store()
    try await store.installBase(.path(fixture.base("tiny.gguf")))
    try await store.installAdapter(.path(fixture.package()))
    try await expectOrder(store)
  }

  @Test(arguments: layouts) func aCutDownloadGoesOnOnTheDiskOfItsDestination(
    _ names: [String]
  ) async throws {
    try link(names)
    let weights = "https://one.example/demo/adapter_weights.bin"
    let package = try fixture.package()
    let objects = try [PackageFile.metadata, PackageFile.weights].map { name in
      let bytes = try FileSystem.read("\(package)/\(name)", limit: 1 << 20)
      return ("https://one.example/demo/\(name)", ScriptedServer.Object(bytes: bytes))
    }
    let server = ScriptedServer(Dictionary(objects) { first, _ in first })
    let process = ProcessFacts()
    let store = fixture.store(over: server, process)
    try await store.installBase(.path(fixture.base("tiny.gguf")))
    let bytes = try #require(objects.last?.1.bytes)
    // The metadata of the package states the digest, by which the partial is known, too.
    let file = RemoteFile(
      url: weights, path: RemotePackage.path(PackageFile.weights), sha256: SHA256.hex(bytes))
    let partial = try PartialFile.open(
      file, in: StoreLayout(root: fixture.root), for: "\(fixture.root)/\(Self.entry)", process)
    try partial.reset(entityTag: "\"v1\"", total: bytes.count, now: process.now())
    try partial.write(Array(bytes[..<100]), at: 0)
    partial.log(received: 0..<100)
    partial.release(now: process.now())
    #expect(try store.partials().map(\.received) == [100])
    try await store.installAdapter(.url("https://one.example/demo/"))
    #expect(server.log.last { $0.url == weights }?.sent.lowerBound == 100)
    #expect(try store.partials() == [])
    try await expectOrder(store)
  }
}
