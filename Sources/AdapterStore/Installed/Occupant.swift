import Adapters
import SystemFiles

/// What stands under an installed name as something comes to take its place, whether or not it can be used.
///
/// A flipped bit in one of its files must not make room for what would be refused beside the sound one.
struct Occupant: Sendable {
  /// Its directory.
  let path: String
  /// Its receipt; nil where that cannot be read.
  let receipt: Receipt?
  /// The version of an adapter by its receipt, else by its metadata; nil where neither says.
  let version: AdapterVersion?

  /// Its files by the receipt, else those that can be read, as they are: all of their bytes are, each time.
  var files: [FileRecord] {
    receipt?.files
      ?? ((try? Self.names(in: path)) ?? []).compactMap {
        try? FileRecord(path: $0, file: FilePath.join(path, $0))
      }
  }

  /// Whether it has no file that could be of worth; one that cannot be read could.
  var isEmpty: Bool {
    guard receipt == nil, let names = try? Self.names(in: path) else { return false }
    return names.isEmpty
  }

  private static func names(in path: String) throws(FileError) -> [String] {
    try EntryVerifier.files(in: path).filter { $0 != StoreLayout.receipt }
  }

  /// Whether its files are `files`, by the receipt where there is one.
  func hasFiles(_ files: [FileRecord]) -> Bool {
    self.files.sorted { $0.path < $1.path } == files.sorted { $0.path < $1.path }
  }

  /// Whether its files are those of `offered`.
  func hasFiles(of offered: CatalogAdapter) -> Bool { offered.hasFiles(files) }
}

extension AdapterStore {
  /// What stands at `target` as the entry of that name; nil for nothing, for what is not known to be the store's, and for what
  /// got there by mistake, which has no say in what takes its place.
  func occupant(of target: String) -> Occupant? {
    guard FileSystem.kind(of: target) == .directory, (try? Commit.isOurs(target)) == true
    else { return nil }
    let receipt = Receipt(reading: FilePath.join(target, StoreLayout.receipt))
    let metadata = try? metadata(of: FilePath.join(target, StoreLayout.package))
    if let receipt, stranger(at: target, receipt) != nil { return nil }
    if let metadata, metadata.adapterIdentifier.description != FilePath.name(of: target) {
      return nil
    }
    return Occupant(
      path: target, receipt: receipt, version: receipt?.version ?? metadata?.version)
  }
}
