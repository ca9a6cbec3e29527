import Adapters
import TensorFiles

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
  /// `compiled/<key>/`: drafts in this machine's form.
  var compiled: String { FilePath.join(root, "compiled") }
  /// `ingest/<name>/`: what is on its way in or out.
  var ingest: String { FilePath.join(root, "ingest") }
  /// `locks/<key>`: who downloads what, so that others may wait.
  var locks: String { FilePath.join(root, "locks") }
  /// `leases/<name>`: locked by whoever uses the entry of that name; only ever a hint.
  var leases: String { FilePath.join(root, "leases") }
  /// What `doctor` has moved out of the way.
  var lostAndFound: String { FilePath.join(root, "lost+found") }
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

  func lease(_ name: String) -> String { FilePath.join(leases, name) }

  /// Name of the package folder inside an adapter's directory.
  static let package = "package" + PackageFile.suffix
  /// Name of the model inside a base's directory.
  static let model = "base.gguf"
  /// Name of the receipt inside either.
  static let receipt = "receipt.json"
}
