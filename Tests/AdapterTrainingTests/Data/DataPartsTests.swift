import SystemFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct DataPartsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func files(_ names: String..., tables: Bool = false) throws -> [String] {
    for name in names { try folder.write("", to: "set/" + name) }
    return try DataParts.files(at: folder.path("set"), takesTables: tables)
      .map { $0.replacing(folder.path("set") + "/", with: "") }
  }

  @Test func aFolderStandsForItsDataSetsByTheirNames() throws {
    #expect(
      try files(
        "10.jsonl", "2.jsonl.zst", "1.ndjson.gz", "tools.json", "README.md", "LICENSE.txt",
        ".hidden", "x.py")
        == ["1.ndjson.gz", "10.jsonl", "2.jsonl.zst"])
  }

  @Test func tablesAndOtherJSONArePartsOfWhatIsConverted() throws {
    #expect(
      try files("b.csv", "a.json", "c.tsv.gz", "d.jsonl", tables: true)
        == ["a.json", "b.csv", "c.tsv.gz", "d.jsonl"])
  }

  @Test func aFileIsItself() throws {
    #expect(try DataParts.files(at: "/nowhere/x.parquet") == ["/nowhere/x.parquet"])
  }

  @Test(arguments: ["a.parquet", "a.csv", "a.jsonl.xz", "a.csv.gz"])
  func dataThatIsNotReadIsNotLeftOut(_ name: String) throws {
    let path = folder.path("set/" + name)
    #expect(throws: DataSetError.strangePart(path: path)) { try files("x.jsonl", name) }
  }

  @Test func aFolderWithoutDataSetsIsNone() throws {
    #expect(throws: DataSetError.noParts(path: folder.path("set"))) { try files("a.json") }
  }

  @Test func aFileThatIsNamedTwiceIsNoTwoParts() throws {
    _ = try files("a.jsonl", "b.jsonl")
    let (set, part) = (folder.path("set"), folder.path("set/b.jsonl"))
    #expect(throws: DataSetError.repeatedPart(path: part, other: part)) {
      try DataParts.all([set, part])
    }
    let roundabout = folder.path("set") + "/../set/b.jsonl"
    #expect(throws: DataSetError.repeatedPart(path: roundabout, other: part)) {
      try DataParts.all([part, roundabout])
    }
    let all = try DataParts.all([part, folder.path("set/a.jsonl")])
    #expect(all.flatMap(\.paths) == [part, folder.path("set/a.jsonl")])
  }
}
