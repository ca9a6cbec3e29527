import Adapters
import FoundationEssentials
public import SystemFiles

extension StoreError: ExplainedError {
  /// What is wrong, where, and what to do; credentials in addresses are masked.
  public var text: ErrorText { plain.map { WebAddress.shown(in: $0) } }

  private var plain: ErrorText {
    switch self {
    case .noHome:
      "there is no place for the store"
        + "\(remedy: "set FMADAPTER_HOME or HOME to an absolute path")"
    case .noStore(let path, let reason):
      "\(path): no store can be there: "
        + StoreError.told(reason, or: "set FMADAPTER_HOME to another place")
    case .noAdapter(let name, let known):
      StoreError.missing(
        "no adapter '\(name)' is installed", name, among: known,
        called: { (try? AdapterIdentifier($0))?.name ?? InstalledBase.name(inTitle: $0) },
        "install one")
    case .noBase(let name, let known):
      StoreError.missing(
        "no base '\(name)' is installed", name, among: known, called: InstalledBase.name(inTitle:),
        "install one")
    case .noCurrentBase(installed: 0):
      "no base is installed\(remedy: "install one")"
    case .noCurrentBase(let installed):
      "\(installed) bases are installed and none is chosen"
        + "\(remedy: "choose one")"
    case .ambiguous(let name, let candidates):
      "'\(name)' fits several\(remedy: "give one of: \(candidates.joined(separator: ", "))")"
    case .refused(let report):
      "\(report)"
    case .noSource(let path):
      "\(path): there is nothing to install"
        + "\(remedy: "give the path of a package folder or of a base")"
    case .noPackage(let path):
      "\(path): there is no package to publish"
        + "\(remedy: "give the path of a package folder, or of a folder with packages")"
    case .invalidBase(let path, let reason):
      "\(path): not a base that can be run: "
        + StoreError.told(reason, or: "give another one")
    case .damaged(let path, let reason):
      "\(path): \(reason)\(remedy: "install it again")"
    case .newer(let path, let format):
      "\(path): " + NewerReceipt.text(format)
    case .occupied(let path):
      "\(path): something that is not the store's is in the way\(remedy: "move it elsewhere")"
    case .busy(let path):
      "\(path): other processes keep changing it\(remedy: "try again when they are done")"
    case .storage(let error):
      StoreError.remedy(error).map { "\(error)\(remedy: $0)" } ?? "\(error)"
    case .noRoom(let url, let needed, let free, let path):
      "\(url): the file has \(Figures.size(needed)), and \(Figures.size(free)) are free in \(path)"
        + "\(remedy: "free some space, then try again")"
    case .network(let url, let reason):
      "\(url): "
        + StoreError.told(reason, or: "check the address and the connection, then try again")
    case .notOnServer(let url, let status):
      "\(url): the server has nothing there (\(status))\(remedy: "check the address")"
    case .notInFolder(let path):
      "\(path): the catalog lists this file, and it is not there"
        + "\(remedy: "publish the package again, or copy the whole folder")"
    case .corrupted(let url, let reason):
      "\(url): \(reason); nothing was installed"
        + "\(remedy: "try again, and tell its publisher if it stays so")"
    case .unverified(let url, let isOneFile):
      "\(url): nothing vouches for these bytes, and a digest was demanded; nothing was fetched"
        + StoreError.proof(isOneFile)
    case .changedBytes(let url, let file, let installed, let offered):
      "\(url): \(file) is not what was installed from there: it has SHA-256 \(offered) now, and had "
        + "\(installed)"
        + "\(remedy: "find out which is right; the new one has to be taken on purpose")"
    case .otherBase(let signature, let installed, let offered, let isClaim):
      "\(installed) is installed as the base \(signature), and \(offered) would take its place"
        + "\(isClaim ? "; that it is of the same source is no more than its claim" : "")"
        + "\(remedy: "replace the one by the other on purpose, or keep it")"
    case .badDigest(let text):
      "'\(text)' is no SHA-256\(remedy: "give all of its 64 hexadecimal digits")"
    case .olderPackage(let name, let installed, let offered):
      "\(name): \(installed) is installed and the package's \(offered) is older"
        + "\(remedy: "go back on purpose, or keep it")"
    case .severalCatalogs(let name, let catalogs):
      "several catalogs offer '\(name)': \(catalogs.joined(separator: ", "))"
        + "\(remedy: "choose one of them")"
    case .notInCatalogs(let name, let known):
      StoreError.missing(
        "no catalog has an adapter '\(name)'", name, among: known,
        "add a catalog")
    case .noCatalog(let name, let known):
      StoreError.missing(
        "no catalog '\(name)' is configured", name, among: known,
        "add it")
    case .changedVersion(let name, let reason):
      "\(name): the same version exists with other bytes: \(reason)"
    case .changedOffer(let name, let catalog, let version):
      "\(name): the same version exists with other bytes: its publisher changed what \(catalog) has as "
        + "\(version) without a new version\(remedy: "ask there before you force it")"
    case .otherPublication(let name, let directory):
      "\(name): the same version exists with other bytes: in \(directory)"
        + "\(remedy: "publish it as a new version, or replace the old one on purpose")"
    case .olderVersion(let name, let installed, let offered):
      "\(name): \(installed) is installed and the catalog's \(offered) is older"
        + "\(remedy: "to go back, name the version")"
    case .unknownVersion(let name, let path):
      "\(name): what is installed cannot be read, so nothing tells whether it is newer: \(path)"
        + "\(remedy: "mend it, or take it away")"
    case .catalogLost(let catalog, let error):
      StoreError.lost(CatalogSource(listed: catalog)?.description ?? catalog, error)
    case .incompatible(let name, let reason):
      "'\(name)' does not fit the base in use: \(reason)"
        + "\(remedy: "choose another base")"
    case .noIndex(let path):
      "\(path): there is no such catalog\(remedy: "publish packages there, or check the path")"
    case .invalidCatalog(let url, let reason):
      "\(url): not a catalog: "
        + StoreError.told(reason, or: "check the address, or tell its publisher")
    case .credentials(let place, let reason):
      "\(place): " + StoreError.told(reason, or: "correct it there")
    case .hub(let fault, let page):
      "\(page): \(fault)"
    case .appleDraft(let package):
      "\(package): its draft is for Apple's runtime, which compiles it on OS 26 by itself and runs nowhere else"
        + "\(remedy: "make one for here, or give a small GGUF model")"
    case .uncompilable(let package, let reason):
      "\(package): its draft cannot be compiled: "
        + StoreError.told(reason, or: "a check names all that is wrong with it")
    case .compilationLimit(let application, let limit, let until):
      "\(application) has compiled \(Figures.count(limit, "time")) within 24 hours, which is as often as it may"
        + "\(remedy: until.map { "try again after \($0.ISO8601Format())" } ?? "raise the limit of its CompilationPolicy")"
    case .cancelled:
      "cancelled\(remedy: "the next attempt goes on from here")"
    }
  }

