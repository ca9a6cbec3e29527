import SystemFiles

/// Places of what is compiled, by key, and who compiles.
extension AdapterStore {
  func compiledPlace(_ key: String) -> String { FilePath.join(layout.compiled, key) }

  private func lockPath(_ key: String) -> String {
    FilePath.join(layout.locks, "compile-" + key)
  }

  /// Runs `work` when no other process is at the same, as far as locks tell.
  func locking<Result: Sendable>(
    _ key: String, _ progress: (CompilationProgress) -> Void,
    _ work: () throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    try storing { () throws(FileError) in
      for folder in [layout.locks, layout.compiled] { try FileSystem.createDirectory(folder) }
    }
    let lock = try await lock(key, progress)
    // Removed while it is held: who opened it before looks again at what is there.
    defer { withExtendedLifetime(lock) { try? FileSystem.removeTree(lockPath(key)) } }
    return try work()
  }

  /// Waits for the lock; nil where the file system has none.
  private func lock(
    _ key: String, _ progress: (CompilationProgress) -> Void
  ) async throws(StoreError) -> FileLock? {
    var hasWaited = false
    while true {
      if Task.isCancelled { throw .cancelled }
      if case .acquired(let lock) = LockAttempt(path: lockPath(key)) { return lock }
      if !hasWaited { progress(.waiting) }
      hasWaited = true
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Makes `path` a directory without a file `name` of another time.
  func clear(_ path: String, of name: String) throws(StoreError) {
    try storing { () throws(FileError) in
      if let info = try FileSystem.info(path), info.kind != .directory {
        try FileSystem.removeTree(path)
      }
      try FileSystem.createDirectory(path)
      let file = FilePath.join(path, name)
      if try FileSystem.info(file) != nil { try FileSystem.removeTree(file) }
    }
  }
}
