package import Adapters
package import FoundationEssentials
package import SystemFiles

// The store, and what is looked for in it.
extension StoreError {
  package static let noHome = StoreError(
    .noHome, "",
    "there is no place for the store"
      + "\(remedy: "set FMADAPTER_HOME or HOME to an absolute path")")

  package static func noStore(path: String, reason: ErrorText) -> StoreError {
    StoreError(
      .noStore, path,
      "\(path): no store can be there: "
        + told(reason, or: "set FMADAPTER_HOME to another place"),
      reason: reason)
  }

  package static func noAdapter(_ name: String, known: [String]) -> StoreError {
    StoreError(
      .noAdapter, name,
      missing(
        "no adapter '\(name)' is installed", name, among: known,
        called: { (try? AdapterIdentifier($0))?.name ?? InstalledBase.name(inTitle: $0) },
        "install one"),
      choices: known)
  }

  package static func noBase(_ name: String, known: [String]) -> StoreError {
    StoreError(
      .noBase, name,
      missing(
        "no base '\(name)' is installed", name, among: known, called: InstalledBase.name(inTitle:),
        "install one"),
      choices: known)
  }

  package static func noCurrentBase(installed: Int) -> StoreError {
    installed == 0
      ? StoreError(.noBaseInstalled, "", "no base is installed\(remedy: "install one")")
      : StoreError(
        .noBaseChosen, "",
        "\(installed) bases are installed and none is chosen\(remedy: "choose one")")
  }

  package static func ambiguous(_ name: String, candidates: [String]) -> StoreError {
    StoreError(
      .ambiguous, name,
      "'\(name)' fits several\(remedy: "give one of: \(candidates.joined(separator: ", "))")",
      choices: candidates)
  }

  /// The bytes under an installed name are not those of its receipt.
  package static func damaged(path: String, reason: String) -> StoreError {
    StoreError(
      .damaged, path, "\(path): \(reason)\(remedy: "install it again")",
      reason: ErrorText(reason))
  }

  package static func newer(path: String, format: Int) -> StoreError {
    StoreError(.newer, path, "\(path): " + NewerReceipt.text(format))
  }

  package static func occupied(path: String) -> StoreError {
    StoreError(
      .occupied, path,
      "\(path): something that is not the store's is in the way\(remedy: "move it elsewhere")")
  }

  package static func busy(path: String) -> StoreError {
    StoreError(
      .busy, path,
      "\(path): other processes keep changing it\(remedy: "try again when they are done")")
  }

  package static func storage(_ error: FileError) -> StoreError {
    StoreError(
      .storage, error.path,
      remedy(error).map { "\(error)\(remedy: $0)" } ?? "\(error)", cause: error)
  }

  /// A file of `needed` bytes does not fit into the `free` ones of the disk that `path` is on.
  package static func noRoom(url: String, needed: Int, free: Int, path: String) -> StoreError {
    StoreError(
      .noRoom, url,
      "\(url): the file has \(Figures.size(needed)), and \(Figures.size(free)) are free in \(path)"
        + "\(remedy: "free some space, then try again")")
  }

  package static let cancelled = StoreError(
    .cancelled, "", "cancelled\(remedy: "the next attempt goes on from here")")
}

// What is to be installed.
extension StoreError {
  package static func refused(_ report: CheckReport) -> StoreError {
    StoreError(
      .refused, report.package, "\(report)", cause: AdapterError.refused(report))
  }

  package static func noSource(path: String) -> StoreError {
    StoreError(
      .noSource, path,
      "\(path): there is nothing to install"
        + "\(remedy: "give the path of a package folder or of a base")")
  }

  package static func noPackage(path: String) -> StoreError {
    StoreError(
      .noPackage, path,
      "\(path): there is no package to publish"
        + "\(remedy: "give the path of a package folder, or of a folder with packages")")
  }

  package static func invalidBase(path: String, reason: ErrorText) -> StoreError {
    StoreError(
      .invalidBase, path,
      "\(path): not a base that can be run: " + told(reason, or: "give another one"),
      reason: reason)
  }

  /// The files at an address are not those that were installed from there; both have a SHA-256.
  package static func changedBytes(
    url: String, file: String, installed: String, offered: String
  ) -> StoreError {
    StoreError(
      .changedBytes, url,
      "\(url): \(file) is not what was installed from there: it has SHA-256 \(offered) now, and had "
        + "\(installed)"
        + "\(remedy: "find out which is right; the new one has to be taken on purpose")")
  }

  /// Another file has the place of a base; both are described, and the signature may be no more than their claim.
  package static func otherBase(
    signature: String, installed: String, offered: String, isClaim: Bool
  ) -> StoreError {
    StoreError(
      .otherBase, signature,
      "\(installed) is installed as the base \(signature), and \(offered) would take its place"
        + "\(isClaim ? "; that it is of the same source is no more than its claim" : "")"
        + "\(remedy: "replace the one by the other on purpose, or keep it")",
      choices: [offered])
  }

  package static func olderPackage(
    _ name: String, installed: String, offered: String
  ) -> StoreError {
    StoreError(
      .olderPackage, name,
      "\(name): \(installed) is installed and the package's \(offered) is older"
        + "\(remedy: "go back on purpose, or keep it")",
      choices: [offered])
  }

  /// None of `keys`, which were demanded of what is installed, signed what would take its place.
  package static func otherSigner(
    _ name: String, installed: String, keys: [String], offered: String, isSigned: Bool
  ) -> StoreError {
    StoreError(
      .otherSigner, name,
      "\(name): \(installed) was installed as signed by \(keys.joined(separator: " or ")), and \(offered) is "
        + (isSigned ? "not signed by that" : "not signed")
        + "\(remedy: "ask its publisher for one that is; to take it all the same, demand its own key, or remove what is installed first")",
      choices: [offered])
  }

  /// What is installed as an adapter, at the path, cannot be read.
  package static func unknownVersion(_ name: String, path: String) -> StoreError {
    StoreError(
      .unknownVersion, name,
      "\(name): what is installed cannot be read, so nothing tells whether it is newer: \(path)"
        + "\(remedy: "mend it, or take it away")")
  }

  package static func appleDraft(package: String) -> StoreError {
    StoreError(
      .appleDraft, package,
      "\(package): its draft is for Apple's runtime, which compiles it on OS 26 by itself and runs nowhere else"
        + "\(remedy: "make one for here, or give a small GGUF model")")
  }

  package static func uncompilable(package: String, reason: ErrorText) -> StoreError {
    StoreError(
      .uncompilable, package,
      "\(package): its draft cannot be compiled: "
        + told(reason, or: "a check names all that is wrong with it"),
      reason: reason)
  }

  /// `until` is nil where the application may not compile at all.
  package static func compilationLimit(
    application: String, limit: Int, until: Date?
  ) -> StoreError {
    let remedy =
      until.map { "try again after \($0.ISO8601Format())" }
      ?? "raise the limit of its CompilationPolicy"
    return StoreError(
      .compilationLimit, application,
      "\(application) has compiled \(Figures.count(limit, "time")) within 24 hours, which is as often as it may"
        + "\(remedy: remedy)")
  }
}
