import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

/// Something that can befall a store, the rule that names it, what it is about, and whether the doctor mends it.
struct Ailment: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rule: String
  let category: DoctorFinding.Category?
  let isMended: Bool
  let befall: @Sendable (StoreFixture) async throws -> Void

  init(
    _ name: String, _ rule: String, _ category: DoctorFinding.Category?, mended: Bool = true,
    _ befall: @escaping @Sendable (StoreFixture) async throws -> Void
  ) {
    testDescription = name
    self.rule = rule
    self.category = category
    isMended = mended
    self.befall = befall
  }

  static let entry = "adapters/fmadapter-demo-0123456"

  static let all = [
    Ailment("receipt removed", "receipt.missing", .integrity) {
      try FileSystem.removeTree("\($0.root)/\(entry)/receipt.json")
    },
    Ailment("receipt removed beside a foreign file", "receipt.missing", .integrity) {
      try FileSystem.removeTree("\($0.root)/\(entry)/receipt.json")
      try $0.directory.write("mine", to: "store/\(entry)/notes.txt")
    },
    Ailment("receipt cut", "receipt.missing", .integrity) {
      try $0.damage("\(entry)/receipt.json") { try $0.truncate(atOffset: 40) }
    },
    Ailment("receipt of a later version", "receipt.newer", .system, mended: false) {
      try $0.makeNewer(entry)
    },
    Ailment("an entry that its owner may not read", "entry.permissions", .system) {
      try close("\($0.root)/\(entry)")
    },
    Ailment("a package that its owner may not read", "entry.permissions", .system) {
      try close("\($0.root)/\(entry)/package.fmadapter")
    },
    Ailment("a base that its owner may not read", "entry.permissions", .system) {
      try close("\($0.root)/bases/\(StoreFixture.first)")
    },
    Ailment("an adapter under another name", "adapter.misplaced", .integrity, mended: false) {
      try FileSystem.rename(
        "\($0.root)/\(entry)", to: "\($0.root)/adapters/fmadapter-other-0123456")
    },
    Ailment("a base under another name", "base.misplaced", .integrity, mended: false) {
      try FileSystem.rename(
        "\($0.root)/bases/\(StoreFixture.first)", to: "\($0.root)/bases/\(StoreFixture.second)")
    },
    Ailment("a folder for a receipt", "receipt.missing", .integrity) {
      try FileSystem.removeTree("\($0.root)/\(entry)/receipt.json")
      try $0.directory.write("mine", to: "store/\(entry)/receipt.json/file")
    },
    Ailment("receipt of a base removed", "receipt.missing", .integrity) {
      try FileSystem.removeTree("\($0.root)/bases/\(StoreFixture.first)/receipt.json")
    },
    Ailment("a flipped bit", "entry.damaged", .integrity) {
      try $0.flipBit("\(entry)/package.fmadapter/adapter_weights.bin", at: 200)
    },
    Ailment("a file too many", "entry.extra", .integrity) {
      try $0.directory.write("mine", to: "store/\(entry)/notes.txt")
    },
    Ailment("a link in place of a file", "entry.damaged", .integrity) {
      let file = "\($0.root)/\(entry)/package.fmadapter/metadata.json"
      try FileSystem.makeWritable("\($0.root)/\(entry)")
      try FileSystem.copyFile(file, to: $0.directory.path("elsewhere"))
      try FileSystem.removeTree(file)
      try FileManager.default.createSymbolicLink(
        atPath: file, withDestinationPath: $0.directory.path("elsewhere"))
    },
    Ailment("a package that can be written to", "entry.writable", nil) {
      try FileSystem.makeWritable("\($0.root)/\(entry)/package.fmadapter")
    },
    Ailment("a foreign file", "foreign", nil) {
      try $0.directory.write("mine", to: "store/adapters/readme.txt")
    },
    Ailment("a foreign file whose name is no text", "foreign", nil) {
      try $0.directory.write("mine", to: [0x78, 0xFF], in: "store/adapters")
    },
    Ailment("a foreign folder", "foreign", nil) {
      try $0.directory.write("mine", to: "store/holiday/1.jpg")
    },
    Ailment("an interrupted installation", "ingest.abandoned", nil) {
      let name = IngestName(
        boot: IngestName.currentBoot(), process: StoreFixture.otherProcess,
        created: Date(timeIntervalSince1970: 1))
      try $0.directory.write("x", to: "store/ingest/\(name.text)/item/x")
    },
    Ailment("a base in use that is not there", "current.invalid", nil) {
      try $0.directory.write("garbage\u{0}", to: "store/current")
    },
    Ailment("several bases and none chosen", "current.missing", .compatibility) {
      try await $0.store().installBase(.path($0.base("b.gguf", signature: StoreFixture.second)))
      try FileSystem.removeTree("\($0.root)/current")
    },
    Ailment("the base gone", "adapter.obsolete", .compatibility, mended: false) {
      try $0.store().removeBase("a")
    },
    Ailment("a list of catalogs that is garbage", "catalogs.unreadable", nil, mended: false) {
      try $0.directory.write("\u{1}\n", to: "store/catalogs/x")
    },
  ]
}

