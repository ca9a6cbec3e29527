import Foundation
import TensorFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Installations by processes of their own, at once and killed.
@Suite(.waits) struct InstallProcessTests {
  private static let identifier = "fmadapter-tiny_1-808de18"

  /// A second version of the package: other metadata, same weights.
  private func twoVersions() throws -> (first: SamplePackage, second: SamplePackage) {
    let versions = try (SamplePackage(), SamplePackage())
    try versions.1.edit("random LoRA", "second version")
    return versions
  }

  /// Names under `path` of the store; none when it is not there.
  private func names(_ store: TemporaryDirectory, _ path: String) throws -> [String] {
    let full = store.path("store/\(path)")
    return try FileSystem.info(full) == nil ? [] : FileSystem.list(full).map(\.name.description)
  }

  /// Every byte under the installed name is one that its receipt records.
  private func isWhole(_ store: TemporaryDirectory) throws -> Bool {
    let entry = store.path("store/adapters/\(Self.identifier)")
    guard let receipt = Receipt(reading: "\(entry)/receipt.json") else { return false }
    return try receipt.files.allSatisfy {
      try FileRecord(path: $0.path, file: "\(entry)/\($0.path)") == $0
    }
  }

  @Test func eightProcessesInstallTwoVersionsOfOneAdapter() throws {
    let versions = try twoVersions()
    let store = try TemporaryDirectory()
    let programs = try (0..<8).map { index in
      try Subprocess(
        Tool.path, ["install", (index.isMultiple(of: 2) ? versions.first : versions.second).path],
        environment: ["FMADAPTER_HOME": store.path("store")])
    }
    for program in programs {
      let result = try program.finish().expectSuccess()
      #expect(result.text == Self.identifier + "\n")
    }
    #expect(try isWhole(store))
    #expect(try names(store, "adapters") == [Self.identifier])
    #expect(try names(store, "ingest") == [])
  }

  @Test func aKilledInstallationLeavesTheOldOrTheNew() throws {
    let versions = try twoVersions()
    let store = try TemporaryDirectory()
    let usual = try Tool.launch(["install", versions.first.path], store: store).duration
    var random = SeededGenerator(seed: 9)
    for round in 0..<12 {
      let source = round.isMultiple(of: 2) ? versions.second : versions.first
      let program = try Subprocess(
        Tool.path, ["install", source.path], environment: ["FMADAPTER_HOME": store.path("store")])
      // Where it is hit depends on the machine; that it may be hit anywhere does not.
      let share = Double(random.float(in: 0.2..<1))
      usleep(UInt32(share * (usual / .microseconds(1))))
      kill(program.process.processIdentifier, SIGKILL)
      _ = try program.finish()

      #expect(try isWhole(store), "\(random), round \(round)")
      #expect(try names(store, "adapters") == [Self.identifier])
      // What was about to be made has no name yet, and waits a minute.
      #expect(try names(store, "ingest").count { !$0.hasPrefix(".") } <= 1)
    }
    #expect(try Tool.run("list", "--names", store: store).text == Self.identifier + "\n")
    try versions.first.edit("random LoRA", "third version")
    try Tool.run("install", versions.first.path, store: store).expectSuccess()
    #expect(
      try names(store, "ingest").filter { !$0.hasPrefix(".") } == [],
      "the next installation collects what was left")
  }
}
