import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Partial downloads on the disk: found, taken over, dropped.
@Suite struct PartialsTests {
  private static let remote = RemoteFile(url: "http://localhost/f", path: "package.fmadapter/f")
  private let fixture: StoreFixture
  private let content: [UInt8]

  init() throws {
    fixture = try StoreFixture()
    content = ScriptedServer.content(10 << 20)
  }

  private func process(
    _ identifier: String = "1111111111111111", boot: String = "aaaaaaaa", day: Double = 0
  ) -> ProcessFacts {
    var facts = ProcessFacts()
    facts.boot = boot
    facts.identifier = identifier
    facts.now = { Date(timeIntervalSince1970: 1_800_000_000 + day * 86400) }
    return facts
  }

  private var layout: StoreLayout { StoreLayout(root: fixture.root) }

  /// A partial with the first `count` bytes, as a process that was killed leaves it.
  @discardableResult
  private func abandon(
    _ count: Int, by identifier: String = StoreFixture.otherProcess, boot: String = "aaaaaaaa",
    day: Double = 0,
    tag: String? = "\"1\"", of file: RemoteFile = remote
  ) throws -> String {
    // Its lock is let go when the call returns, but for programs that other tests start: they have it until they run.
    let path = try begin(count, process(identifier, boot: boot, day: day), tag, of: file)
    let lock = FilePath.join(FilePath.parent(of: FilePath.parent(of: path)), "lock")
    while FileLock.isHeld(lock) { sched_yield() }
    return path
  }

  private func begin(
    _ count: Int, _ facts: ProcessFacts, _ tag: String?, of file: RemoteFile
  ) throws -> String {
    let partial = try PartialFile.open(file, in: layout, for: layout.root, facts)
    try partial.reset(entityTag: tag, total: content.count, now: facts.now())
    try partial.write(Array(content[..<count]), at: 0)
    for start in stride(from: 0, to: count, by: FileRecord.chunkSize) {
      let chunk = start..<min(start + FileRecord.chunkSize, content.count)
      guard chunk.upperBound <= count else { break }
      partial.log(
        chunk: start / FileRecord.chunkSize, digest: SHA256.hex(Array(content[chunk])))
    }
    partial.log(received: 0..<count)
    return partial.path
  }

  @Test(arguments: [1000, 9_000_000])
  func anotherProcessTakesOverWhatADeadOneLeft(_ count: Int) async throws {
    try abandon(count)
    let found = try fixture.store { $0 = process() }.partials()
    #expect(found.map(\.received) == [count])
    #expect(found.map(\.total) == [content.count])
    #expect(found.map(\.isActive) == [false])

    let partial = try PartialFile.open(Self.remote, in: layout, for: layout.root, process())
    #expect(partial.missing == [count..<content.count])
    #expect(partial.entityTag == "\"1\"")
    #expect(try partial.read(0..<count) == Array(content[..<count]))
    partial.remove()
  }

