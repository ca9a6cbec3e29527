import Adapters
import JSON
import SystemFiles

extension Catalog {
  /// Parses the bytes of a catalog that came from `url`, or says which rule it breaks first.
  ///
  /// Keys that are unknown here are passed over.
  ///
  /// - Throws: `StoreError.invalidCatalog` with the place and what its publisher has to do.
  init(parsing bytes: [UInt8], url: String) throws(StoreError) {
    do throws(CatalogDefect) {
      let top = CatalogNode(root: try Self.document(bytes))
      let version = try top.member("formatVersion").integer
      guard version == 1 else {
        throw try top.member("formatVersion").defect(
          "version \(version) is not known here\(remedy: "use a newer fmadapter")")
      }
      let adapters = try top.member("adapters").elements.map { node throws(CatalogDefect) in
        try CatalogAdapter(node) { place throws(CatalogDefect) in
          try place.folder(relativeTo: url)
        }
      }
      try Self.checkVersions(adapters)
      self.url = url
      self.adapters = adapters
      issue = try CatalogIssue(top)
    } catch {
      throw .invalidCatalog(url: url, reason: error.sentence)
    }
  }

  static func document(_ bytes: [UInt8]) throws(CatalogDefect) -> JSONDocument {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes, limit: sizeLimit)
    } catch {
      throw CatalogDefect(
        place: "line \(error.line), byte \(Figures.grouped(error.offset))", reason: "\(error)")
    }
    if let duplicate = document.duplicates.first {
      throw CatalogDefect(
        place: "\(duplicate.path), line \(duplicate.line)",
        reason: "the key stands there twice\(remedy: "only one may stay")")
    }
    return document
  }

  private static func checkVersions(_ adapters: [CatalogAdapter]) throws(CatalogDefect) {
    struct Key: Hashable {
      let identifier: AdapterIdentifier
      let version: AdapterVersion
    }
    var seen: Set<Key> = []
    for (index, adapter) in adapters.enumerated() {
      let key = Key(identifier: adapter.identifier, version: adapter.version)
      guard seen.insert(key).inserted else {
        throw CatalogDefect(
          place: "adapters[\(index)]",
          reason: "\(adapter.identifier) \(adapter.version) is listed twice"
            + "\(remedy: "only one may stay")")
      }
    }
  }
}

extension CatalogAdapter {
  /// Reads an entry; `folder` says where the files are, of what stands as its `url`.
  init(
    _ node: CatalogNode, at folder: (CatalogNode) throws(CatalogDefect) -> String
  ) throws(CatalogDefect) {
    identifier = try node.member("identifier").identifier
    baseModelSignature = try node.member("baseModelSignature").signature(of: identifier)
    let name = try node.member("name")
    guard try name.text.utf8.elementsEqual(identifier.name.utf8) else {
      throw name.defect(
        "the name is not the one in the identifier"
          + "\(remedy: "write '\(identifier.name)'")")
    }
    version = try node.member("version").version
    description = try node.optional("description")?.text
    license = try node.optional("license")?.text
    yanked = try node.optional("yanked")?.withdrawal
    url = try folder(try node.member("url"))
    let listed = try node.member("files").packageFiles
    files = listed.filter { PackageFile.known.contains($0.path) }
    laterFiles = listed.filter { !PackageFile.known.contains($0.path) }
  }
}

extension CatalogNode {
  /// A reason, or that there is one; nil for false.
  fileprivate var withdrawal: String? {
    get throws(CatalogDefect) {
      if case .bool(let flag) = value { return flag ? "" : nil }
      guard value.string != nil else {
        throw defect("neither true or false nor a reason\(remedy: "write true, or a text")")
      }
      return try text
    }
  }

  fileprivate var identifier: AdapterIdentifier {
    get throws(CatalogDefect) {
      guard let identifier = try? AdapterIdentifier(try text) else {
        throw defect(
          "not an identifier"
            + "\(remedy: "write fmadapter-<name>-<first 7 digits of the signature>")")
      }
      return identifier
    }
  }

  fileprivate func signature(of identifier: AdapterIdentifier) throws(CatalogDefect) -> String {
    let text = try text
    guard isSignature(text) else {
      throw defect("not a signature\(remedy: "write 40 lowercase hexadecimal digits")")
    }
    guard text.hasPrefix(identifier.signaturePrefix) else {
      throw defect(
        "the signature does not start with the identifier's \(identifier.signaturePrefix)"
          + "\(remedy: "publish the package again")")
    }
    return text
  }

  fileprivate var version: AdapterVersion {
    get throws(CatalogDefect) {
      guard let version = AdapterVersion(try text) else {
        throw defect("not a semantic version\(remedy: "write three numbers, such as 1.0.0")")
      }
      return version
    }
  }

  fileprivate func folder(relativeTo catalog: String) throws(CatalogDefect) -> String {
    let text = try text
    do throws(CatalogAddress.Refusal) {
      return try CatalogAddress.folder(text, relativeTo: catalog)
    } catch {
      throw defect(error.reason)
    }
  }

  fileprivate var packageFiles: [CatalogFile] {
    get throws(CatalogDefect) {
      var files: [CatalogFile] = []
      var (paths, total): (Set<String>, Int) = ([], 0)
      for node in try elements {
        let file = try node.packageFile
        guard paths.insert(file.path).inserted else {
          throw node.defect("'\(file.path)' is listed twice\(remedy: "only one may stay")")
        }
        files.append(file)
        total += file.size
      }
      guard total < Self.sizeLimit else {
        throw defect("the files have \(Figures.bytes(total)) together; less than 2^40 are allowed")
      }
      for name in PackageFile.required where !paths.contains(name) {
        throw defect("'\(name)' is missing; no package is without it")
      }
      return files
    }
  }

  private var packageFile: CatalogFile {
    get throws(CatalogDefect) {
      let path = try member("path")
      let name = try path.text
      // An adapter with a file that is not known here keeps nobody from it, or from all others.
      guard PackageFile.known.contains(name) || Self.couldBeFile(name) else {
        throw path.defect(
          "not a file of a package; there are: \(PackageFile.known.joined(separator: ", "))")
      }
      let size = try member("size")
      guard (0..<Self.sizeLimit).contains(try size.integer) else {
        throw size.defect("not a number of bytes\(remedy: "write one from 0 to 2^40 - 1")")
      }
      let digest = try member("sha256")
      guard isSHA256(try digest.text) else {
        throw digest.defect("not a digest\(remedy: "write 64 lowercase hexadecimal digits")")
      }
      return CatalogFile(path: name, size: try size.integer, sha256: try digest.text)
    }
  }

  /// Whether a later format may have a file of that name: words with dots between them, and nothing that leads elsewhere.
  private static func couldBeFile(_ name: String) -> Bool {
    let words = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return name.utf8.count <= 64 && words.count > 1
      && words.allSatisfy { word in
        !word.isEmpty
          && word.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
      }
  }

  /// Bytes of an adapter; as many sizes below it as a catalog has room for cannot overflow a sum.
  private static let sizeLimit = 1 << 40
}
