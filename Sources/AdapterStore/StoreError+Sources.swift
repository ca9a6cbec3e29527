import Adapters
package import SystemFiles

// Servers and hubs.
extension StoreError {
  package static func network(url: String, reason: ErrorText) -> StoreError {
    StoreError(
      .network, url,
      "\(url): " + told(reason, or: "check the address and the connection, then try again"),
      reason: reason)
  }

  package static func notOnServer(url: String, status: Int) -> StoreError {
    StoreError(
      .notOnServer, url,
      "\(url): the server has nothing there (\(status))\(remedy: "check the address")")
  }

  package static func corrupted(url: String, reason: String) -> StoreError {
    StoreError(
      .corrupted, url,
      "\(url): \(reason); nothing was installed"
        + "\(remedy: "try again, and tell its publisher if it stays so")",
      reason: ErrorText(reason))
  }

  package static func badDigest(_ text: String) -> StoreError {
    StoreError(
      .badDigest, text,
      "'\(text)' is no SHA-256\(remedy: "give all of its 64 hexadecimal digits")")
  }

  /// A base of one file can be installed with a digest that its user knows; only a publisher knows those of a package.
  package static func unverified(url: String, isOneFile: Bool) -> StoreError {
    let remedy =
      isOneFile
      ? "give the SHA-256 that it has to have, or demand none"
      : "ask its publisher for a SHA256SUMS beside the files, or demand no digest"
    return StoreError(
      isOneFile ? .unverifiedFile : .unverified, url,
      "\(url): nothing vouches for these bytes, and a digest was demanded; nothing was fetched"
        + "\(remedy: remedy)")
  }

  package static func credentials(place: String, reason: ErrorText) -> StoreError {
    StoreError(
      .credentials, place, "\(place): " + told(reason, or: "correct it there"), reason: reason)
  }

  /// The page is that of the repository.
  package static func hub(_ fault: HubFault, page: String) -> StoreError {
    StoreError(.hub, page, "\(page): \(fault)", cause: fault)
  }
}

// Catalogs.
extension StoreError {
  package static func noIndex(path: String) -> StoreError {
    StoreError(
      .noIndex, path,
      "\(path): there is no such catalog\(remedy: "publish packages there, or check the path")")
  }

  package static func invalidCatalog(url: String, reason: ErrorText) -> StoreError {
    StoreError(
      .invalidCatalog, url,
      "\(url): not a catalog: " + told(reason, or: "check the address, or tell its publisher"),
      reason: reason)
  }

  package static func untrusted(_ catalog: String, _ fault: CatalogFault) -> StoreError {
    StoreError(.untrusted, catalog, "\(catalog): not believed: \(fault)", cause: fault)
  }

  package static func otherKeys(
    _ catalog: String, pinned: [String], given: [String]
  ) -> StoreError {
    StoreError(
      .otherKeys, catalog,
      "\(catalog): its keys here are \(pinned.joined(separator: ", ")), and other ones are given: "
        + "\(given.joined(separator: ", "))"
        + "\(remedy: "if its publisher says, in another way than by the catalog, that they changed, remove the catalog and add it again")",
      choices: pinned)
  }

  /// `key` is what the signature names, and `given` the key at hand.
  package static func signedCatalog(
    _ directory: String, by key: String?, given: String?
  ) -> StoreError {
    let what = given.map { "and not by the key at hand, \($0)" } ?? "and no key is at hand"
    return StoreError(
      .signedCatalog, directory,
      "\(directory): the catalog is signed by the key \(key.map { printable($0) } ?? "of an unknown name"), \(what)"
        + "\(remedy: "sign with that key; for another one take \(SignedIndex.fileName) away, and tell all readers")"
    )
  }

  package static func lock(path: String, reason: ErrorText) -> StoreError {
    StoreError(
      .lock, path,
      "\(path): no lock file: " + told(reason, or: "write it again"), reason: reason)
  }

  package static func yanked(_ name: String, version: String, reason: String) -> StoreError {
    let why = reason.isEmpty ? "" : ": \(printable(reason))"
    return StoreError(
      .yanked, name,
      "'\(name)': its publisher has withdrawn \(version)\(why)"
        + "\(remedy: "take another version, or ask its publisher")",
      choices: [version])
  }

  package static func notInFolder(path: String) -> StoreError {
    StoreError(
      .notInFolder, path,
      "\(path): this file is listed, and it is not there"
        + "\(remedy: "publish the package again, or copy the whole folder")")
  }

  package static func severalCatalogs(_ name: String, catalogs: [String]) -> StoreError {
    StoreError(
      .severalCatalogs, name,
      "several catalogs offer '\(name)': \(catalogs.joined(separator: ", "))"
        + "\(remedy: "choose one of them")",
      choices: catalogs)
  }

  package static func notInCatalogs(_ name: String, known: [String]) -> StoreError {
    StoreError(
      .notInCatalogs, name,
      missing("no catalog has an adapter '\(name)'", name, among: known, "add a catalog"),
      choices: known)
  }

  package static func noCatalog(_ name: String, known: [String]) -> StoreError {
    StoreError(
      .noCatalog, name,
      missing("no catalog '\(name)' is configured", name, among: known, "add it"),
      choices: known)
  }

  package static func changedVersion(_ name: String, reason: ErrorText) -> StoreError {
    StoreError(
      .changedVersion, name,
      "\(name): the same version exists with other bytes: \(reason)", reason: reason)
  }

  package static func changedOffer(
    _ name: String, catalog: String, version: String
  ) -> StoreError {
    StoreError(
      .changedOffer, name,
      "\(name): the same version exists with other bytes: its publisher changed what \(catalog) has as "
        + "\(version) without a new version\(remedy: "ask there before you force it")")
  }

  package static func otherPublication(_ name: String, directory: String) -> StoreError {
    StoreError(
      .otherPublication, name,
      "\(name): the same version exists with other bytes: in \(directory)"
        + "\(remedy: "publish it as a new version, or replace the old one on purpose")")
  }

  package static func olderVersion(
    _ name: String, installed: String, offered: String
  ) -> StoreError {
    StoreError(
      .olderVersion, name,
      "\(name): \(installed) is installed and the catalog's \(offered) is older"
        + "\(remedy: "to go back, name the version")",
      choices: [offered])
  }

  /// The catalog is named by its address.
  package static func catalogLost(_ address: String, _ error: StoreError) -> StoreError {
    let catalog = CatalogSource(listed: address)?.description ?? address
    let moved =
      "if the catalog \(catalog) has moved, add its new address, and take the old one away"
    return StoreError(.catalogLost, address, "\(error)\(remedy: moved)", cause: error)
  }

  package static func incompatible(_ name: String, reason: String) -> StoreError {
    StoreError(
      .incompatible, name,
      "'\(name)' does not fit the base in use: \(reason)\(remedy: "choose another base")")
  }
}
