import FoundationEssentials
import SystemFiles

/// Where a catalog is: on a server, in a registry, or in a folder of this machine.
public struct CatalogSource: Sendable, Hashable {
  /// Absolute address of its `index.json`, by `https:`, `http:` or `file:`; of a registry, `oci://HOST/REPO[:TAG]`.
  package let address: String

  /// Takes `address` as it stands in the store's list; nil when it is none of the kinds above.
  package init?(listed address: String) {
    switch CatalogAddress.scheme(of: address) {
    case "file":
      guard Self.path(ofFile: address) != nil else { return nil }
    case "http", "https":
      guard Self.isPlain(address) else { return nil }
    case "oci":
      guard (try? RegistryReference(address)) != nil else { return nil }
    default: return nil
    }
    self.address = address
  }

  /// The catalog that a user means by `text`: an address or a path, of the folder or of its `index.json`.
  ///
  /// Relative paths start at `directory`.
  ///
  /// - Throws: `StoreError.invalidCatalog` for other schemes, and for addresses with a password, query or fragment; `.registry`.
  public init(_ text: String, directory: String) throws(StoreError) {
    let path: String
    switch CatalogAddress.scheme(of: text) {
    case "http", "https":
      guard WebAddress.shown(text) == text else {
        throw .invalidCatalog(
          url: WebAddress.shown(text),
          reason: "the address has a credential in it, which is not kept"
            + "\(remedy: "put the token, or USER:PASSWORD, into fmadapter/tokens in $XDG_CONFIG_HOME, else ~/.config, and write https://host/path/")"
        )
      }
      guard Self.isPlain(text) else {
        throw .invalidCatalog(
          url: WebAddress.shown(text),
          reason: "the address needs a host, and no user, query, fragment or space"
            + "\(remedy: "write https://host/path/")")
      }
      address = Self.index(of: text)
      return
    case "oci":
      address = try RegistryReference(text).description
      return
    case "file":
      guard let local = Self.path(ofFile: text) else {
        throw .invalidCatalog(
          url: text, reason: "the address has no absolute path\(remedy: "write file:///path/")")
      }
      path = local
    case let scheme? where text.hasPrefix("\(scheme)://"):
      throw .invalidCatalog(
        url: text,
        reason: "catalogs are read by https, by http, from a registry (oci://), or from a folder")
    default:
      path = text.hasPrefix("/") ? text : FilePath.join(directory, text)
    }
    address = "file://" + Self.index(ofFolder: path).percentEncoded
  }

  /// Path of the file on this machine; nil for a catalog on a server.
  package var path: String? { Self.path(ofFile: address) }
}

extension CatalogSource {
  /// Whether it is in a registry, where files are found by their names in a manifest.
  var isInRegistry: Bool { RegistryReference.isReference(address) }

  /// SHA-256 of the address: what the store names its files about this catalog after.
  var digest: String { SHA256.hex(TensorBytes(Array(address.utf8))) }
}

extension CatalogSource: CustomStringConvertible {
  /// The path, or else the address.
  public var description: String { path ?? address }
}

extension CatalogSource {
  private static func path(ofFile address: String) -> String? {
    guard let scheme = CatalogAddress.scheme(of: address), scheme == "file" else { return nil }
    let rest = address.dropFirst("file://".count)
    guard address.dropFirst("file:".count).hasPrefix("///"),
      let path = rest.percentDecoded, !path.utf8.contains(0)
    else { return nil }
    return path
  }

  private static func isPlain(_ address: String) -> Bool {
    guard let end = address.firstRange(of: "://")?.upperBound, address.utf8.count <= 2048 else {
      return false
    }
    let authority = address[end...].prefix { $0 != "/" }
    return !authority.isEmpty && !authority.contains("@")
      && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"?#\\\"<>".utf8.contains($0) }
  }

  private static func index(of address: String) -> String {
    // A host alone has no slash after it.
    let path = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last
    if path?.contains("/") == true && address.hasSuffix(".json") { return address }
    return FilePath.join(address, Catalog.fileName)
  }

  private static func index(ofFolder path: String) -> String {
    let whole = URL(fileURLWithPath: path).standardizedFileURL.path
    let isFolder = (try? FileSystem.info(whole))?.kind == .directory
    return whole.hasSuffix(".json") && !isFolder ? whole : FilePath.join(whole, Catalog.fileName)
  }
}
