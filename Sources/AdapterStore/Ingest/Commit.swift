import SystemFiles

/// The one rename that makes an entry visible.
enum Commit {
  /// How an entry came to stand under its name.
  enum Outcome: Sendable, Equatable {
    /// There was nothing before.
    case installed
    /// It took the place of another, which is now where it came from.
    case replaced
    /// Somebody else had put the same there already.
    case present
  }

  /// Brings `item` to `target`: by rename when the name is free, by exchange when it is not.
  ///
  /// Between the look and the act another process may do the same. Each step either does all or fails, so the loop
  /// looks again until one succeeds or `isPresent` finds the wanted content in place.
  ///
  /// - Throws: `StoreError`; then nothing has changed, but for `.storage` with `FileOperation.confirm`: `item` stands at `target`, what it
  ///   took the place of where it came from, and a loss of power may bring that back.
  static func run(
    _ item: String, to target: String, isPresent: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Outcome {
    for _ in 0..<1000 {
      let info = try storing { () throws(FileError) in try FileSystem.info(target) }
      if info != nil {
        if try isPresent() { return .present }
        guard try isOurs(target) else { throw .occupied(path: target) }
      }
      do throws(FileError) {
        if info == nil {
          try FileSystem.rename(item, to: target)
        } else {
          try FileSystem.exchange(item, target)
        }
      } catch {
        guard isRace(error) else { throw .storage(error) }
        continue
      }
      try storing { () throws(FileError) in try FileSystem.confirm(target) }
      return info == nil ? .installed : .replaced
    }
    throw .busy(path: target)
  }

  /// Whether `path` is a directory that holds nothing but what the store puts into one.
  ///
  /// Something that vanishes meanwhile counts as the store's: who looks again will see it gone.
  ///
  /// - Throws: `StoreError.storage` where it cannot be seen: what nobody knows is nobody's to remove.
  static func isOurs(_ path: String) throws(StoreError) -> Bool {
    do throws(FileError) {
      guard let info = try FileSystem.info(path) else { return true }
      guard info.kind == .directory else { return false }
      return try FileSystem.list(path).allSatisfy { StoreLayout.isOfEntry($0.name) }
    } catch {
      if error.isMissing { return true }
      throw .storage(error)
    }
  }

  /// Whether the target came or went between the look and the act.
  private static func isRace(_ error: FileError) -> Bool {
    let (noEntry, exists, notEmpty): (Int32, Int32, Int32) = (2, 17, 39)
    guard case .system(let operation, _, let code) = error else { return false }
    return switch operation {
    case .rename: code == exists || code == notEmpty
    case .exchange: code == noEntry
    default: false
    }
  }
}
