import AdapterStore
import Foundation
import SystemFiles
import TestSupport
import Testing

/// What members of a group may do in a store that they share is for their umask to say.
@Suite(.waits) struct SharedStoreTests {
  @Test(arguments: [
    ("002", UInt32(0o2775), UInt32(0o664)), ("022", 0o2755, 0o644), ("077", 0o2700, 0o600),
  ])
  func theUmaskAndTheParentDecideAboutFolders(
    _ mask: String, _ folder: UInt32, _ file: UInt32
  ) throws {
    let sample = try CatalogSample()
    let root = sample.store.path("shared")
    try FileSystem.createDirectory(root)
    let script = """
      umask \(mask)
      chmod \(String(folder, radix: 8)) "$FMADAPTER_HOME"
      "$TOOL" base install "$BASE" && "$TOOL" install "$PACKAGE" && "$TOOL" publish "$SITE" "$PACKAGE" \
        && "$TOOL" catalog add "$SITE" && "$TOOL" install "$PACKAGE"
      """
    try Subprocess.run(
      "/bin/sh", ["-c", script],
      environment: [
        "TOOL": Tool.path, "FMADAPTER_HOME": root, "BASE": sample.sample.base,
        "PACKAGE": sample.sample.package, "SITE": sample.site,
      ]
    ).expectSuccess()
    func mode(_ path: String) throws -> UInt32? { try FileSystem.info("\(root)/\(path)")?.mode }
    let entry = "adapters/\(CatalogSample.identifier)"
    for place in ["adapters", "bases", "ingest", "catalogs", "catalogs.d", entry] {
      #expect(try mode(place) == folder, "\(place)")
    }
    let list = try FileSystem.list("\(root)/catalogs").map { "catalogs/\($0.name)" }
    for place in ["current"] + list { #expect(try mode(place) == file, "\(place)") }
    #expect(try mode("\(entry)/receipt.json") == file & ~0o222)
    #expect(try FileSystem.info(sample.site)?.mode == folder & ~0o2000)
  }
}