  private static func lost(_ catalog: String, _ error: StoreError) -> ErrorText {
    let moved =
      "if the catalog \(catalog) has moved, add its new address, and take the old one away"
    return "\(error)\(remedy: moved)"
  }

  /// `remedy` is for where there is nothing at all; `called` gives what people type for one of `known`.
  private static func missing(
    _ problem: String, _ name: String, among known: [String],
    called: (String) -> String = { $0 }, _ remedy: String
  ) -> ErrorText {
    guard !known.isEmpty else { return "\(problem), nor any other\(remedy: remedy)" }
    // A version that was asked for is looked for among versions.
    let near = name.contains("@") ? nil : TypedName(name).nearest(among: known.map(called))
    return near.map { "\(problem)\(remedy: "did you mean '\($0)'?")" }
      ?? "\(problem)\(remedy: "there are: \(known.firsts)")"
  }

  /// The reason, with a remedy where it has none of its own.
  private static func told(_ reason: ErrorText, or remedy: String) -> ErrorText {
    reason.remedy == nil ? "\(reason)\(remedy: remedy)" : reason
  }

  /// Whence a digest may come: a user can know that of one file, and only a publisher those of a package.
  private static func proof(_ isOneFile: Bool) -> ErrorText {
    isOneFile
      ? "\(remedy: "give the SHA-256 that it has to have, or demand none")"
      : "\(remedy: "ask its publisher for a SHA256SUMS beside the files, or demand no digest")"
  }

  private static func remedy(_ error: FileError) -> String? {
    guard case .system(_, _, let code) = error, !error.isUnconfirmed else { return nil }
    return switch code {
    case 30: "the file system is read-only: set FMADAPTER_HOME to another place"
    case 1, 13: "check the permissions, or set FMADAPTER_HOME to another place"
    default: nil
    }
  }
}

extension [String] {
  /// The first names, and how many there are besides.
  var firsts: String {
    prefix(20).joined(separator: ", ")
      + (count > 20 ? " and \(Figures.grouped(count - 20)) more" : "")
  }
}

/// Runs `body`, whose file errors become storage errors.
func storing<R>(_ body: () throws(FileError) -> R) throws(StoreError) -> R {
  do throws(FileError) {
    return try body()
  } catch {
    throw .storage(error)
  }
}
