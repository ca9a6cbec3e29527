import Adapters
import SystemFiles

/// The one way to change a receipt: the entry is exchanged for one of the same files, so that readers see the old receipt or the
/// new, and a process that is killed leaves nothing in the entry.
extension AdapterStore {
  /// Writes down what `change` makes of the receipt of the entry at `target`; without one, and without a change, nothing is done.
  ///
  /// - Throws: `StoreError.busy` when others keep changing it, `.occupied`, `.storage`.
  func changeReceipt(
    of target: String, _ change: (inout Receipt) -> Void
  ) throws(StoreError) {
    for _ in 0..<10 {
      guard let old = Receipt(reading: FilePath.join(target, StoreLayout.receipt)) else { return }
      var new = old
      change(&new)
      if new == old { return }
      if try put(new, over: old, at: target) { return }
    }
    throw .busy(path: target)
  }

  /// Exchanges the entry at `target`, whose receipt is `old`, or cannot be read, for one of the same files with the receipt `new`.
  ///
  /// - Returns: false where it was changed meanwhile.
  func put(
    _ new: Receipt, over old: Receipt?, at target: String
  ) throws(StoreError) -> Bool {
    let ingest = try beginIngest(for: target)
    do {
      try process.interruption(.copy)
      for file in new.files { try carry(file.path, from: target, to: ingest.item) }
      try process.interruption(.receipt)
      try new.write(to: FilePath.join(ingest.item, StoreLayout.receipt))
      try process.interruption(.seal)
      try seal(ingest.item)
      try process.interruption(.commit)
      var isOther = false
      _ = try Commit.run(ingest.item, to: target) { () throws(StoreError) in
        try checkFormat(target)
        isOther = Receipt(reading: FilePath.join(target, StoreLayout.receipt)) != old
        return isOther
      }
      try process.interruption(.cleanUp)
      try? ingest.remove()
      return !isOther
    } catch let error as StoreError {
      ingest.abandon(after: error)
      // One that was replaced meanwhile may have other files.
      if error.fileError?.isMissing == true { return false }
      throw error
    } catch {
      // Only a simulated death comes here, and the dead clean up nothing.
      throw .busy(path: target)
    }
  }

  /// Gives the file `path` of the entry at `target` a second name in `item`; a copy, where there can be none, is the store's own.
  func carry(_ path: String, from target: String, to item: String) throws(StoreError) {
    let new = FilePath.join(item, path)
    try storing { () throws(FileError) in
      try FileSystem.createDirectory(FilePath.parent(of: new))
      let isShared = try FileSystem.linkOrCopy(FilePath.join(target, path), to: new)
      if !isShared { try FileSystem.protect(new) }
    }
  }

  /// Takes write permission from what is the store's own, as a base's file may be the user's, and brings all of it to the disk.
  func seal(_ item: String) throws(StoreError) {
    try storing { () throws(FileError) in
      try FileSystem.protect(FilePath.join(item, StoreLayout.receipt))
      let package = FilePath.join(item, StoreLayout.package)
      if try FileSystem.info(package) != nil { try FileSystem.protect(package) }
      try FileSystem.syncTree(item)
    }
  }
}

extension AdapterStore {
  /// Writes down that the bytes of `adapter` are what is now known as `version` of `catalog`, from `source`.
  ///
  /// - Throws: as ``changeReceipt(of:_:)``.
  func restamp(
    _ adapter: InstalledAdapter, as version: AdapterVersion?, of catalog: String?,
    from source: String
  ) throws(StoreError) {
    guard let version else { return }
    try changeReceipt(of: layout.adapter(adapter.identifier)) { receipt in
      guard receipt.version != version || receipt.catalog != catalog else { return }
      receipt.version = version
      receipt.catalog = catalog
      receipt.came(from: source)
    }
  }

  /// Writes down who vouches for the bytes of the entry at `target`, where nobody did when they came, and which place they came from,
  /// where that was not told from others.
  ///
  /// `new` is what another installation found out about the same bytes.
  func vouch(_ target: String, _ new: Receipt) throws(StoreError) {
    let known = (new.sources ?? []).map { source in
      (source.path, new.isUnverified(source) ? [] : source.vouchers ?? [])
    }
    let vouchers = Dictionary(known, uniquingKeysWith: { $1 })
    try changeReceipt(of: target) { receipt in
      receipt.learnPlace(from: new)
      receipt.vouch(by: vouchers)
    }
  }

  /// As above, with the names of those who vouch by the paths of files.
  func vouch(_ target: String, by vouchers: [String: [String]]) throws(StoreError) {
    try changeReceipt(of: target) { $0.vouch(by: vouchers) }
  }
}

extension Receipt {
  /// Adds the names of those who vouch, by the paths of files, to files that nobody vouches for.
  fileprivate mutating func vouch(by vouchers: [String: [String]]) {
    let unverified = Set(unverified.map(\.path))
    sources = sources?.map { source in
      guard unverified.contains(source.path), let names = vouchers[source.path], !names.isEmpty
      else { return source }
      return FileSource(
        path: source.path, url: source.url, entityTag: source.entityTag, vouchers: names,
        parts: source.parts)
    }
  }
}
