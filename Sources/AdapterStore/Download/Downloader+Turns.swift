import TensorFiles

extension Downloader {
  /// Waits until no other process downloads what is known as `name`, as far as locks tell; whether one did.
  func turn(
    _ name: String, _ control: DownloadControl,
    _ progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(StoreError) -> (turn: DownloadSurroundings.Turn, hasWaited: Bool) {
    // Without a place for locks everybody goes ahead.
    try? FileSystem.createDirectory(layout.locks)
    let path = lockPath(name)
    let shown = WebAddress.shown(name)
    var hasWaited = false
    while true {
      try await control.pass()
      let turn = surroundings.lock(path)
      if case .mine = turn { return (turn, hasWaited) }
      hasWaited = true
      progress(
        DownloadProgress(file: shown, waiting: "another process is downloading it"))
      await control.interruptible { await surroundings.sleep(0.2) }
    }
  }

  /// Lets others have their turn.
  func end(_ turn: DownloadSurroundings.Turn, _ name: String) {
    guard case .mine(let lock?) = turn else { return }
    // Removed while it is held: who opened it before meets an empty file that nobody else will lock, and goes ahead.
    withExtendedLifetime(lock) { try? FileSystem.removeTree(lockPath(name)) }
  }

  private func lockPath(_ name: String) -> String {
    FilePath.join(layout.locks, String(SHA256.hex(Array(WebAddress.shown(name).utf8)).prefix(32)))
  }

  /// Whether what `receipt` tells of is what there is: by the digests of `files` where they are known, else by
  /// asking the server at `address`, as the receipt's own may lack a signature.
  ///
  /// `claims` is what is published beside the files now. A server's tag names a version of its file, not the bytes that
  /// came: it counts for those alone that something vouched for, or, where `isJoint`, that another process has brought
  /// while this one waited.
  func isCurrent(
    _ receipt: Receipt, files: [RemoteFile], claims: [String: [DigestClaim]] = [:],
    isJoint: Bool = false, address: (FileSource) -> String
  ) async -> Bool {
    if !files.isEmpty {
      let installed = Dictionary(
        receipt.files.map { ($0.path, $0.sha256) }, uniquingKeysWith: { first, _ in first })
      return files.count == receipt.files.count
        && files.allSatisfy { $0.sha256 != nil && installed[$0.path] == $0.sha256 }
    }
    guard let sources = receipt.sources, sources.count == receipt.files.count else { return false }
    for source in sources {
      let record = receipt.files.first { $0.path == source.path }
      let known = (claims[source.path] ?? []).filter(\.isSHA256)
      guard known.allSatisfy({ $0.digest == record?.sha256 }),
        !known.isEmpty || !receipt.isUnverified(source) || isJoint,
        await isUnchanged(
          address(source), entityTag: source.entityTag, size: record?.size, sha256: record?.sha256)
          == true
      else { return false }
    }
    return true
  }
}
