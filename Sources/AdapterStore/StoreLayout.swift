import Adapters
import SystemFiles

/// Where the user's store is.
public enum StoreLocation {
  /// `$FMADAPTER_HOME`, else `$XDG_DATA_HOME/fmadapter`, else `$HOME/.local/share/fmadapter`.
  ///
  /// Relative values of the first are taken from `directory`; those of `XDG_DATA_HOME` are invalid by its
  /// specification and passed over.
  ///
  /// - Throws: `StoreError.noHome` when none of the variables says where.
  public static func root(
    environment: [String: String], directory: String
  ) throws(StoreError) -> String {
    if let home = environment["FMADAPTER_HOME"], !home.isEmpty {
      return home.hasPrefix("/") ? home : FilePath.join(directory, home)
    }
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return FilePath.join(data, "fmadapter")
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noHome }
    return FilePath.join(home, ".local/share/fmadapter")
  }
}

/// Where things are inside a store.
///
/// The directories are the index; no file lists them.
struct StoreLayout: Sendable {
  /// Absolute path of the store.
  let root: String

  /// `adapters/<identifier>/`: a package and its receipt.
  var adapters: String { FilePath.join(root, "adapters") }
  /// `bases/<signature>/`: a base and its receipt.
  var bases: String { FilePath.join(root, "bases") }
  /// `compiled/<key>/`: drafts and bases in this machine's form.
  var compiled: String { FilePath.join(root, "compiled") }
  /// `ingest/<name>/`: what is on its way in or out.
  var ingest: String { FilePath.join(root, "ingest") }
  /// `locks/<key>`: who downloads what, so that others may wait.
  var locks: String { FilePath.join(root, "locks") }
  /// `leases/<name>`: locked by whoever uses the entry of that name; only ever a hint.
  var leases: String { FilePath.join(root, "leases") }
  /// What `doctor` has moved out of the way.
  var lostAndFound: String { FilePath.join(root, "lost+found") }
  /// `checked/<signature>`: what a base's file looked like when its bytes were last held against the receipt.
  var checked: String { FilePath.join(root, "checked") }
  /// When applications compiled drafts.
  var compilations: String { FilePath.join(root, CompilationLog.fileName) }
  /// A file with the signature of the base in use.
  var current: String { FilePath.join(root, "current") }
  /// `catalogs/<digest>`: the address of a catalog, and when it was added.
  var catalogs: String { FilePath.join(root, "catalogs") }
  /// `catalogs.d/<digest>.json`: the catalogs as they were last seen.
  var catalogCopies: String { FilePath.join(root, "catalogs.d") }

  func adapter(_ identifier: AdapterIdentifier) -> String {
    FilePath.join(adapters, identifier.description)
  }

  func base(_ signature: String) -> String { FilePath.join(bases, signature) }

  func checked(_ signature: String) -> String { FilePath.join(checked, signature) }

  func lease(_ name: String) -> String { FilePath.join(leases, name) }

  /// The directories that may be links to other disks.
  var areas: [String] { [adapters, bases, compiled] }

  /// Name of the package folder inside an adapter's directory.
  static let package = "package" + PackageFile.suffix
  /// Name of the model inside a base's directory.
  static let model = "base.gguf"
  /// Name of the receipt inside either.
  static let receipt = "receipt.json"

  /// Whether the store itself puts `name` into an entry, or an earlier program did, which changed receipts in place and was killed.
  static func isOfEntry(_ name: FileName) -> Bool {
    guard let name = name.text else { return false }
    return [package, model, receipt].contains(name) || FilePath.original(ofSibling: name) == receipt
  }
}

/// Nothing can be renamed from one disk to another, so that each has directories of its own for what comes and goes.
extension StoreLayout {
  /// Names of what an area on another disk has in the place of `ingest` and `lost+found`.
  private static let (ownIngest, ownLostAndFound) = (".ingest", ".lost+found")

  /// Whether `name` inside an area is none of its entries: as above, or what file systems have in their first directory.
  static func isReserved(_ name: FileName) -> Bool {
    [ownIngest, ownLostAndFound, "lost+found"].contains(name)
  }

  /// What is kept under `name` inside an area; nil for an entry.
  static func reserved(_ name: FileName) -> Area? {
    guard isReserved(name) else { return nil }
    return name.text == ownIngest ? area("ingest") : Area(kind: .other)
  }

  /// Where what is on its way to `path`, or away from there, is put: on the same disk.
  func ingest(for path: String) -> String {
    distantArea(of: path, ingest).map { FilePath.join($0, Self.ownIngest) } ?? ingest
  }

  /// Where what stands at `path` can be moved out of the way: on the same disk.
  func lostAndFound(for path: String) -> String {
    distantArea(of: path, lostAndFound).map { FilePath.join($0, Self.ownLostAndFound) }
      ?? lostAndFound
  }

  /// All places that ``ingest(for:)`` may name.
  var ingests: [String] { [ingest] + areas.map { FilePath.join($0, Self.ownIngest) } }

  /// The store itself, and the areas that are on other disks.
  var disks: [String] { [root] + areas.filter { distantArea(of: $0, ingest) != nil } }

  /// The area that `path` is or is in, if nothing can be renamed from `place` into it.
  private func distantArea(of path: String, _ place: String) -> String? {
    // What is not there yet will be made on the disk of the store.
    func existing(_ path: String) -> String {
      FileSystem.isDirectory(following: path) ? path : root
    }
    return areas.first { area in
      (path == area || path.hasPrefix(area + "/"))
        && !FileSystem.canRename(from: existing(place), into: existing(area))
    }
  }
}
