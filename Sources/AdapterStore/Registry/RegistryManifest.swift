import Adapters
import JSON
import SystemFiles

/// The manifest of a package in a registry: an image manifest whose layers are the files, each with its name.
struct RegistryManifest: Sendable, Equatable {
  /// A file of the package.
  struct Layer: Sendable, Equatable {
    let name: String
    let size: Int
    /// 64 lowercase hexadecimal digits.
    let sha256: String
  }

  var layers: [Layer]
  var annotations: [(key: String, value: String)] = []

  static func == (left: RegistryManifest, right: RegistryManifest) -> Bool {
    left.layers == right.layers
      && left.annotations.elementsEqual(right.annotations, by: { $0 == $1 })
  }

  static let mediaType = "application/vnd.oci.image.manifest.v1+json"
  static let indexType = "application/vnd.oci.image.index.v1+json"
  /// What packages are called among other artifacts.
  static let artifactType = "application/vnd.fmadapter.package.v1"
  private static let emptyType = "application/vnd.oci.empty.v1+json"
  private static let title = "org.opencontainers.image.title"

  /// What is asked for where a manifest is: other programs write the older forms.
  static let accepted = [
    mediaType, indexType, "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
  ].joined(separator: ", ")

  /// Bytes that every registry takes, and that one may have here.
  static let limit = 4 << 20

  /// What stands in the place of a configuration, which packages have none of.
  static let empty = Array("{}".utf8)

  /// The bytes that are pushed: they follow from the package alone.
  var bytes: [UInt8] {
    func descriptor(_ type: String, _ sha256: String, _ size: Int, title: String? = nil)
      -> JSONValue
    {
      var object: JSONObject = [
        "mediaType": .string(type), "digest": .string("sha256:" + sha256),
        "size": .number(JSONNumber(size)),
      ]
      if let title { object["annotations"] = .object([Self.title: .string(title)]) }
      return .object(object)
    }
    let value: JSONObject = [
      "schemaVersion": .number(JSONNumber(2)), "mediaType": .string(Self.mediaType),
      "artifactType": .string(Self.artifactType),
      "config": descriptor(Self.emptyType, SHA256.hex(Self.empty), Self.empty.count),
      "layers": .array(
        layers.map { layer in
          descriptor(Self.type(of: layer.name), layer.sha256, layer.size, title: layer.name)
        }),
      "annotations": .object(
        JSONObject(annotations.map { JSONObject.Member(key: $0.key, value: .string($0.value)) })),
    ]
    return Array(JSONValue.object(value).line.utf8)
  }

  private static func type(of name: String) -> String {
    name.hasSuffix(".json") ? "application/json" : "application/octet-stream"
  }
}

extension RegistryManifest {
  /// The manifest of a package with `metadata`, of which `source` is where it is made, if given.
  init(
    _ metadata: AdapterMetadata, version: AdapterVersion, _ files: [CatalogFile], source: String?
  ) {
    let settings = metadata.settings
    let stated: [(String, String?)] = [
      (Self.title, metadata.adapterIdentifier.name),
      ("org.opencontainers.image.version", version == .unstated ? nil : version.description),
      ("org.opencontainers.image.description", metadata.description),
      ("org.opencontainers.image.licenses", metadata.license),
      ("org.opencontainers.image.authors", metadata.author),
      ("org.opencontainers.image.source", source),
      ("org.fmadapter.identifier", metadata.adapterIdentifier.description),
      ("org.fmadapter.base-signature", metadata.baseModelSignature),
      ("org.fmadapter.rank", String(metadata.loraRank)),
      ("org.fmadapter.alpha", JSONNumber(settings.alpha).text),
      ("org.fmadapter.architecture", settings.architecture),
    ]
    annotations = stated.compactMap { key, value in
      value.flatMap { $0.isEmpty ? nil : (key, $0) }
    }
    layers = files.map { Layer(name: $0.path, size: $0.size, sha256: $0.sha256) }
  }

  /// What a manifest may turn out to be.
  enum Reading: Sendable, Equatable {
    case package(RegistryManifest)
    /// Several manifests: the digests of those that may be packages.
    case index([String])
  }

  /// Reads what a registry gave.
  ///
  /// - Throws: `RegistryFault.badManifest`, or `.noPackage` for what has other layers than files of a package.
  static func read(_ bytes: [UInt8]) throws(RegistryFault) -> Reading {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes, limit: limit, values: 1 << 16).root
    } catch {
      throw .badManifest("line \(error.line): \(error)")
    }
    guard let object = root.object, object["schemaVersion"]?.integer == 2 else {
      throw .badManifest("it is of no version that is known here")
    }
    if let manifests = object["manifests"]?.array {
      let digests = manifests.filter { entry in
        let type = entry.object?["artifactType"]?.string
        return type == nil || type == artifactType
      }.compactMap { $0.object?["digest"]?.string.flatMap(RegistryReference.sha256) }
      return .index(digests)
    }
    guard let entries = object["layers"]?.array else { throw .badManifest("it has no layers") }
    var layers: [Layer] = []
    for entry in entries {
      guard let layer = try layer(entry) else { continue }
      guard !layers.contains(where: { $0.name == layer.name }) else {
        throw .noPackage(
          "it has several files '\(layer.name)'\(remedy: "push one package under a tag")")
      }
      layers.append(layer)
    }
    for name in PackageFile.required where !layers.contains(where: { $0.name == name }) {
      throw .noPackage(instead(object, entries, missing: name))
    }
    return .package(RegistryManifest(layers: layers))
  }

  /// The file of a package that `entry` is; nil for another file.
  private static func layer(_ entry: JSONValue) throws(RegistryFault) -> Layer? {
    guard let title = entry.object?["annotations"]?.object?[Self.title]?.string else { return nil }
    let name = FilePath.name(of: title)
    guard PackageFile.known.contains(name) else { return nil }
    guard let size = entry.object?["size"]?.integer, 0...DownloadPolicy().largestFile ~= size else {
      throw .badManifest("the size of '\(name)' cannot be right")
    }
    guard let digest = entry.object?["digest"]?.string.flatMap(RegistryReference.sha256) else {
      throw .badManifest("the digest of '\(name)' is none of SHA-256")
    }
    return Layer(name: name, size: size, sha256: digest)
  }

  private static func instead(
    _ object: JSONObject, _ entries: [JSONValue], missing name: String
  ) -> ErrorText {
    let types = entries.compactMap { $0.object?["mediaType"]?.string }
    let hasTitles = entries.contains {
      $0.object?["annotations"]?.object?[title]?.string != nil
    }
    if !hasTitles, types.contains(where: { $0.contains("image.") && $0.contains("tar") }) {
      return "it is an image of a container\(remedy: "check the name")"
    }
    return
      "no layer has the title \(name)\(remedy: "push the files of the package themselves, each as one layer")"
  }
}
