import Foundation
import JSON
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

private let entry = "adapters/fmadapter-large-0123456"
private let weights = "package.fmadapter/adapter_weights.bin"
private let chunk = FileRecord.chunkSize

/// Something that can befall an installed adapter of 20 MB, and how it is reported.
struct Mishap: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let befall: @Sendable (StoreFixture) throws -> Void
  let damage: [Damage]

  init(
    _ name: String, _ damage: [Damage], _ befall: @escaping @Sendable (StoreFixture) throws -> Void
  ) {
    testDescription = name
    self.damage = damage
    self.befall = befall
  }

  static let size = 2 * chunk + 1_000

  static let all = [
    Mishap("a bit in the middle", [Damage(.changed, weights, chunk..<2 * chunk)]) {
      try $0.flipBit("\(entry)/\(weights)", at: chunk + 17)
    },
    Mishap("the last byte", [Damage(.changed, weights, 2 * chunk..<size)]) {
      try $0.flipBit("\(entry)/\(weights)", at: size - 1)
    },
    Mishap("neighbouring parts", [Damage(.changed, weights, 0..<2 * chunk)]) {
      try $0.flipBit("\(entry)/\(weights)", at: 0)
      try $0.flipBit("\(entry)/\(weights)", at: chunk)
    },
    Mishap(
      "first and last part",
      [Damage(.changed, weights, 0..<chunk), Damage(.changed, weights, 2 * chunk..<size)]
    ) {
      try $0.flipBit("\(entry)/\(weights)", at: 3)
      try $0.flipBit("\(entry)/\(weights)", at: 2 * chunk)
    },
    Mishap("cut", [Damage(.changed, weights, chunk..<size)]) {
      try $0.damage("\(entry)/\(weights)") { try $0.truncate(atOffset: UInt64(chunk)) }
    },
    Mishap("emptied", [Damage(.changed, weights, 0..<size)]) {
      try $0.damage("\(entry)/\(weights)") { try $0.truncate(atOffset: 0) }
    },
    Mishap("longer", [Damage(.longer, weights, size..<size + 3)]) {
      try $0.damage("\(entry)/\(weights)") { handle in
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1, 2, 3]))
      }
    },
    Mishap("removed", [Damage(.missing, weights, 0..<size)]) {
      try FileSystem.removeTree("\($0.root)/\(entry)/\(weights)")
    },
    Mishap("a folder in its place", [Damage(.unreadable, weights, reason: "not a regular file")]) {
      try FileSystem.removeTree("\($0.root)/\(entry)/\(weights)")
      try FileSystem.createDirectory("\($0.root)/\(entry)/\(weights)")
    },
    Mishap("more files", [Damage(.extra, "notes"), Damage(.extra, "package.fmadapter/x/y")]) {
      try $0.directory.write("x", to: "store/\(entry)/notes")
      try $0.directory.write("x", to: "store/\(entry)/package.fmadapter/x/y")
    },
    Mishap(
      "names that are no texts",
      [Damage(.extra, "package.fmadapter/x\\xFF"), Damage(.extra, "\\xFE")]
    ) {
      try $0.directory.write("x", to: [0x78, 0xFF], in: "store/\(entry)/package.fmadapter")
      try $0.directory.makeFolder([0xFE], in: "store/\(entry)")
    },
    Mishap("no receipt", [Damage(.noReceipt, "receipt.json")]) {
      try FileSystem.removeTree("\($0.root)/\(entry)/receipt.json")
    },
  ]
}

