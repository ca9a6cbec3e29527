import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct StorePlaceTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write("a file", to: "file")
    try FileSystem.createDirectory(folder.path("store"))
    for (link, target) in [("dangling", "/not/mounted"), ("leading", "store"), ("other", "file")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(link), withDestinationPath: target)
    }
  }

  @Test(arguments: ["store", "leading", "not yet", "not/yet/either", "leading/below"])
  func whereAStoreIsOrCanBeNothingIsWrong(_ name: String) {
    #expect(StorePlace(root: folder.path(name)).defect == nil)
  }

  @Test(arguments: [
    ("file", "file is not a folder; set FMADAPTER_HOME to another place"),
    ("other", "other is not a folder; set FMADAPTER_HOME to another place"),
    ("file/below/it", "file is not a folder; set FMADAPTER_HOME to another place"),
    (
      "dangling",
      "the link dangling leads nowhere; mount or make what it leads to, or set FMADAPTER_HOME to "
        + "another place"
    ),
    (
      "dangling/below",
      "the link dangling leads nowhere; mount or make what it leads to, or set FMADAPTER_HOME to "
        + "another place"
    ),
  ])
  func whereNoneCanBeIsSaid(_ name: String, _ text: String) async throws {
    let root = folder.path(name)
    let defect = try #require(StorePlace(root: root).defect)
    #expect(defect.description.replacing(folder.path + "/", with: "") == text)
    let store = AdapterStore(root: root, tool: "tests") { _ in throw StoreFixture.BadBase() }
    let error = StoreError.noStore(path: root, reason: defect)
    #expect(throws: error) { try store.adapters() }
    #expect(throws: error) { try store.bases() }
    #expect(throws: error) { try store.partials() }
    #expect(throws: error) { try store.usage() }
    await #expect(throws: error) { try await store.verify() }
    #expect(throws: error) { try store.prunable() }
    let report = try await store.examine(fixing: true, system: SystemFacts())
    #expect(report.findings.map(\.rule) == ["store.kind"] && report.category == .system)
    #expect(report.findings.first?.message.hasPrefix("No store can be there: ") == true)
    #expect(report.findings.first?.remedy.hasSuffix("FMADAPTER_HOME to another place.") == true)
  }

  @Test(arguments: ["/proc/store", "/sys/store/below"])
  func whatTheKernelMakesUpHoldsNoStore(_ root: String) {
    let place = FilePath.parent(of: root).replacing("/store", with: "")
    #expect(
      StorePlace(root: root).defect?.description
        == "\(place) cannot be written; set FMADAPTER_HOME to another place")
  }

  @Test(.disabled(if: geteuid() == 0, "root may write everywhere"))
  func aFolderThatCannotBeWrittenHoldsNoNewStore() throws {
    let place = folder.path("sealed")
    try FileSystem.createDirectory(place)
    try FileSystem.makeReadOnly(place)
    let defect = StorePlace(root: "\(place)/store").defect
    #expect(
      defect?.description == "\(place) cannot be written; set FMADAPTER_HOME to another place")
    #expect(StorePlace(root: place).defect == nil)
  }
}
