import FoundationEssentials
import JSON
package import SystemFiles

extension PackageSignature {
  /// The bundle that signs the package at `path` with `key`, as that of a folder `name`, or of its own: one line of JSON.
  ///
  /// - Throws: `AdapterError.refused` for a package that breaks a rule, or has anything in it that installation would leave
  ///   out, as nobody could verify it afterwards; `.notFound` or `.file`.
  package static func bundle(
    signing path: String, named name: String? = nil, with key: PrivateKey
  ) throws(AdapterError) -> [UInt8] {
    let report = try AdapterCheck.run(package: path, depth: .usability)
    let kept = report.findings.filter { $0.severity == .error && !$0.rule.hasPrefix("signature.") }
    guard kept.isEmpty, let folder = try PackageFolder(listing: path) else {
      throw .refused(CheckReport(package: path, findings: kept))
    }
    let strays = report.findings.filter { $0.rule == "package.extra" && !isIgnored($0.place.file) }
    guard strays.isEmpty else {
      throw .refused(CheckReport(package: path, findings: strays.map(\.asError)))
    }
    let names = PackageFile.known.filter { $0 != PackageFile.signature && folder.hasFile($0) }
    let resources = try filing { () throws(FileError) in
      try names.sorted().map { name throws(FileError) in
        Resource(name: name, digest: try SHA256.hex(ofFile: folder.path(of: name)))
      }
    }
    return bundle(named: name ?? folder.name, resources, key)
  }

  private static func isIgnored(_ name: String) -> Bool { ignoredByTool.contains(name) }

  /// What the reference tool leaves out.
  private static let ignoredByTool = [".git", ".gitattributes", ".github", ".gitignore"]

  private static func bundle(
    named name: String, _ resources: [Resource], _ key: PrivateKey
  ) -> [UInt8] {
    let envelope = SignedEnvelope(
      signing: Array(statement(name, resources).line.utf8), of: payloadType, with: key, keyName: "")
    let bundle: JSONObject = [
      "mediaType": .string(mediaType),
      "verificationMaterial": .object([
        "publicKey": .object(["hint": .string(key.publicKey.fingerprint)]),
        "tlogEntries": .array([]),
      ]),
      "dsseEnvelope": envelope.json,
    ]
    return Array((JSONValue.object(bundle).line + "\n").utf8)
  }

  private static func statement(_ name: String, _ resources: [Resource]) -> JSONValue {
    .object([
      "_type": .string("https://in-toto.io/Statement/v1"),
      "subject": .array([
        .object([
          "name": .string(name), "digest": .object(["sha256": .string(root(resources))]),
        ])
      ]),
      "predicateType": .string(predicateType),
      "predicate": .object([
        "serialization": .object([
          "method": .string("files"), "hash_type": .string("sha256"),
          "allow_symlinks": .bool(false),
          "ignore_paths": .array(
            ([PackageFile.signature] + ignoredByTool).map(JSONValue.string)),
        ]),
        "resources": .array(
          resources.map {
            .object([
              "name": .string($0.name), "algorithm": .string("sha256"),
              "digest": .string($0.digest),
            ])
          }),
      ]),
    ])
  }
}

extension Finding {
  fileprivate var asError: Finding {
    Finding(
      rule, .error, .package, at: place, message,
      remedy: "Remove it before signing; it is neither installed nor published.")
  }
}