/// Takes all permissions from `path`.
private func close(_ path: String) throws {
  try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
}

@Suite struct DoctorTests {
  /// A store with a base and an adapter for it.
  private func healthy() async throws -> StoreFixture {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installBase(.path(fixture.base("a.gguf")))
    try await store.installAdapter(.path(fixture.package()))
    return fixture
  }

  /// As above, where a catalog that the store has a copy of vouches for the adapter.
  private func listed() async throws -> StoreFixture {
    let fixture = try await healthy()
    let site = fixture.directory.path("site")
    _ = try CatalogPublisher(directory: site).publish([fixture.package()])
    let source = try CatalogSource(site, directory: "/")
    try fixture.store().addCatalog(source)
    _ = try await fixture.store().readCatalog(source)
    return fixture
  }

  private func examine(
    _ fixture: StoreFixture, fixing: Bool = false
  ) async throws -> DoctorReport {
    try await fixture.store().examine(fixing: fixing, system: SystemFacts())
  }

  @Test func aHealthyStoreIsWell() async throws {
    let fixture = try await healthy()
    let report = try await examine(fixture)
    #expect(report.findings == [] && report.category == nil)
    #expect(report.facts.map(\.name) == ["store", "free", "installed", "base in use"])
    #expect(try fixture.names("ingest") == [])
  }

  @Test func aStoreThatIsNotThereIsWellAndStaysAway() async throws {
    let fixture = try StoreFixture()
    #expect(try await examine(fixture, fixing: true).findings == [])
    #expect(try FileSystem.info(fixture.root) == nil)
  }

  @Test(arguments: Ailment.all)
  func whatIsWrongIsNamedAndMended(_ ailment: Ailment) async throws {
    let fixture = try await listed()
    try await ailment.befall(fixture)
    let report = try await examine(fixture)
    let finding = try #require(report.findings.first { $0.rule == ailment.rule }, "\(report)")
    #expect(finding.category == ailment.category && finding.canFix == ailment.isMended)
    #expect(finding.message.hasSuffix(".") && finding.remedy.hasSuffix("."))
    #expect(report.category == ailment.category)

    let fixed = try await examine(fixture, fixing: true)
    #expect(fixed.open.isEmpty == ailment.isMended, "\(fixed.open)")
    let after = try await examine(fixture)
    #expect(after.findings.isEmpty == ailment.isMended, "\(after.findings)")
    guard ailment.isMended else { return }
    #expect(try fixture.store().adapter(named: "demo").facts.contains(.fitsCurrentBase))
    #expect(try await fixture.store().verify().allSatisfy { $0.isIntact })
  }

  @Test(arguments: [
    "a file too many", "a foreign file", "a foreign file whose name is no text",
    "a foreign folder", "a folder for a receipt", "receipt removed beside a foreign file",
  ])
  func whatIsNotTheStoresIsMovedAndNeverLost(_ name: String) async throws {
    let fixture = try await listed()
    try await #require(Ailment.all.first { $0.testDescription == name }).befall(fixture)
    _ = try await examine(fixture, fixing: true)
    let found = try EntryVerifier.files(in: "\(fixture.root)/lost+found").map {
      try FileSystem.read("\(fixture.root)/lost+found/\($0)", limit: 100)
    }
    #expect(found == [Array("mine".utf8)])
  }

  @Test func whatIsGivenBackIsWhatWasTaken() async throws {
    let fixture = try await healthy()
    let package = "\(fixture.root)/\(Ailment.entry)/package.fmadapter"
    let before = try FileSystem.info(package)?.mode
    try close(package)
    _ = try await examine(fixture, fixing: true)
    // Read again, though not written: what may be read alone stays so.
    #expect(try FileSystem.info(package)?.mode == (before.map { $0 & 0o500 }))
    #expect(try await examine(fixture).findings == [])
  }

  @Test func whatIsTakenAwayMeanwhileIsNotIll() async throws {
    let fixture = try await healthy()
    let store = fixture.store()
    let verification = try #require(try await store.verify().first)
    try store.removeAdapter("demo")
    #expect(store.examine(adapter: verification).map(\.finding) == [])
  }

  @Test func whatCannotBeMendedIsSaid() async throws {
    let fixture = try await healthy()
    let store = fixture.store()
    let weights = "\(Ailment.entry)/package.fmadapter/adapter_weights.bin"
    try fixture.flipBit(weights, at: 200)
    try FileSystem.removeTree(fixture.sources)
    let report = try await store.examine(fixing: true, system: SystemFacts())
    let finding = try #require(report.open.first { $0.rule == "entry.damaged" })
    #expect(finding.reason?.remedy?.contains("install it again") == true)
  }

