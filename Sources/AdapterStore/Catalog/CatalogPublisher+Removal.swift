import Adapters
import SystemFiles

extension CatalogPublisher {
  /// Runs `write`, and takes those of `folders` away that are new where it fails: nothing would list them.
  func adding(
    _ folders: [String], _ write: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let new = folders.filter { FileSystem.kind(of: FilePath.join(directory, $0)) == nil }
    do throws(StoreError) {
      try write()
    } catch {
      // The index may have been written all the same.
      guard let listed = try? index().folders.map(\.path) else {
        throw error
      }
      for folder in new where !listed.contains(folder) {
        try? FileSystem.removeTree(FilePath.join(directory, folder))
        // Its version's folder, and its adapter's, unless they hold others.
        var parent = FilePath.parent(of: folder)
        while parent != ".", removeEmpty(FilePath.join(directory, parent)) {
          parent = FilePath.parent(of: parent)
        }
      }
      throw error
    }
  }

  /// Removes the folder at `path` if nothing is in it; whether it is gone.
  private func removeEmpty(_ path: String) -> Bool {
    guard (try? FileSystem.list(path))?.isEmpty == true else { return false }
    return (try? FileSystem.removeTree(path)) != nil
  }

  private func names(_ path: String) -> [String] {
    ((try? FileSystem.list(path)) ?? []).compactMap(\.name.text)
  }

  /// Removes what a publication that was killed has left, hidden copies and bytes that were to take the place of others, and
  /// bytes that others have replaced before.
  func removeLeftovers(_ index: PublishedIndex) {
    func remove(of files: [String], in folder: String) {
      for name in names(folder) {
        guard let file = FilePath.original(ofSibling: name), files.contains(file) else { continue }
        try? FileSystem.removeTree(FilePath.join(folder, name))
      }
    }
    remove(of: [Catalog.fileName, SignedIndex.fileName], in: directory)
    for name in names(directory) where (try? AdapterIdentifier(name)) != nil {
      let adapter = FilePath.join(directory, name)
      for version in names(adapter) where AdapterVersion(version) != nil {
        let folder = FilePath.join(adapter, version)
        for mark in names(folder) where PublishedFolder.isMark(mark) {
          remove(of: PackageFile.known, in: FilePath.join(folder, mark))
        }
        remove(of: PackageFile.known, in: folder)
      }
    }
    removeReplaced(index)
  }

  /// Removes the bytes of each version in `index` that others have replaced there.
  private func removeReplaced(_ index: PublishedIndex) {
    let listed = Set(index.folders.map(\.path))
    for (identifier, version, _) in index.folders {
      // The same version may have been published with another build behind it.
      for name in names(FilePath.join(directory, "\(identifier)"))
      where AdapterVersion(name) == version {
        removeReplaced(in: "\(identifier)/\(name)", listed)
      }
    }
  }

  /// Removes what is in a version's `folder`, unless it is in one of those that are `listed`.
  private func removeReplaced(in folder: String, _ listed: Set<String>) {
    for name in names(FilePath.join(directory, folder)) {
      let path = FilePath.join(folder, name)
      let isReplaced =
        PackageFile.known.contains(name)
        ? !listed.contains(folder) : PublishedFolder.isMark(name) && !listed.contains(path)
      if isReplaced { try? FileSystem.removeTree(FilePath.join(directory, path)) }
    }
    _ = removeEmpty(FilePath.join(directory, folder))
  }
}
