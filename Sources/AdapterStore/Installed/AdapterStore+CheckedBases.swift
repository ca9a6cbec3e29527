import FoundationEssentials
import SystemFiles

/// What a file looked like when its bytes were held against a digest: as long as it looks so, they need not be read again.
private struct CheckedFile: Codable, Equatable {
  let sha256: String
  let inode: UInt64
  let size: Int
  let modified: Double
  /// Unlike the time of modification, nobody can set this one.
  let changed: Double

  init(_ sha256: String, _ info: FileSystem.Info) {
    self.sha256 = sha256
    (inode, size) = (info.inode, info.size)
    (modified, changed) = (info.modified, info.changed)
  }
}

extension AdapterStore {
  /// Holds the file of an installed base at `path` against its receipt, before it is opened; a file elsewhere is nobody's claim.
  ///
  /// A file that was linked stays its owner's, who may write over it in place. All of its bytes are read where its size, inode
  /// and times are not those of the last time; what it looked like is kept in the store, where that can be written.
  ///
  /// - Throws: `StoreError.damaged` for other bytes than those that were installed, `.cancelled` or `.storage`.
  package func checkBase(at path: String) throws(StoreError) {
    guard let folder = baseFolder(of: path),
      let record = Self.model(in: Receipt(reading: FilePath.join(folder, StoreLayout.receipt))),
      let info = try storing({ () throws(FileError) in try FileSystem.info(path) })
    else { return }
    let file = CheckedFile(record.sha256, info)
    let place = layout.checked(FilePath.name(of: folder))
    guard StoredJSON.read(place, limit: 1 << 12) != file else { return }
    let start = process.now().timeIntervalSince1970
    guard info.size == record.size, try digest(path) == record.sha256 else {
      throw .damaged(path: path, reason: "the file has changed since the base was installed")
    }
    // File systems keep times in steps: what has just been changed may be changed again without a trace.
    if info.changed < start - 2 { keep(file, at: place) }
  }

  /// The folder of the installed base whose file `path` is; nil for a file elsewhere.
  func baseFolder(of path: String) -> String? {
    let folder = FilePath.parent(of: path)
    let area = FilePath.parent(of: folder)
    return area == layout.bases || area == (try? FileSystem.resolved(layout.bases)) ? folder : nil
  }

  /// Notes that the copy of a base at `folder`, which has just come there and which nobody else has a name for, is what its receipt says.
  func noteChecked(_ receipt: Receipt, in folder: String) {
    guard let record = Self.model(in: receipt),
      let info = (try? FileSystem.info(FilePath.join(folder, record.path))) ?? nil
    else { return }
    keep(CheckedFile(record.sha256, info), at: layout.checked(FilePath.name(of: folder)))
  }

  /// Where it cannot be written, all of the file is read the next time, too.
  private func keep(_ file: CheckedFile, at place: String) {
    try? FileSystem.createDirectory(layout.checked)
    try? StoredJSON.write(file, to: place)
  }

  private static func model(in receipt: Receipt?) -> FileRecord? {
    receipt?.base == nil ? nil : receipt?.files.first { $0.path == StoreLayout.model }
  }

  private func digest(_ path: String) throws(StoreError) -> String {
    let digest = try storing { () throws(FileError) in
      let reader = try FileReader(path: path)
      let digest = try reader.sha256(0..<reader.size, isCancelled: { Task.isCancelled })
      try reader.checkUnchanged()
      return digest
    }
    guard let digest else { throw .cancelled }
    return digest
  }
}