  @Test(arguments: [false, true])
  func whatNothingVouchesForIsSetAside(_ isDamaged: Bool) async throws {
    let fixture = try await healthy()
    let store = fixture.store()
    let weights = "\(Ailment.entry)/package.fmadapter/adapter_weights.bin"
    if isDamaged { try fixture.flipBit(weights, at: 200) }
    let bytes = try FileSystem.read("\(fixture.root)/\(weights)", limit: 1 << 20)
    try FileSystem.removeTree("\(fixture.root)/\(Ailment.entry)/receipt.json")
    let report = try await store.examine(fixing: true, system: SystemFacts())
    let finding = try #require(report.findings.first { $0.rule == "receipt.missing" })
    #expect(finding.state == .fixed && finding.outcome?.contains("/lost+found/") == true)
    #expect(try fixture.names("adapters") == [])
    let place = try #require(fixture.names("lost+found").first)
    let kept = "\(fixture.root)/lost+found/\(place)/package.fmadapter/adapter_weights.bin"
    #expect(try FileSystem.read(kept, limit: 1 << 20) == bytes)
    #expect(try await store.installAdapter(.path(fixture.package())).outcome == .installed)
  }

  @Test func aCatalogDoesNotVouchForDamagedBytes() async throws {
    let fixture = try await listed()
    try fixture.flipBit("\(Ailment.entry)/package.fmadapter/adapter_weights.bin", at: 200)
    try FileSystem.removeTree("\(fixture.root)/\(Ailment.entry)/receipt.json")
    _ = try await examine(fixture, fixing: true)
    #expect(try fixture.names("adapters") == [] && fixture.names("lost+found").count == 1)
  }

  @Test func aBaseThatOnlyClaimsItsSignatureIsSetAside() async throws {
    let fixture = try await healthy()
    let claiming = AdapterStore(
      root: fixture.root, tool: "tests 1", process: ProcessFacts(),
      identifyBase: { _ in BaseIdentity(contentSignature: StoreFixture.second, type: "text") },
      readBase: StoreFixture.readBase)
    try FileSystem.removeTree("\(fixture.root)/bases/\(StoreFixture.first)/receipt.json")
    _ = try await claiming.examine(fixing: true, system: SystemFacts())
    #expect(try fixture.names("bases") == [] && fixture.names("lost+found").count == 1)
  }

  @Test func anAdapterThatDoesNotFitItsBaseIsExplained() async throws {
    let (fixture, store) = try StoreFixture.opened()
    try await store.installAdapter(.path(fixture.package()))
    let narrow = MatrixShape(rows: 4, columns: 4)
    let other = AdapterStore(root: fixture.root, tool: "tests") { _ in
      BaseContract(
        signature: StoreFixture.first, architecture: "llama",
        layers: Array(repeating: [.query: narrow, .value: narrow], count: 2))
    }
    try await other.installBase(.path(fixture.base("a.gguf")))
    let report = try await store.examine(system: SystemFacts())
    #expect(report.category == .compatibility)
    #expect(report.findings.contains { $0.place == "fmadapter-demo-0123456" && !$0.canFix })
  }

  @Test func theSystemComesBeforeDamageBeforeWhatDoesNotFit() {
    func category(_ open: [DoctorFinding.Category?]) -> DoctorFinding.Category? {
      DoctorReport(
        facts: [], findings: open.map { DoctorFinding("x", $0, "p", "M.", remedy: "R.") }
      ).category
    }
    #expect(category([]) == nil && category([nil]) == nil)
    #expect(category([.compatibility, .integrity, .system]) == .system)
    #expect(category([.compatibility, .integrity]) == .integrity)
    #expect(category([.compatibility, nil]) == .compatibility)
  }

  @Test func theSystemIsExaminedToo() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("certificate", to: "ca.crt")
    let good = SystemFacts.current(environment: ["CURL_CA_BUNDLE": file])
    #expect(good.facts.contains(DoctorFact(name: "certificates", value: file)))
    #expect(good.diagnoses.isEmpty)
    let bad = SystemFacts.current(environment: ["SSL_CERT_FILE": "/nowhere"]).diagnoses
    #expect(bad.map(\.finding.rule) == ["certificates.missing"])
    #expect(bad.map(\.finding.category) == [.system])
  }

  @Test func aLibraryThatIsTooOldIsNamed() {
    var system = SystemFacts()
    system.addLibrary(version: "7.74.0", defect: "libcurl 7.74.0 is too old")
    #expect(system.facts.map(\.value) == ["7.74.0"])
    #expect(system.diagnoses.map(\.finding.rule) == ["libcurl.unusable"])
    system = SystemFacts()
    system.addLibrary(version: "7.88.1", defect: nil)
    #expect(system.diagnoses.isEmpty)
  }
}