@Suite struct VerifyTests {
  /// A program's window answers while its store is read.
  @MainActor @Test func theCallersActorStaysFree() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store()
    try await store.installBase(.path(fixture.base("tiny.gguf")))
    let areMain = Mutex<Set<Bool>>([])
    _ = try await store.verify { _ in
      let isMain = Thread.isMainThread
      areMain.withLock { _ = $0.insert(isMain) }
    }
    #expect(areMain.withLock { $0 } == [false])
  }

  @Test func whatWasInstalledIsIntact() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package()))
    try await store.installBase(.path(fixture.base("tiny.gguf")))
    let seen = Mutex<[VerifyProgress]>([])
    let results = try await store.verify { progress in seen.withLock { $0.append(progress) } }
    #expect(results.map(\.entry.name) == ["fmadapter-demo-0123456", StoreFixture.first])
    #expect(results.map(\.entry.kind) == [.adapter, .base])
    #expect(results.filter { !$0.isIntact } == [])
    let size = try store.adapter(named: "demo").receipt?.size
    #expect(results[0].bytes == size)
    let reports = seen.withLock { $0 }
    let last = try #require(reports.last)
    #expect(last.done == last.total && last.total == results.reduce(0) { $0 + $1.bytes })
  }

  @Test func anEmptyStoreIsIntact() async throws {
    #expect(try await StoreFixture().store().verify() == [])
  }

  @Test(arguments: Mishap.all)
  func everyKindOfDamageIsNamedWithItsPlace(_ mishap: Mishap) async throws {
    let fixture = try StoreFixture()
    try fixture.plant(weights: StoreFixture.bytes(Mishap.size))
    try fixture.plant("other", weights: [1, 2, 3])
    try mishap.befall(fixture)
    let results = try await fixture.store().verify()
    #expect(results.map(\.isIntact) == [false, true])
    #expect(results.first?.damage == mishap.damage)
  }

  @Test func damageIsToldInASentence() {
    let texts = [
      Damage(.changed, "f", 8..<16), Damage(.longer, "f", 8..<16), Damage(.missing, "f", 0..<1),
      Damage(.extra, "f"), Damage(.unreadable, "f", reason: "Input/output error"),
      Damage(.noReceipt, "receipt.json"), Damage(.newer, "receipt.json", reason: "newer"),
      Damage(.denied, "f", reason: "Permission denied"),
      Damage(.misplaced, "f", reason: "fmadapter-a-0123456"),
    ].map(\.description)
    #expect(
      texts == [
        "f: bytes 8 to 15 are not the recorded ones",
        "f: it goes on after its recorded end, byte 8",
        "f: it is missing", "f: it is not in the receipt",
        "f: it cannot be read: Input/output error",
        "receipt.json: it is missing or cannot be read, so the files cannot be verified",
        "receipt.json: newer",
        "f: this user may not read it (Permission denied)",
        "f: it is of fmadapter-a-0123456, and stands under another name",
      ])
  }

  @Test(arguments: [
    (["demo"], 2), (["fmadapter-demo-0123456"], 1), (["0123"], 1), (["tiny"], 1),
    (["demo", "tiny", "fmadapter-demo-fedcba9"], 3),
  ])
  func namesChooseWhatIsRead(_ names: [String], _ count: Int) async throws {
    let (fixture, store) = try StoreFixture.opened()
    try fixture.plant("demo", weights: [1])
    try fixture.plant("demo", signature: StoreFixture.second, weights: [1])
    try await store.installBase(.path(fixture.base("tiny.gguf")))
    #expect(try await store.verify(names).count == count)
    await #expect(throws: StoreError.self) { try await store.verify(names + ["no"]) }
  }

  @Test(arguments: [
    ("e/receipt.json", 13, Damage(.denied, "receipt.json", reason: "Permission denied")),
    ("e/package.fmadapter", 13, Damage(.denied, "package.fmadapter", reason: "Permission denied")),
    ("e", 1, Damage(.denied, ".", reason: "Operation not permitted")), ("e/x", 5, nil),
  ])
  func whatMayNotBeReadIsOfTheEntryAlone(_ path: String, _ code: Int, _ damage: Damage?) {
    let error = FileError.system(.open, path: path, code: Int32(code))
    #expect(Damage(denied: error, in: "e") == damage)
    #expect(Damage(denied: .notRegular(path: path), in: "e") == nil)
  }

  @Test func anEntryUnderTheNameOfAnotherIsNamed() async throws {
    let fixture = try StoreFixture()
    let entries = try ["one", "two"].map { try fixture.plant($0, weights: [1, 2, 3]) }
    try FileSystem.exchange(entries[0].path, entries[1].path)
    let results = try await fixture.store().verify()
    let metadata = "package.fmadapter/metadata.json"
    #expect(
      results.map(\.damage) == [
        [Damage(.misplaced, metadata, reason: "fmadapter-two-0123456")],
        [Damage(.misplaced, metadata, reason: "fmadapter-one-0123456")],
      ])
    await #expect(
      throws: StoreError.damaged(
        path: entries[0].path, reason: "what is inside is fmadapter-two-0123456")
    ) { try await fixture.store().repair(results[0]) }
  }

  @Test(arguments: ["", "{", "[]", "{\"formatVersion\": 0}", "\u{0}"])
  func anUnreadableReceiptIsDamageAndNoStop(_ text: String) async throws {
    let fixture = try StoreFixture()
    try fixture.plant(weights: [1])
    try fixture.directory.write(text, to: "store/\(entry)/receipt.json")
    let results = try await fixture.store().verify()
    #expect(results.map(\.damage) == [[Damage(.noReceipt, "receipt.json")]])
  }

  @Test(arguments: [
    "\"path\" : \"../../x\"", "\"path\" : \"/etc/passwd\"", "\"size\" : -1", "\"size\" : 8388609",
    "\"sha256\" : \"x\"",
  ])
  func aReceiptThatCannotBeTrueIsNotBelieved(_ member: String) async throws {
    let fixture = try StoreFixture()
    let entry = try fixture.plant(weights: [1])
    let text = String(
      decoding: try FileSystem.read(entry.receiptPath, limit: 1 << 20), as: UTF8.self)
    let key = try #require(member.split(separator: " ").first)
    let lines = text.split(separator: "\n").map { line in
      line.contains(key) ? Substring(member + (line.hasSuffix(",") ? "," : "")) : line
    }
    let changed = lines.joined(separator: "\n")
    #expect(changed != text)
    try FileSystem.makeWritable(entry.receiptPath)
    try Data(changed.utf8).write(to: URL(fileURLWithPath: entry.receiptPath))
    #expect(Receipt(reading: entry.receiptPath) == nil)
  }

  @Test func anEntryThatIsReplacedMeanwhileIsNotDamaged() async throws {
    let fixture = try StoreFixture()
    let sources = try (1...2).map { try fixture.package(version: $0) }
    try await fixture.store().installAdapter(.path(sources[0]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let store = fixture.store()
        for round in 0..<40 { try await store.installAdapter(.path(sources[round % 2])) }
      }
      group.addTask {
        let store = fixture.store()
        for _ in 0..<100 {
          for result in try await store.verify() { #expect(result.damage == []) }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func aCancelledVerificationSaysSo() async throws {
    let fixture = try StoreFixture()
    try fixture.plant(weights: StoreFixture.bytes(1 << 20))
    let store = fixture.store()
    let job = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.verify()
    }
    await #expect(throws: StoreError.cancelled) { try await job.value }
  }
}
