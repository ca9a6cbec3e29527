import AdapterStore
import Foundation
import SystemFiles
import TestSupport
import Testing

/// What the program meets in stores, disks and servers that is nobody's fault, and how it ends then.
@Suite(.waits) struct StoreFaultTests {
  @Test(.disabled(if: Namespace.isMissing)) func withoutProcNothingIsReadAsNothing() throws {
    let script = "mount -t tmpfs -o ro tmpfs /proc || exit 99; \"$TOOL\" list"
    try Namespace.run(script, environment: [:]).expectStatus(
      8,
      error: "the words of the command line cannot be read; "
        + "mount /proc where this is run")
  }

  @Test(.disabled(if: Namespace.isMissing)) func aRepairOnAFullDiskIsAboutTheDisk() throws {
    let store = try FaultStore()
    try FileManager.default.createDirectory(
      atPath: store.folder.path("place"), withIntermediateDirectories: false)
    let script = """
      mount -t tmpfs -o size=1m tmpfs "$PLACE" || exit 99
      export FMADAPTER_HOME="$PLACE/store"
      "$TOOL" install "$FIRST" > /dev/null 2>&1
      file="$FMADAPTER_HOME/adapters/$NAME/package.fmadapter/adapter_weights.bin"
      chmod u+w "$file"; printf x | dd of="$file" conv=notrunc 2> /dev/null
      cat /dev/zero > "$PLACE/filler" 2> /dev/null
      for words in "verify --repair" "doctor --fix"; do
        "$TOOL" $words > "$LOG" 2>&1; echo "$?" $(grep -c 'No space left' "$LOG")
      done
      rm "$PLACE/filler"
      "$TOOL" verify --repair > /dev/null 2>&1; echo "$?"
      """
    let result = try Namespace.run(
      script,
      environment: [
        "PLACE": store.folder.path("place"), "LOG": store.folder.path("log"),
        "NAME": FaultStore.identifier, "FIRST": store.versions[0].path,
      ])
    let lines = result.text.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.map(\.first) == ["8", "8", "0"], "\(result.text) \(result.errorText)")
    #expect(lines.first?.last != "0")
  }

  @Test(
    .disabled(if: Namespace.isMissing),
    arguments: [
      "adapters/\(FaultStore.identifier)", "adapters/\(FaultStore.identifier)/package.fmadapter",
    ])
  func anEntryThatMayNotBeReadStopsNoOther(_ place: String) throws {
    let store = try FaultStore()
    try store.run("install", store.versions[0].path).expectSuccess()
    try store.plant(9 << 20)
    let weights =
      "\(store.root)/adapters/fmadapter-large-0123456/package.fmadapter/adapter_weights.bin"
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: weights))
    try handle.write(contentsOf: Data([1]))
    try handle.close()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: "\(store.root)/\(place)")
    // A user who may do no more than the owner may.
    func run(_ words: String...) throws -> ProcessResult {
      try Subprocess.run(
        "/usr/bin/unshare", ["-U", Tool.path] + words, environment: store.environment)
    }
    let verify = try run("verify")
    let lines = verify.text.split(separator: "\n")
    verify.expectStatus(5)
    #expect(lines.count == 4 && lines[0].hasPrefix("damaged  fmadapter-large-0123456  "))
    #expect(lines[2].hasPrefix("unread   \(FaultStore.identifier)  "))
    #expect(lines[3].contains("this user may not read it (Permission denied)"))
    let usage = try run("df")
    #expect(usage.status == 0 && usage.text.contains("not all of it readable"), "\(usage)")
    let repair = try run("verify", "--repair")
    #expect(repair.status == 8 && repair.errorText.contains("repairing fmadapter-large-0123456"))
    #expect(repair.errorText.contains("Permission denied; check the permissions"))
    let fix = try run("doctor", "--fix")
    #expect(fix.text.contains("fixed    entry.permissions  \(store.root)/\(place)\n"))
    try run("verify", FaultStore.identifier).expectSuccess()
  }

  /// What another user keeps for themselves is not damaged.
  @Test(
    .disabled(if: Namespace.isMissing), arguments: [CompiledBase.fileName, CompiledBase.tilesName])
  func whatIsCompiledAndMayNotBeReadIsNotDamaged(_ file: String) throws {
    let store = try FaultStore()
    let (folder, tiles) = ("\(store.root)/compiled/key", Array("tiles".utf8))
    try store.folder.write(tiles, to: "store/compiled/key/tiles.bin")
    try CompiledBase(
      modelSHA256: SHA256.hex(tiles), baseSignature: String(repeating: "0", count: 40),
      processor: "plain", size: tiles.count, tilesSHA256: SHA256.hex(tiles), created: .now
    ).write(to: "\(folder)/\(CompiledBase.fileName)")
    try store.run("verify").expectSuccess()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: "\(folder)/\(file)")
    func run(_ words: String...) throws -> ProcessResult {
      try Subprocess.run(
        "/usr/bin/unshare", ["-U", Tool.path] + words, environment: store.environment)
    }
    let verify = try run("verify").expectStatus(8)
    #expect(verify.text.hasPrefix("unread   key  "), "\(verify.text)")
    #expect(verify.text.contains("\(file): this user may not read it (Permission denied)"))
    let fix = try run("doctor", "--fix")
    #expect(fix.text.contains("fixed    entry.permissions  \(folder)/\(file)\n"), "\(fix.text)")
    try run("verify").expectSuccess()
  }

  @Test func aCatalogOverTheLimitIsInvalidWhereverItIs() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      [UInt8](repeating: 0x20, count: (8 << 20) + 1), to: "site/index.json")
    let server = try FaultServer(root: folder.path("site"))
    let places = [
      path, folder.path("site"), server.url("plain", file: "index.json"),
      server.url("chunked", file: "index.json"),
    ]
    for place in places {
      let result = try Tool.run("catalog", "add", place).expectStatus(4)
      #expect(
        ["8.4 MB", "8,388,608"].contains(where: result.errorText.contains), "\(result.errorText)")
    }
  }

  @Test func anAddressOfIPv6IsAnAddress() throws {
    let catalog = try CatalogSample()
    let server = try FaultServer(root: catalog.store.path, host: "::1")
    try catalog.run("base", "install", server.url("plain", file: "sample.gguf")).expectSuccess()
    try catalog.run("install", server.url("plain", file: "echo.fmadapter/")).expectSuccess()
    try catalog.run("remove", "echo").expectSuccess()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    // The index leads to the same server by its whole address.
    let index = "\(catalog.site)/index.json"
    let marker = "\"url\": \""
    try String(contentsOfFile: index, encoding: .utf8)
      .replacing(marker, with: marker + "\(server.origin)/plain/site/")
      .write(toFile: index, atomically: true, encoding: .utf8)
    let address = "\(server.origin)/plain/site/"
    try catalog.run("catalog", "add", address).expectSuccess()
    try catalog.run("install", "echo").expectSuccess()
    try catalog.run("verify").expectSuccess()
    try catalog.run("catalog", "remove", address).expectSuccess()
  }
}
