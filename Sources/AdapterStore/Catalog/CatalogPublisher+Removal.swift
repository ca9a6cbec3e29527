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
        var path = FilePath.join(directory, folder)
        repeat {
          try? FileSystem.removeTree(path)
          path = FilePath.parent(of: path)
        } while path != directory && (try? FileSystem.list(path))?.isEmpty == true
      }
      throw error
    }
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
    for (identifier, version, path) in index.folders {
      let all = FilePath.join(directory, PublishedFolder.version(identifier, version))
      let listed = FilePath.join(directory, path)
      for mark in names(all) where PublishedFolder.isMark(mark) {
        let folder = FilePath.join(all, mark)
        if folder != listed { try? FileSystem.removeTree(folder) }
      }
      guard listed != all else { continue }
      for name in PackageFile.known { try? FileSystem.removeTree(FilePath.join(all, name)) }
    }
  }
}
