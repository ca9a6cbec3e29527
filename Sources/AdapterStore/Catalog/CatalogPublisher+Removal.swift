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
        let parent = FilePath.join(directory, FilePath.parent(of: folder))
        if (try? FileSystem.list(parent))?.isEmpty == true { try? FileSystem.removeTree(parent) }
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
      let usual = FilePath.join(directory, PublishedFolder.path(identifier, version))
      let listed = FilePath.join(directory, path)
      for mark in names(usual) where PublishedFolder.isMark(mark) {
        let folder = FilePath.join(usual, mark)
        if folder != listed { try? FileSystem.removeTree(folder) }
      }
      guard listed != usual else { continue }
      for name in PackageFile.known { try? FileSystem.removeTree(FilePath.join(usual, name)) }
    }
  }

  /// Removes files of the package in `folder` that it does not have any more.
  func removeOthers(_ candidate: PackageCandidate, _ folder: String) throws(StoreError) {
    let names = Set(PackageFile.known).subtracting(candidate.files.map(\.path))
    try storing { () throws(FileError) in
      for name in names { try FileSystem.removeTree(FilePath.join(folder, name)) }
    }
  }
}
