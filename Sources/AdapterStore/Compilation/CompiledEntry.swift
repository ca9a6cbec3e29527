import FoundationEssentials
package import SystemFiles

/// What says in a directory of `compiled/` what was made of what; with a digest of itself.
package protocol CompiledRecord: Sendable, Codable {
  /// Whether it is of this version, possible, and as it was written.
  var isSound: Bool { get }
}

extension CompiledRecord {
  /// Reads the record at `path`; nil when it is missing, unreadable, changed since, or of another version.
  package init?(reading path: String) {
    guard let record: Self = StoredJSON.read(path, limit: 1 << 16), record.isSound else {
      return nil
    }
    self = record
  }

  /// Writes the record to `path`, all or nothing.
  package func write(to path: String) throws(FileError) {
    try StoredJSON.write(self, to: path)
  }
}

/// What records of every version say.
struct AnyCompiledRecord: Codable {
  let formatVersion: Int
  let created: Date?
}

/// What a directory of `compiled/` holds, by its record; nil in the place of one that cannot be read or was changed.
enum CompiledEntry {
  case draft(CompiledDraft?)
  case base(CompiledBase?)
  /// Of an earlier program, whose version this one has left behind.
  case older(AnyCompiledRecord)
  /// Of a later program, which alone can tell what it is.
  case newer

  /// Reads the record in `folder`; nil where there is none of either name.
  init?(in folder: String) {
    let draft = FilePath.join(folder, CompiledDraft.fileName)
    let base = FilePath.join(folder, CompiledBase.fileName)
    if FileSystem.kind(of: draft) != nil {
      self = Self.another(draft, CompiledDraft.version) ?? .draft(CompiledDraft(reading: draft))
    } else if FileSystem.kind(of: base) != nil {
      self = Self.another(base, CompiledBase.version) ?? .base(CompiledBase(reading: base))
    } else {
      return nil
    }
  }

  /// What stands at `path`, if it is of another version than `known`.
  private static func another(_ path: String, _ known: Int) -> CompiledEntry? {
    guard let record: AnyCompiledRecord = StoredJSON.read(path, limit: 1 << 16),
      record.formatVersion > 0, record.formatVersion != known
    else { return nil }
    return record.formatVersion < known ? .older(record) : .newer
  }

  /// Reads all of `entry`, which has digests within: of its record, and of the file beside it; nil for one of another
  /// version, of which nothing is known and nothing is used.
  ///
  /// - Throws: `StoreError.storage` when the system is out of descriptors or memory.
  func verification(of entry: StoreEntry) throws(StoreError) -> EntryVerification? {
    let (record, file, isReadable, isWhole): (String, String?, Bool, Bool)
    switch self {
    case .draft(let draft):
      (record, file, isReadable, isWhole) = (
        CompiledDraft.fileName, draft?.modelSHA256.map { _ in CompiledDraft.modelName },
        draft != nil, draft?.hasWholeModel(in: entry.path) ?? true
      )
    case .base(let base):
      (record, file, isReadable, isWhole) = (
        CompiledBase.fileName, base.map { _ in CompiledBase.tilesName }, base != nil,
        base?.hasWholeTiles(in: entry.path) ?? true
      )
    case .older, .newer: return nil
    }
    var damage: [Damage] = []
    if !isReadable { damage.append(try Self.damage(of: record, in: entry.path)) }
    if let file, !isWhole { damage.append(try Self.damage(of: file, in: entry.path)) }
    let sizes = [record, file].compactMap(\.self).map { name in
      (try? FileSystem.info(FilePath.join(entry.path, name)))??.size ?? 0
    }
    return EntryVerification(entry: entry, bytes: sizes.reduce(0, +), damage: damage)
  }

  /// What is wrong with a file that was not found as it was written: of one that may not be read now, nothing is known.
  private static func damage(
    of file: String, in folder: String
  ) throws(StoreError) -> Damage {
    do throws(FileError) {
      _ = try FileReader(path: FilePath.join(folder, file))
    } catch {
      if let denied = Damage(denied: error, in: folder) { return denied }
      if error.isShortage { throw .storage(error) }
    }
    return Damage(.unreadable, file, reason: "it is not what was written")
  }
}

extension AdapterStore {
  /// Every directory of `compiled/` that has a record, with what that says.
  func compiledEntries() throws(StoreError) -> [(
    entry: StoreEntry, contents: CompiledEntry
  )] {
    let folders = try storing { () throws(FileError) in
      try FileSystem.info(layout.compiled) == nil ? [] : try FileSystem.list(layout.compiled)
    }
    return folders.filter { $0.kind == .directory && !StoreLayout.isReserved($0.name) }.compactMap {
      folder in
      guard let name = folder.name.text else { return nil }
      let path = FilePath.join(layout.compiled, name)
      return CompiledEntry(in: path).map {
        (StoreEntry(kind: .compiled, name: name, path: path), $0)
      }
    }
  }
}
