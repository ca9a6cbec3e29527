import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import Adapters

@Suite struct AdapterCheckTests {
  /// A base whose feed-forward networks consist of experts has no such projections.
  @Test func targetsThatTheBaseLacksAreNamed() throws {
    let directory = try TemporaryDirectory()
    let package = try SamplePackage().write(to: directory.path)
    let some = SamplePackage.contract.layers.map { layer in
      layer.filter { ![.gate, .down].contains($0.key) }
    }
    let report = try AdapterCheck.run(
      package: package,
      for: BaseContract(signature: SamplePackage.signature, architecture: "afm", layers: some))
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(finding.rule == "layout.targets" && finding.category == .compatibility)
    #expect(finding.message == "No layer of the base has ffn_gate or ffn_down.")
    #expect(
      finding.remedy
        == "Train the adapter on the projections that the base has; a package has no names for those of experts."
    )
    #expect(finding.place.key == "creatorDefined.fmadapter.targets")
  }

  @Test func aValidPackageHasNoFindings() throws {
    let directory = try TemporaryDirectory()
    let path = try SamplePackage().write(to: directory.path)
    for base in [SamplePackage.contract, nil] {
      let report = try AdapterCheck.run(package: path, for: base)
      #expect(report.findings.map(\.line) == [])
      #expect(report.category == nil && report.isAccepted)
      #expect(report.description == "\(path): nothing to report")
    }
  }

  @Test(arguments: BrokenPackage.all)
  func aBrokenPackageHasExactlyItsFindings(_ broken: BrokenPackage) throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    broken.bend(&package)
    let path = try package.write(to: directory.path)
    let base = try broken.base(in: directory)
    let before = try Snapshot(of: directory.path)

    let report = try AdapterCheck.run(package: path, for: base)

    #expect(report.findings.map(\.line) == broken.findings.map { fill($0, package, path) })
    #expect(report.category == broken.category)
    #expect(report.findings.allSatisfy { $0.remedy.hasSuffix(".") })
    #expect(try Snapshot(of: directory.path) == before, "the check changed the package")
  }

  @Test(arguments: [
    ("nested 100 deep", "Take out what need not be there; more than this is not read."),
    ("metadata ends early", "Write the file as UTF-8 JSON."),
  ])
  func textsOverALimitAreNotCalledMalformed(_ id: String, _ remedy: String) throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    try #require(BrokenPackage.metadata.first { $0.id == id }).bend(&package)
    let report = try AdapterCheck.run(package: try package.write(to: directory.path), for: nil)
    #expect(report.findings.map(\.remedy) == [remedy])
  }

  @Test(arguments: BrokenPackage.all.filter { $0.base != nil })
  func aPackageIsLoadedIfAndOnlyIfItIsAccepted(_ broken: BrokenPackage) throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    broken.bend(&package)
    let path = try package.write(to: directory.path)
    let base = try broken.base(in: directory) ?? SamplePackage.contract
    if broken.category == nil {
      _ = try Adapter(package: path, for: base)
    } else {
      let error = #expect(throws: AdapterError.self) { try Adapter(package: path, for: base) }
      guard case .refused(let report) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(report.category == broken.category)
    }
  }

  @Test func everyWayToBeWrongHasItsOwnName() {
    let ids = BrokenPackage.all.map(\.id)
    #expect(Dictionary(grouping: ids) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
  }

  /// The rules are those that the sources name.
  @Test func everyRuleHasAPackageThatBreaksIt() throws {
    let folder = Fixtures.repository.appendingPathComponent("Sources/Adapters").path
    let families: Set = [
      "check", "compatibility", "container", "draft", "identity", "layout", "metadata", "package",
      "settings", "suffixes", "values", "weights",
    ]
    var rules: Set<String> = []
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where file.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      for match in text.matches(of: /"(([a-z]+)\.[a-zA-Z.]+)"/)
      where families.contains(String(match.output.2)) {
        rules.insert(String(match.output.1))
      }
    }
    rules.subtract(PackageFile.known)
    let broken = BrokenPackage.all.flatMap(\.findings).map { $0.split(separator: " ")[1] }
    // Those of tests of their own, further up and down.
    let others = [
      "check.limit", "layout.targets", "package.folder", "package.name", "package.unreadable",
      "values.outlier",
    ]
    #expect(rules.subtracting(broken.map(String.init)).sorted() == others)
  }

  @Test func aFileIsNoPackage() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x", to: "a.fmadapter")
    let report = try AdapterCheck.run(package: path)
    #expect(
      report.findings.map(\.line)
        == ["error package.folder a.fmadapter: A package is a folder; this is none."])
    #expect(report.category == .package)
  }

  @Test func nothingIsNotFound() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("none.fmadapter")
    let error = #expect(throws: AdapterError.self) { try AdapterCheck.run(package: path) }
    #expect(
      error?.description
        == "\(path): there is no such package; give the path of a .fmadapter folder")
  }

  @Test func aNamedPipeInPlaceOfTheWeightsDoesNotBlock() throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    package.files["adapter_weights.bin"] = nil
    let path = try package.write(to: directory.path)
    #expect(mkfifo("\(path)/adapter_weights.bin", 0o600) == 0)
    let report = try AdapterCheck.run(package: path)
    #expect(
      report.findings.map(\.line)
        == ["error package.entry adapter_weights.bin: The entry is no regular file."])
  }

  @Test func aLinkToThePackageIsFollowed() throws {
    let directory = try TemporaryDirectory()
    let path = try SamplePackage().write(to: directory.path)
    let link = directory.path("link.fmadapter")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(try AdapterCheck.run(package: link + "/").findings.isEmpty)
  }

  @Test func aPointerOfGitHasOneRemedy() throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    package.files["adapter_weights.bin"] = Array(
      "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n".utf8)
    let report = try AdapterCheck.run(package: package.write(to: directory.path))
    let found = report.findings.first { $0.rule == "package.unreadable" }
    #expect(
      found?.message.hasSuffix(
        "this is a pointer of Git LFS: the file itself was never downloaded.") == true)
    #expect(found?.remedy == "Fetch it with 'git lfs pull'.")
  }

  @Test func manyFindingsOfOneKindAreCutButNoErrorIsLost() throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    let keys = (0..<1200).map { "\"k\($0)\": 1, " }.joined()
    package.replace("\"author\": \"tests\"", keys + "\"author\": 1")
    let report = try AdapterCheck.run(package: package.write(to: directory.path))
    #expect(report.findings.count == 1001)
    #expect(report.findings.first?.rule == "metadata.type")
    #expect(
      report.findings.last?.line
        == "note check.limit metadata.json: 201 further findings of this kind are left out.")
  }

  @Test func thousandsOfTinyBlobsAreAnAdapterToo() throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    package.replaceWeights(Array(repeating: BlobBytes(halves: [1]), count: 2 * 7 * 400))
    package.replace("\"loraRank\": 2", "\"loraRank\": 1")
    let report = try AdapterCheck.run(package: package.write(to: directory.path))
    #expect(report.findings.map(\.line) == [])
  }

  @Test func aPathThatEndsInADotIsThatOfItsFolder() throws {
    let directory = try TemporaryDirectory()
    let path = try SamplePackage().write(to: directory.path)
    try FileManager.default.createDirectory(atPath: "\(path)/x", withIntermediateDirectories: true)
    #expect(
      try AdapterCheck.run(package: "\(path)/x/..").findings.map(\.rule) == ["package.extra"])
  }

  @Test func aNameThatIsNoTextIsAFinding() throws {
    let directory = try TemporaryDirectory()
    let package = try SamplePackage().write(to: directory.path)
    let folder = FilePath.name(of: package)
    try directory.write("x", to: [0x78, 0xFF], in: folder)
    let report = try AdapterCheck.run(package: package)
    #expect(
      report.findings.map(\.line) == ["error package.name x\\xFF: The name is not UTF-8."])
    #expect(!report.isAccepted)
  }

  @Test func whateverIsBentTheCheckEndsAndDecides() throws {
    var random = SeededGenerator(seed: 0xF1DD1E)
    let good = SamplePackage()
    let directory = try TemporaryDirectory()
    for round in 0..<150 {
      var package = good
      package.name = "\(round).fmadapter"
      for name in ["metadata.json", "adapter_weights.bin"] {
        guard case .some(.some(var bytes)) = package.files[name], Bool.random(using: &random) else {
          continue
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
          case 1: bytes.insert(bytes[place], at: place)
          case 2: bytes.remove(at: place)
          default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          }
        }
        package.files[name] = bytes
      }
      let path = try package.write(to: directory.path)
      let report = try AdapterCheck.run(package: path, for: SamplePackage.contract)
      let isLoaded = (try? Adapter(package: path, for: SamplePackage.contract)) != nil
      #expect(isLoaded == report.isAccepted, "\(random), round \(round)")
    }
  }

  @Test func aReportCanBeReadBackFromJSON() throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    package.patch { $0.put(UInt32(1), at: 4) }
    let report = try AdapterCheck.run(package: package.write(to: directory.path))
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(CheckReport.self, from: json) == report)
  }

  @Test func aLayerThatStandsOutIsNamed() throws {
    let directory = try TemporaryDirectory()
    let shape = MatrixShape(rows: 8, columns: 8)
    let base = BaseContract(
      signature: SamplePackage.signature, architecture: "llama",
      layers: Array(repeating: [.query: shape], count: 6))
    // A is ½ everywhere and B is 1, in layer 4 it is 16: norms 1 and 16 times the same.
    let blobs = (0..<6).flatMap { layer in
      [
        BlobBytes(halves: [UInt16](repeating: 0x3800, count: 16)),
        BlobBytes(halves: [UInt16](repeating: layer == 4 ? 0x4C00 : 0x3C00, count: 16)),
      ]
    }
    var package = SamplePackage()
    package.replaceWeights(blobs)
    package.replace(
      "[\"attn_q\", \"attn_k\", \"attn_v\", \"attn_output\", \"ffn_gate\", \"ffn_up\", \"ffn_down\"]",
      "[\"attn_q\"]")
    package.replace("\"architecture\": \"afm\"", "\"architecture\": \"llama\"")
    let report = try AdapterCheck.run(package: package.write(to: directory.path), for: base)
    #expect(
      report.findings.map(\.line) == [
        "warning values.outlier adapter_weights.bin, blk.4.attn_q.lora_b, byte 1,280: The norm of the "
          + "update, 256.0, is more than 10 times the median of attn_q, 16.0."
      ])
  }

  /// Puts what only the run knows into an expectation.
  private func fill(_ line: String, _ package: SamplePackage, _ path: String) -> String {
    line.replacingOccurrences(of: "ACTUAL", with: SHA256.hex(package.weights))
      .replacingOccurrences(of: "RECORDED", with: SHA256.hex(SamplePackage().weights))
      .replacingOccurrences(of: "PLACE", with: path)
  }
}

/// Names, kinds, contents and times of everything below a folder.
struct Snapshot: Equatable {
  private var entries: [String: [String]] = [:]

  init(of directory: String) throws {
    let manager = FileManager.default
    for name in try manager.subpathsOfDirectory(atPath: directory) {
      let path = "\(directory)/\(name)"
      let info = try FileSystem.info(path)
      let content =
        info?.kind == .file
        ? manager.contents(atPath: path)?.base64EncodedString() : nil
      entries[name] = ["\(info as Any)", content ?? ""]
    }
  }
}
