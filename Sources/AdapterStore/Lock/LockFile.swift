package import Adapters
import JSON
import SystemFiles

/// What an application needs, to the byte: adapters with their versions, their files and the places that they come from.
///
/// It is JSON: `formatVersion` 1, and `adapters` as in a catalog's index, but that each `url` is whole, and may be a path or an address
/// of a registry, and that `catalog` is the address of the catalog that the adapter belongs to.
package struct LockFile: Sendable, Equatable {
  /// The adapters by identifier; no two have the same.
  package let adapters: [LockedAdapter]

  /// Bytes that a file may have.
  package static let sizeLimit = 8 << 20
}

/// One version of an adapter in a lock file.
package struct LockedAdapter: Sendable, Equatable {
  /// What it is; its `url` is the folder with its files, an address of a registry, or a path.
  let adapter: CatalogAdapter
  /// Address of the catalog that alone it may come from; nil where it was in none.
  package let catalog: String?

  /// Its name in a store.
  package var identifier: AdapterIdentifier { adapter.identifier }
  /// Its version.
  package var version: AdapterVersion { adapter.version }
  /// Signature of the base that it is for.
  package var baseModelSignature: String { adapter.baseModelSignature }
  /// Where its files are: an address, or a path on the machine that wrote the lock file.
  package var source: String { adapter.url }
}

extension LockFile {
  /// Parses the bytes of the file at `path`.
  ///
  /// - Throws: `StoreError.lock` with the place and what to do.
  package init(parsing bytes: [UInt8], path: String) throws(StoreError) {
    do throws(CatalogDefect) {
      let top = CatalogNode(root: try Catalog.document(bytes))
      let version = try top.member("formatVersion")
      guard try version.integer == 1 else {
        throw version.defect("it is not known here\(remedy: "use a newer fmadapter")")
      }
      adapters = try top.member("adapters").elements.map { node throws(CatalogDefect) in
        LockedAdapter(
          adapter: try CatalogAdapter(node, at: Self.source),
          catalog: try node.optional("catalog")?.text)
      }
      try Self.check(adapters)
    } catch {
      throw .lock(path: path, reason: error.sentence)
    }
  }

  /// Where files are, which is said whole.
  private static func source(_ node: CatalogNode) throws(CatalogDefect) -> String {
    let text = try node.text
    if text.hasPrefix("/") || RegistryReference.isReference(text) { return text }
    do throws(CatalogAddress.Refusal) {
      guard CatalogAddress.scheme(of: text) != nil else {
        throw CatalogAddress.Refusal(
          reason: "the address is not whole\(remedy: "write https://host/path/")")
      }
      return try CatalogAddress.folder(text, relativeTo: text)
    } catch {
      throw node.defect(error.reason)
    }
  }

  /// Refuses two of one identifier, and one name that belongs to two catalogs: one of them could take it over.
  private static func check(_ adapters: [LockedAdapter]) throws(CatalogDefect) {
    var catalogs: [String: String?] = [:]
    var identifiers: Set<AdapterIdentifier> = []
    for (index, entry) in adapters.enumerated() {
      let (place, name) = ("adapters[\(index)]", entry.identifier.name)
      guard identifiers.insert(entry.identifier).inserted else {
        throw CatalogDefect(
          place: place,
          reason: "\(entry.identifier) is there twice\(remedy: "only one may stay")")
      }
      guard catalogs.updateValue(entry.catalog, forKey: name) ?? entry.catalog == entry.catalog
      else {
        throw CatalogDefect(
          place: place,
          reason: "the name '\(name)' belongs to another catalog above"
            + "\(remedy: "one name has to come from one catalog")")
      }
    }
  }

  /// The file's text: keys sorted, nothing of the time.
  package var text: String {
    let object: JSONObject = [
      "formatVersion": .number(JSONNumber(1)), "adapters": .array(adapters.map(\.json)),
    ]
    return JSONValue.object(object).text + "\n"
  }
}

extension LockedAdapter {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "identifier": .string(identifier.description), "name": .string(identifier.name),
      "version": .string(version.description),
      "baseModelSignature": .string(baseModelSignature), "url": .string(source),
      "files": .array(adapter.files.map(\.json)),
    ]
    object["catalog"] = catalog.map(JSONValue.string)
    return .object(object)
  }
}
