import Adapters
import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct CatalogPublisherTests {
  private let fixture: StoreFixture
  private var site: String { fixture.directory.path("site") }

  init() throws { fixture = try StoreFixture() }

  /// Every file under `path` with its bytes.
  static func tree(_ path: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let file = "\(path)/\(name)"
      guard try FileSystem.info(file)?.kind == .file else { continue }
      files[name] = try FileSystem.read(file, limit: 1 << 20)
    }
    return files
  }

  private func index(_ directory: String? = nil) throws -> Catalog {
    let bytes = try FileSystem.read("\(directory ?? site)/index.json", limit: 1 << 20)
    return try Catalog(parsing: bytes, url: "https://a.example/index.json")
  }

  @Test func aFolderIsWritten() throws {
    let package = try fixture.package("demo", stating: "1.2.0")
    let published = try CatalogPublisher(directory: site).publish([package])
    #expect(published.map(\.outcome) == [.added])
    let folder = "fmadapter-demo-0123456/1.2.0/\(PublishedFolder.mark(try files(package)))"
    #expect(published.first?.path == "\(site)/\(folder)")
    let tree = try Self.tree(site)
    #expect(
      tree.keys.sorted()
        == ["\(folder)/adapter_weights.bin", "\(folder)/metadata.json", "index.json"])
    let adapter = try #require(try index().adapters.first)
    #expect(adapter.url == "https://a.example/\(folder)/")
    for file in adapter.files {
      let bytes = try #require(tree["\(folder)/\(file.path)"])
      #expect(try bytes == FileSystem.read("\(package)/\(file.path)", limit: 1 << 20))
      #expect(bytes.count == file.size)
    }
  }

  @Test func theSamePackagesMakeTheSameBytes() throws {
    let packages = [
      try fixture.package("demo", stating: "1.0.0"),
      try fixture.package("demo", version: 2, stating: "1.10.0"),
      try fixture.package("demo", version: 3, stating: "1.9.0"),
      try fixture.package("demo", signature: StoreFixture.second, version: 4),
      try fixture.package("another", version: 5),
    ]
    let other = fixture.directory.path("other")
    _ = try CatalogPublisher(directory: site).publish(packages)
    _ = try CatalogPublisher(directory: other).publish(packages.reversed())
    let tree = try Self.tree(site)
    #expect(try Self.tree(other) == tree)
    #expect(
      try index().adapters.map { "\($0.name) \($0.version)" }
        == ["another 0.0.0", "demo 1.0.0", "demo 1.9.0", "demo 1.10.0", "demo 0.0.0"])
    let again = try CatalogPublisher(directory: site).publish(packages)
    #expect(again.allSatisfy { $0.outcome == .unchanged })
    #expect(try Self.tree(site) == tree)
    let oneByOne = fixture.directory.path("one by one")
    for package in packages.shuffled() {
      _ = try CatalogPublisher(directory: oneByOne).publish([package])
    }
    #expect(try Self.tree(oneByOne) == tree)
  }

  @Test func publicationsAtOnceLoseNothingOfEachOther() async throws {
    let names = (0..<8).map { "demo\($0)" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        let package = try fixture.package(name, stating: "1.0.0")
        group.addTask { [site] in _ = try CatalogPublisher(directory: site).publish([package]) }
      }
      try await group.waitForAll()
    }
    #expect(try index().adapters.map(\.name) == names)
    let alone = fixture.directory.path("alone")
    let packages = try names.map { try fixture.package($0, stating: "1.0.0") }
    _ = try CatalogPublisher(directory: alone).publish(packages)
    #expect(try Self.tree(alone) == Self.tree(site))
    #expect(try FileSystem.list(site).map(\.name) == FileSystem.list(alone).map(\.name))
  }

  @Test func whatAKilledPublicationLeftIsHiddenAndRemoved() throws {
    let first = try fixture.package("demo", stating: "1.0.0")
    _ = try CatalogPublisher(directory: site).publish([first])
    let tree = try Self.tree(site)
    let version = FilePath.join(site, try place())
    let leftovers = [
      FilePath.join(version, "adapter_weights.bin"), FilePath.join(version, "metadata.json"),
      FilePath.join(site, "index.json"),
    ].map(FilePath.sibling)
    let others = [FilePath.join(version, ".mine.partial"), FilePath.join(site, "notes.partial")]
    for path in leftovers + others {
      try AtomicFile.write([1], to: path)
      #expect(others.contains(path) || FilePath.name(of: path).hasPrefix("."))
    }
    _ = try CatalogPublisher(directory: site).publish([try fixture.package("other")])
    for path in leftovers { #expect(FileSystem.kind(of: path) == nil, "\(path)") }
    for path in others {
      #expect(FileSystem.kind(of: path) == .file, "\(path)")
      try FileSystem.removeTree(path)
    }
    for (path, bytes) in tree where path != "index.json" {
      #expect(try Self.tree(site)[path] == bytes)
    }
  }

  @Test func aFolderThatStaysTakenIsBusy() throws {
    let package = try fixture.package()
    try FileSystem.createDirectory(site)
    let lock = try FileLock(directory: site)
    var publisher = CatalogPublisher(directory: site)
    publisher.patience = 0
    #expect(throws: StoreError.busy(path: site)) { try publisher.publish([package]) }
    #expect(try FileSystem.list(site) == [])
    withExtendedLifetime(lock) {}
  }

  /// Only a file system without locks is a reason to go ahead without one.
  @Test func aFolderWhoseLockCannotBeAskedForIsAnError() throws {
    let missing = fixture.directory.path("missing")
    #expect(throws: FileError.system(.open, path: missing, code: ENOENT)) {
      try LockAttempt(directory: missing)
    }
    guard case .acquired(nil) = LockAttempt(path: "\(missing)/lock") else {
      Issue.record("a lock that only saves work stops somebody")
      return
    }
  }

  @Test func aFolderOfPackagesIsPublished() throws {
    let partials = fixture.directory.path("partials")
    try FileManager.default.createDirectory(atPath: partials, withIntermediateDirectories: true)
    for name in ["b", "a"] {
      try FileManager.default.moveItem(
        atPath: try fixture.package(name), toPath: "\(partials)/\(name).fmadapter")
    }
    let (elsewhere, link) = (
      fixture.directory.path("c.fmadapter"), fixture.directory.path("link.fmadapter")
    )
    try FileManager.default.moveItem(atPath: try fixture.package("c"), toPath: elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: "\(partials)/c.fmadapter", withDestinationPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere)
    let published = try CatalogPublisher(directory: site).publish([partials, link])
    #expect(published.map(\.identifier.name) == ["a", "b", "c"])
    #expect(throws: StoreError.noPackage(path: fixture.root)) {
      try CatalogPublisher(directory: site).publish([fixture.root])
    }
  }

  @Test func aBrokenPackageChangesNothing() throws {
    _ = try CatalogPublisher(directory: site).publish([try fixture.package("demo")])
    let tree = try Self.tree(site)
    let broken = try fixture.package("broken", version: 2)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(broken)/adapter_weights.bin"))
    #expect {
      try CatalogPublisher(directory: site).publish([try fixture.package("good"), broken])
    } throws: { error in
      (error as? StoreError)?.code == .refused
    }
    #expect(try Self.tree(site) == tree)
  }

  @Test func otherBytesNeedANewVersion() throws {
    _ = try CatalogPublisher(directory: site).publish([
      try fixture.package("demo", stating: "1.0.0")
    ])
    let tree = try Self.tree(site)
    let changed = try fixture.package("demo", version: 2, stating: "1.0.0")
    #expect(
      throws: StoreError.otherPublication("fmadapter-demo-0123456 1.0.0", directory: site)
    ) { try CatalogPublisher(directory: site).publish([changed]) }
    #expect(try Self.tree(site) == tree)
    var publisher = CatalogPublisher(directory: site)
    publisher.replaces = true
    #expect(try publisher.publish([changed]).map(\.outcome) == [.replaced])
    #expect(try index().adapters.map(\.files) == [files(changed)])
  }

  private func files(_ package: String) throws -> [CatalogFile] {
    try PackageCandidate(package, defaultVersion: nil).files
  }

  /// Where the files of version 1.0.0 of an adapter are, in the catalog's folder.
  private func place(of name: String = "demo", _ version: String = "1.0.0") throws -> String {
    try StoreFixture.folder(of: "\(name) \(version)", in: site)
  }

  @Test func bytesThatReplaceOthersHaveAnAddressOfTheirOwn() throws {
    var publisher = CatalogPublisher(directory: site)
    publisher.replaces = true
    let (first, second) = (
      try fixture.package("demo", stating: "1.0.0"),
      try fixture.package("demo", version: 2, stating: "1.0.0")
    )
    var places: [String] = []
    for package in [first, second, second, first] {
      let published = try publisher.publish([package])
      let place = try place()
      #expect(published.first?.path == "\(site)/\(place)")
      // Who has read the index before finds the former bytes until the next publication.
      let former = places.last
      let kept = former == nil || former == place ? [place] : [place, former ?? ""]
      let names = try kept.flatMap { folder in try files(package).map { "\(folder)/\($0.path)" } }
      #expect(try Self.tree(site).keys.sorted() == (names + ["index.json"]).sorted())
      if former != place { places.append(place) }
    }
    #expect(places.count == 3 && places[0] == places[2], "an address follows from its bytes")
    #expect(places.allSatisfy { $0.hasPrefix("fmadapter-demo-0123456/1.0.0/") })
  }

  @Test func whatAKilledReplacementLeftIsRemoved() throws {
    var publisher = CatalogPublisher(directory: site)
    publisher.replaces = true
    let first = try fixture.package("demo", stating: "1.0.0")
    let second = try fixture.package("demo", version: 2, stating: "1.0.0")
    _ = try publisher.publish([first])
    // Killed before the index: the old bytes are listed, and whole.
    let early = "\(site)/fmadapter-demo-0123456/1.0.0/\(PublishedFolder.mark(try files(second)))"
    try FileSystem.createDirectory(early)
    try AtomicFile.write([1], to: "\(early)/metadata.json")
    let tree = try Self.tree("\(site)/fmadapter-demo-0123456")
    _ = try publisher.publish([try fixture.package("other", stating: "1.0.0")])
    #expect(FileSystem.kind(of: early) == nil)
    #expect(tree.count == (try Self.tree("\(site)/fmadapter-demo-0123456")).count + 1)
    // Killed after it: the old bytes are listed no more.
    let old = "\(site)/\(try place())"
    _ = try publisher.publish([second])
    #expect(FileSystem.kind(of: old) == .directory)
    _ = try publisher.publish([second])
    #expect(FileSystem.kind(of: old) == nil)
    #expect(try Self.tree(early).count == files(second).count)
  }

  /// Earlier programs gave no folder of its own to what a version has.
  @Test func whereBytesAreListedTheyStay() throws {
    var publisher = CatalogPublisher(directory: site)
    let first = try fixture.package("demo", stating: "1.0.0")
    _ = try publisher.publish([first])
    let (place, version) = (try place(), "fmadapter-demo-0123456/1.0.0")
    for file in try files(first) {
      try FileSystem.rename("\(site)/\(place)/\(file.path)", to: "\(site)/\(version)/\(file.path)")
    }
    try FileSystem.removeTree("\(site)/\(place)")
    try fixture.directory.edit("site/index.json", place, version)
    let tree = try Self.tree(site)
    #expect(try publisher.publish([first]).map(\.outcome) == [.unchanged])
    #expect(try Self.tree(site) == tree)
    publisher.replaces = true
    let second = try fixture.package("demo", version: 2, stating: "1.0.0")
    for _ in 0..<2 { _ = try publisher.publish([second]) }
    #expect(try self.place() == "\(version)/\(PublishedFolder.mark(try files(second)))")
    #expect(try Self.tree(site).count == files(second).count + 1)
  }

  @Test func aPublicationThatFailsLeavesNothing() throws {
    _ = try CatalogPublisher(directory: site).publish([try fixture.package("demo")])
    try fixture.directory.write([1], to: "site/fmadapter-other-0123456")
    let tree = try Self.tree(site)
    let packages = try ["first", "other"].map { try fixture.package($0, stating: "1.0.0") }
    #expect {
      try CatalogPublisher(directory: site).publish(packages)
    } throws: { error in
      [.storage, .occupied].contains((error as? StoreError)?.code)
    }
    #expect(try Self.tree(site) == tree)
    #expect(FileSystem.kind(of: "\(site)/fmadapter-first-0123456") == nil)
  }

  /// Nothing else is removed then, and the folder itself stays, however its path ends.
  @Test func aFirstPublicationThatFailsLeavesItsFolder() throws {
    try fixture.directory.write([1], to: "site/fmadapter-other-0123456")
    let packages = try ["first", "other"].map { try fixture.package($0, stating: "1.0.0") }
    #expect(throws: (any Error).self) {
      try CatalogPublisher(directory: site + "/").publish(packages)
    }
    #expect(try FileSystem.list(site).compactMap(\.name.text) == ["fmadapter-other-0123456"])
    try FileSystem.removeTree("\(site)/fmadapter-other-0123456")
    try fixture.directory.write([1], to: "site/fmadapter-first-0123456")
    #expect(throws: (any Error).self) {
      try CatalogPublisher(directory: site + "/").publish([packages[0]])
    }
    #expect(FileSystem.kind(of: site) == .directory)
  }

  /// A build behind a version is another path of the same version.
  @Test func versionsThatDifferInTheirBuildReplaceEachOther() throws {
    var publisher = CatalogPublisher(directory: site)
    let package = try fixture.package("demo")
    for build in ["a", "b", "b"] {
      publisher.defaultVersion = AdapterVersion("1.0.0+\(build)")
      _ = try publisher.publish([package])
    }
    #expect(try place(of: "demo", "1.0.0+b").hasPrefix("fmadapter-demo-0123456/1.0.0+b/"))
    let names = try FileSystem.list("\(site)/fmadapter-demo-0123456").compactMap(\.name.text)
    #expect(names == ["1.0.0+b"])
  }

  @Test func twoPackagesOfOneVersionAreRefused() throws {
    let (first, second) = (
      try fixture.package("demo", version: 1), try fixture.package("demo", version: 2)
    )
    #expect {
      try CatalogPublisher(directory: site).publish([first, second])
    } throws: { error in
      let error = error as? StoreError
      return error?.code == .changedVersion && error?.subject == "fmadapter-demo-0123456 0.0.0"
        && error?.reason?.problem == "\(first) and \(second)"
    }
    #expect(try FileSystem.info(site) == nil)
    try FileSystem.removeTree(second)
    let published = try CatalogPublisher(directory: site).publish([first, first])
    #expect(published.map(\.outcome) == [.added], "one package twice is one")
  }

  @Test func theVersionOfASilentPackageCanBeGiven() throws {
    var publisher = CatalogPublisher(directory: site)
    publisher.defaultVersion = AdapterVersion("2.0.0")
    let published = try publisher.publish([
      try fixture.package("silent"), try fixture.package("stated", stating: "1.0.0"),
    ])
    #expect(published.map(\.version.description) == ["2.0.0", "1.0.0"])
  }

  @Test func unknownMembersOfTheIndexStay() throws {
    _ = try CatalogPublisher(directory: site).publish([try fixture.package("demo")])
    let path = "\(site)/index.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let edited = text.replacingOccurrences(
      of: "\"formatVersion\": 1", with: "\"contact\": \"me@a.example\",\n    \"formatVersion\": 1")
    try edited.write(toFile: path, atomically: true, encoding: .utf8)
    _ = try CatalogPublisher(directory: site).publish([try fixture.package("new")])
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("me@a.example"))
    #expect(try index().adapters.map(\.name) == ["demo", "new"])
  }

  /// A later program published it, and only that one has all of its bytes.
  @Test func whatALaterProgramPublishedStays() throws {
    let package = try fixture.package("demo")
    _ = try CatalogPublisher(directory: site).publish([package])
    try fixture.directory.edit(
      "site/index.json", "\"files\": [", "\"files\": [\(SampleCatalog.laterFile),")
    _ = try CatalogPublisher(directory: site).publish([try fixture.package("new")])
    #expect(try index().adapters.map(\.name) == ["demo", "new"])
    #expect(try index().adapters.first?.laterFiles.count == 1)
    #expect(throws: StoreError.self) { try CatalogPublisher(directory: site).publish([package]) }
  }

  @Test func somethingElseAsIndexIsLeftAlone() throws {
    let path = try fixture.directory.write("[]", to: "site/index.json")
    #expect(
      throws: StoreError.invalidCatalog(
        url: path,
        reason: "the whole file: the value is an array, not an object\(remedy: "write an object")")
    ) { try CatalogPublisher(directory: site).publish([try fixture.package("demo")]) }
    #expect(try Self.tree(site) == ["index.json": Array("[]".utf8)])
  }

  @Test func damagedFilesOfTheFolderAreMended() throws {
    let package = try fixture.package("demo")
    _ = try CatalogPublisher(directory: site).publish([package])
    let tree = try Self.tree(site)
    let place = try place(of: "demo", "0.0.0")
    try fixture.directory.write([1, 2, 3], to: "site/\(place)/adapter_weights.bin")
    _ = try CatalogPublisher(directory: site).publish([package])
    #expect(try Self.tree(site) == tree)
  }
}
