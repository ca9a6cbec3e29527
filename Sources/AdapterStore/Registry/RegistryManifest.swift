import Adapters
import JSON
import SystemFiles

/// The manifest of an artifact in a registry, such as a package: an image manifest whose layers are the files, each with its name.
struct RegistryManifest: Sendable, Equatable {
  /// A file of the artifact.
  struct Layer: Sendable, Equatable {
    /// Its title: the path within the artifact.
    let name: String
    let size: Int
    /// 64 lowercase hexadecimal digits.
    let sha256: String
  }

  /// What a manifest is about, or a list has: the digest and bytes of a manifest.
  struct Subject: Sendable, Equatable {
    let sha256: String
    let size: Int

    init(_ manifest: RegistryManifest) {
      let bytes = manifest.bytes
      (sha256, size) = (SHA256.hex(bytes), bytes.count)
    }
  }

  var type = artifactType
  var layers: [Layer]
  /// What it is about, where it is a signature.
  var subject: Subject?
  var annotations: [(key: String, value: String)] = []

  static func == (left: RegistryManifest, right: RegistryManifest) -> Bool {
    left.type == right.type && left.layers == right.layers && left.subject == right.subject
      && left.annotations.elementsEqual(right.annotations, by: { $0 == $1 })
  }

  static let mediaType = "application/vnd.oci.image.manifest.v1+json"
  static let indexType = "application/vnd.oci.image.index.v1+json"
  /// What packages are called among other artifacts.
  static let artifactType = "application/vnd.fmadapter.package.v1"
  /// What catalogs are called among other artifacts.
  static let catalogType = "application/vnd.fmadapter.catalog.v1"
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

  /// The bytes that are pushed: they follow from what it has alone.
  var bytes: [UInt8] {
    var value: JSONObject = [
      "schemaVersion": .number(JSONNumber(2)), "mediaType": .string(Self.mediaType),
      "artifactType": .string(type),
      "config": .object(
        Self.descriptor(Self.emptyType, SHA256.hex(Self.empty), Self.empty.count)),
      "layers": .array(
        layers.map { layer in
          let type = subject == nil ? Self.type(of: layer.name) : self.type
          var object = Self.descriptor(type, layer.sha256, layer.size)
          object["annotations"] = .object([Self.title: .string(layer.name)])
          return .object(object)
        }),
    ]
    if let subject {
      value["subject"] = .object(Self.descriptor(Self.mediaType, subject.sha256, subject.size))
    }
    value["annotations"] = .object(
      JSONObject(annotations.map { JSONObject.Member(key: $0.key, value: .string($0.value)) }))
    return Array(JSONValue.object(value).line.utf8)
  }

  static func descriptor(_ type: String, _ sha256: String, _ size: Int) -> JSONObject {
    [
      "mediaType": .string(type), "digest": .string("sha256:" + sha256),
      "size": .number(JSONNumber(size)),
    ]
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
    /// A catalog, with all of its files.
    case catalog([Layer])
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
    let all = try files(entries)
    if object["artifactType"]?.string == catalogType
      || all.contains(where: { $0.name == Catalog.fileName })
    {
      return .catalog(all)
    }
    var layers: [Layer] = []
    for file in all where PackageFile.known.contains(FilePath.name(of: file.name)) {
      let name = FilePath.name(of: file.name)
      guard !layers.contains(where: { $0.name == name }) else {
        throw .noPackage(
          "it has several files '\(name)'\(remedy: "push one package under a tag")")
      }
      layers.append(Layer(name: name, size: file.size, sha256: file.sha256))
    }
    for name in PackageFile.required where !layers.contains(where: { $0.name == name }) {
      throw .noPackage(instead(object, entries, missing: name))
    }
    return .package(RegistryManifest(layers: layers))
  }

  /// The layers of `entries` that have a title.
  private static func files(_ entries: [JSONValue]) throws(RegistryFault) -> [Layer] {
    var files: [Layer] = []
    for entry in entries {
      guard let name = entry.object?["annotations"]?.object?[Self.title]?.string else { continue }
      guard let size = entry.object?["size"]?.integer, 0...DownloadPolicy().largestFile ~= size
      else { throw .badManifest("the size of '\(name)' cannot be right") }
      guard let digest = entry.object?["digest"]?.string.flatMap(RegistryReference.sha256) else {
        throw .badManifest("the digest of '\(name)' is none of SHA-256")
      }
      files.append(Layer(name: name, size: size, sha256: digest))
    }
    return files
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
