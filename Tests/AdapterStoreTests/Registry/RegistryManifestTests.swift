import Adapters
import SystemFiles
import Testing

@testable import AdapterStore

@Suite struct RegistryManifestTests {
  private static let digest = String(repeating: "0a", count: 32)

  private static func layer(
    _ title: String, digest: String = "sha256:\(digest)", size: String = "3"
  )
    -> String
  {
    #"{"mediaType": "x", "digest": "\#(digest)", "size": \#(size), "annotations": {"org.opencontainers.image.title": "\#(title)"}}"#
  }

  private static func manifest(_ layers: [String]) -> [UInt8] {
    Array(#"{"schemaVersion": 2, "layers": [\#(layers.joined(separator: ","))]}"#.utf8)
  }

  private static let both = [layer("metadata.json"), layer("adapter_weights.bin")]

  @Test func whatIsWrittenIsReadBack() throws {
    let metadata = try AdapterMetadata(
      name: "a", baseModelSignature: String(repeating: "c", count: 40), loraRank: 8,
      description: "tags\n", license: "MIT")
    let files = ["adapter_weights.bin", "metadata.json"].map {
      CatalogFile(path: $0, size: 3, sha256: Self.digest)
    }
    let manifest = RegistryManifest(
      metadata, version: .unstated, files, source: "https://example.org")
    guard case .package(let read) = try RegistryManifest.read(manifest.bytes) else {
      Issue.record("no package")
      return
    }
    #expect(read.layers == manifest.layers)
    let text = String(decoding: manifest.bytes, as: UTF8.self)
    #expect(text.contains(#""org.opencontainers.image.licenses": "MIT""#))
    #expect(text.contains(#""org.fmadapter.rank": "8""#) && text.contains(#"": "tags\n""#))
    #expect(!text.contains("image.version") && !text.contains("image.authors"))
    // The digest of the two bytes that the specification gives.
    #expect(
      text.contains("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"))
  }

  @Test(arguments: [
    ("{", "line 1"), ("[]", "no version"), (#"{"schemaVersion": 1}"#, "no version"),
    (#"{"schemaVersion": 2}"#, "no layers"),
  ])
  func whatIsNoManifestIsRefused(_ text: String, _ words: String) {
    let fault = #expect(throws: RegistryFault.self) { try RegistryManifest.read(Array(text.utf8)) }
    guard case .badManifest? = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    #expect("\(fault!)".contains(words))
  }

  @Test(arguments: [
    ([layer("metadata.json")], "no layer has the title adapter_weights.bin"),
    (
      [#"{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip"}"#],
      "it is an image of a container"
    ),
    (both + [layer("x/metadata.json")], "it has several files 'metadata.json'"),
    (both + [layer("draft.gguf", size: "-1")], "the size of 'draft.gguf' cannot be right"),
    (both + [layer("draft.gguf", size: "99999999999999999999")], "the size of 'draft.gguf'"),
    (both + [layer("draft.gguf", digest: "sha512:00")], "the digest of 'draft.gguf' is none"),
  ])
  func otherThingsAreNamed(_ layers: [String], _ words: String) {
    let fault = #expect(throws: RegistryFault.self) {
      try RegistryManifest.read(Self.manifest(layers))
    }
    #expect("\(fault!)".contains(words), "\(fault!)")
  }

  @Test func filesOfFoldersAndOthersAreFound() throws {
    let layers = [
      Self.layer("my.fmadapter/metadata.json"), Self.layer("./adapter_weights.bin"),
      Self.layer("README.md"), "3", #"{"mediaType": "x"}"#,
    ]
    guard case .package(let manifest) = try RegistryManifest.read(Self.manifest(layers)) else {
      Issue.record("no package")
      return
    }
    #expect(manifest.layers.map(\.name) == ["metadata.json", "adapter_weights.bin"])
  }

  @Test func ofAnIndexThePackagesAreTaken() throws {
    let text =
      #"{"schemaVersion": 2, "manifests": [{"digest": "sha256:\#(Self.digest)"}, {"artifactType": "other", "digest": "sha256:\#(Self.digest)"}, {"digest": "md5:1"}]}"#
    #expect(try RegistryManifest.read(Array(text.utf8)) == .index([Self.digest]))
  }
}