  @Test func whatNothingVouchesForIsNotKept() async throws {
    let collector = IngestCollector(layout, process())
    for tag in [nil, "\"1\""] {
      let facts = process(StoreFixture.otherProcess)
      let killed = try PartialFile.open(Self.remote, in: layout, for: layout.root, facts)
      try killed.reset(entityTag: tag, total: content.count, now: facts.now())
      try killed.write(Array(content[..<1000]), at: 0)
      killed.log(received: 0..<1000)
      try FileSystem.removeTree(FilePath.join(killed.ingest.path, "lock"))
      #expect(
        try PartialDownloads(collector: collector).adoptable(Self.remote).isEmpty
          == (tag == nil))
      #expect(try collector.survey().abandoned.isEmpty == (tag != nil))
      killed.release(now: facts.now())
      #expect(try fixture.names("ingest").isEmpty == (tag == nil))
    }
  }

  @Test func afterARestartOnlyWholeChunksCount() throws {
    try abandon(9_000_000)
    let partial = try PartialFile.open(
      Self.remote, in: layout, for: layout.root, process(boot: "bbbbbbbb"))
    #expect(partial.missing == [FileRecord.chunkSize..<content.count])
    partial.remove()
  }

  @Test func aFormerOwnerThatLivesCannotReachWhatWasTakenOver() throws {
    let facts = process(StoreFixture.otherProcess)
    let former = try PartialFile.open(Self.remote, in: layout, for: layout.root, facts)
    try former.reset(entityTag: "\"1\"", total: content.count, now: facts.now())
    try former.write(Array(content[..<5000]), at: 0)
    former.log(received: 0..<5000)
    // What a lock that lies looks like: it is there, and does not hold.
    try FileSystem.removeTree(FilePath.join(former.ingest.path, "lock"))
    let partial = try PartialFile.open(Self.remote, in: layout, for: layout.root, process())
    #expect(partial.received == 5000)
    try former.write([UInt8](repeating: 0xEE, count: 6000), at: 0)
    #expect(throws: FileError.self) {
      try former.reset(entityTag: "\"2\"", total: 10, now: facts.now())
    }
    #expect(try partial.read(0..<5000) == Array(content[..<5000]))
    partial.remove()
  }

  @Test func aDamagedChunkIsFetchedAgain() throws {
    let path = try abandon(content.count)
    let file = try WritableFile(path: path + "/data")
    try file.write([content[77] &+ 1], at: 77)
    let partial = try PartialFile.open(Self.remote, in: layout, for: layout.root, process())
    #expect(partial.missing == [0..<FileRecord.chunkSize])
    partial.remove()
  }

  @Test(arguments: [
    "", "{", "null", "{\"formatVersion\":2}", "\u{0}\u{0}\u{0}",
    "{\"formatVersion\":1,\"url\":\"u\",\"file\":\"f\",\"boot\":\"b\",\"created\":1,\"updated\":1,\"total\":-1}",
    "{\"formatVersion\":1,\"url\":\"u\",\"file\":\"f\",\"boot\":\"b\",\"created\":1,\"updated\":1,\"total\":9223372036854775807}",
    "{\"formatVersion\":1,\"url\":\"u\",\"file\":\"f\",\"boot\":\"b\",\"created\":1,\"updated\":-1e300}",
    "{\"formatVersion\":1,\"url\":\"u\",\"file\":\"f\",\"boot\":\"b\",\"created\":1,\"updated\":1e300}",
    "{\"formatVersion\":1,\"url\":\"u\",\"file\":\"f\",\"boot\":\"b\",\"created\":1e999,\"updated\":1}",
  ])
  func anUnreadableStateMeansThatThereIsNone(_ text: String) async throws {
    let path = try abandon(1000)
    try fixture.directory.write(
      text, to: path.replacing(fixture.directory.path(""), with: "") + "/state.json")
    #expect(try fixture.store().partials() == [])
    let partial = try PartialFile.open(Self.remote, in: layout, for: layout.root, process())
    #expect(partial.received == 0)
    partial.remove()
    // What nobody can go on from is nobody's.
    _ = fixture.store { $0 = process() }.collector.collect()
    #expect(try fixture.names("ingest") == [])
  }

  private static let (digestA, digestB) = (
    String(repeating: "a", count: 64), String(repeating: "b", count: 64)
  )

  /// What was promised when the partial was begun, whether the server named its version, what is promised now, and whether
  /// it can be gone on with.
  @Test(
    arguments: [
      (nil, "\"1\"", nil, true), (nil, "\"1\"", digestA, true), (digestA, "\"1\"", nil, true),
      (digestA, "\"1\"", digestB, true), (digestA, nil, digestA, true),
      (digestA, nil, digestB, false),
      (digestA, nil, nil, false), (nil, nil, digestA, false),
    ] as [(String?, String?, String?, Bool)])
  func anotherDigestNeedsTheNameOfTheVersion(
    _ before: String?, _ tag: String?, _ now: String?, _ goesOn: Bool
  ) throws {
    func remote(_ digest: String?) -> RemoteFile {
      RemoteFile(url: Self.remote.url, path: Self.remote.path, sha256: digest)
    }
    let facts = process(StoreFixture.otherProcess)
    let killed = try PartialFile.open(remote(before), in: layout, for: layout.root, facts)
    try killed.reset(entityTag: tag, total: content.count, now: facts.now())
    try killed.write(Array(content[..<1000]), at: 0)
    killed.log(received: 0..<1000)
    try FileSystem.removeTree(FilePath.join(killed.ingest.path, "lock"))
    let partial = try PartialFile.open(remote(now), in: layout, for: layout.root, process())
    #expect(partial.received == (goesOn ? 1000 : 0))
    let state = PartialState(reading: FilePath.join(partial.path, PartialFile.state))
    #expect(state?.sha256 == now && state?.entityTag == (goesOn ? tag : nil))
    partial.remove()
  }

  /// Whether the server names versions, and what is told.
  @Test(
    arguments: [
      ("\"1\"", []),
      (nil, ["1.0 kB that had come were of SHA-256 \(digestA), so that it starts anew"]),
    ] as [(String?, [String])])
  func whatIsWholeLeavesNothingOfItsAddress(_ tag: String?, _ words: [String]) async throws {
    var file = Self.remote
    file.claims = [DigestClaim(.user, Self.digestA)]
    try abandon(1000, tag: tag, of: file)
    let told = Mutex<[String]>([])
    var surroundings = FakeTime().surroundings
    surroundings.tell = { _, words in told.withLock { $0.append(words) } }
    let server = ScriptedServer([file.url: .init(bytes: content, entityTag: tag)])
    file.claims = [DigestClaim(.user, SHA256.hex(content))]
    let downloader = Downloader(
      root: fixture.root, transport: server, process: process(), surroundings: surroundings)
    _ = try await downloader.download(
      file, to: fixture.directory.path("target"), control: DownloadControl()
    ) { _ in }
    #expect(told.withLock { $0 } == words)
    #expect(server.sentCount == content.count - (tag == nil ? 0 : 1000))
    // What a dead process kept it in goes with the next look at the store.
    #expect(try fixture.store { $0 = process() }.partials().isEmpty)
  }

  @Test func onlyOldPartialsAreCollected() async throws {
    let recent = try abandon(1000)
    let collector = { day in
      IngestCollector(layout, process(day: day))
    }
    for day in [-400, 0, 6.9] {
      #expect(collector(day).collect() == [])
    }
    #expect(try FileSystem.info(recent) != nil)
    #expect(collector(7.1).collect().count == 1)
    #expect(try FileSystem.info(recent) == nil)
  }

  /// Bytes of one would be taken for those of the other, and each would wait for the other.
  @Test func addressesThatAreShownAlikeShareNothing() async throws {
    func remote(_ value: Int) -> RemoteFile {
      RemoteFile(url: "http://localhost/f?key=\(value)", path: Self.remote.path)
    }
    #expect(remote(1).shown == remote(2).shown)
    try abandon(1000, of: remote(1))
    let second = try PartialFile.open(remote(2), in: layout, for: layout.root, process())
    #expect(second.received == 0)
    let first = try PartialFile.open(remote(1), in: layout, for: layout.root, process())
    #expect(first.received == 1000)
    let locks = Mutex<[String]>([])
    var surroundings = FakeTime().surroundings
    surroundings.lock = { path in
      locks.withLock { $0.append(path) }
      return .acquired(nil)
    }
    let downloader = Downloader(
      root: fixture.root, transport: ScriptedServer([:]), process: process(),
      surroundings: surroundings)
    for value in [1, 2] {
      _ = try await downloader.lock(remote(value).url, DownloadControl()) { _ in }
    }
    #expect(Set(locks.withLock { $0 }).count == 2)
    first.remove()
    second.remove()
  }

  @Test func whatIsReleasedInOrderIsTakenUpByTheSameProcess() throws {
    let facts = process()
    let first = try PartialFile.open(Self.remote, in: layout, for: layout.root, facts)
    try first.reset(entityTag: "\"1\"", total: content.count, now: facts.now())
    try first.write(Array(content[..<5000]), at: 0)
    first.log(received: 0..<5000)
    // At work: nobody else may have it.
    let other = try PartialFile.open(Self.remote, in: layout, for: layout.root, facts)
    #expect(other.received == 0)
    other.release(now: facts.now())
    first.release(now: facts.now())
    let second = try PartialFile.open(Self.remote, in: layout, for: layout.root, facts)
    #expect(second.received == 5000)
    #expect(try fixture.names("ingest").count == 1, "the empty directory was removed")
    second.remove()
    #expect(try fixture.names("ingest") == [])
  }
}

extension PartialFile {
  func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    let span = bytes.span
    try write(span.bytes, at: offset)
  }
}
