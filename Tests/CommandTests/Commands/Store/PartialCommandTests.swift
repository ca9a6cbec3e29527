import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore
@testable import fmadapter

@Suite(.waits) struct PartialCommandTests {
  private static let key = "1a2b3c4d" + String(repeating: "0", count: 24)

  /// A store with a download that a dead process has left.
  private func store() throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    let boot = IngestName.currentBoot()
    let begun = Date(timeIntervalSince1970: 1_800_000_000)
    let name = IngestName(boot: boot, process: "0ddba11000000000", created: begun)
    let path = "store/ingest/\(name.text)/part/\(Self.key)"
    try folder.write([1, 2, 3], to: "\(path)/data")
    let state = PartialState(
      url: "https://host/x.fmadapter/weights.bin\u{1B}[31m", file: "weights.bin", total: 9_000_000,
      boot: boot, created: begun, updated: Date(), released: false)
    try state.write(to: folder.path("\(path)/state.json"))
    return folder
  }

  @Test func anUnfinishedDownloadIsListedAndCanBeRemoved() throws {
    let folder = try store()
    let list = try Tool.run("list", store: folder).expectSuccess()
    #expect(list.text.hasPrefix("PARTIAL           RECEIVED"))
    #expect(list.text.contains("partial-1a2b3c4d  0 bytes of 9.0 MB"))
    #expect(!list.text.contains("\u{1B}"))
    #expect(list.errorText.contains("remove it with 'fmadapter remove partial-1a2b3c4d'"))
    #expect(try Tool.run("list", "--names", store: folder).output.isEmpty)
    #expect(
      try Tool.run("list", "--partials", "--names", store: folder).text == "partial-1a2b3c4d\n")

    let removed = try Tool.run("remove", "partial-1a2b3c4d", store: folder).expectSuccess()
    #expect(removed.errorText.hasPrefix("removed partial-1a2b3c4d, the download of https://host/"))
    #expect(try FileSystem.list(folder.path("store/ingest")) == [])
    try Tool.run("remove", "partial-1a2b3c4d", store: folder).expectStatus(3)
    let none = try Tool.run("list", "--partials", store: folder)
    #expect(none.output.isEmpty && none.errorText == "every download was finished\n")
  }

  @Test func aFreshPartialIsOfUseAndHasOneName() throws {
    let folder = try store()
    let doctor = try Tool.run("doctor", store: folder)
    #expect(!doctor.text.contains("orphan.partial"))
    let usage = try Tool.run("df", store: folder)
    #expect(usage.text.contains("partial  partial-1a2b3c4d"))
    let spared = try Tool.run("prune", "--yes", store: folder)
    #expect(spared.status == 0 && spared.errorText == "there is nothing to prune\n")
    let chosen = try Tool.run("prune", "--partials-only", "--dry-run", store: folder)
    #expect(chosen.text.contains("partial  partial-1a2b3c4d"))
    #expect(chosen.text.contains("the download of https://host/x.fmadapter/weights.bin"))
    #expect(
      try Tool.run("prune", "--older-than", "0s", "-n", store: folder).text.contains("partial-"))
  }

  @Test func partialsAreJSONToo() throws {
    let entries = try Tool.run("list", "--partials", "--json", store: store()).objects()
    #expect(entries.first?["total"] as? Int == 9_000_000)
    #expect(entries.first?["active"] as? Bool == false)
  }

  @Test(arguments: [(-120.0, "unknown"), (-30, "0 s"), (90, "1 min")])
  func anAgeThatLiesAheadIsUnknown(_ passed: Double, _ age: String) throws {
    let store = try store()
    let json = try Tool.run("list", "--partials", "--json", store: store)
    let decoder = JSONDecoder()
    struct Entry: Decodable { let updated: String }
    let text = try #require(try decoder.decode([Entry].self, from: Data(json.output)).first)
    let updated = try Date(text.updated, strategy: .iso8601)
    let partial = PartialDownload(
      path: "p/1a2b3c4d", url: "https://host/x", file: "x", received: 0, total: nil, size: 0,
      created: updated, updated: updated, isActive: false)
    let table = PartialDownload.table([partial], now: updated + passed)
    #expect(table.rows.first?[2] == age)
  }

  @Test(
    arguments: [
      (-5.0, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (7199, "1 h"), (86_400 * 9, "9 d"),
    ] as [(Double, String)])
  func agesAreShort(_ seconds: Double, _ text: String) {
    #expect(Figures.age(seconds) == text)
  }
}
