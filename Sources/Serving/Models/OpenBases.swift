import LanguageModels
import Synchronization

/// Bases beside the own one that are open, in so many bytes: who was used longest ago goes first, and none that is answering.
final class OpenBases: Sendable {
  private struct Entry {
    /// Referred to by nothing else while no request has it.
    var base: ServedBase
    /// Bytes that it is counted as, without its keys and values.
    let bytes: Int
    var lastUse: Int
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// Bytes of those that are being opened, by signature.
    var opening: [String: Int] = [:]
    var uses = 0

    /// Bytes of all but the one that is signed so.
    func held(beside signature: String) -> Int {
      entries.values.reduce(0) { $0 + $1.bytes + $1.base.pool.bytes }
        + opening.reduce(0) { $0 + ($1.key == signature ? 0 : $1.value) }
    }

    /// Takes out the base that was used longest ago of those that no request has.
    mutating func takeIdle() -> ServedBase? {
      let order = entries.keys.sorted { entries[$0]?.lastUse ?? 0 < entries[$1]?.lastUse ?? 0 }
      for signature in order {
        guard var entry = entries.removeValue(forKey: signature) else { continue }
        if isKnownUniquelyReferenced(&entry.base) { return entry.base }
        entries[signature] = entry
      }
      return nil
    }
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Holds bases of `limit` bytes at most.
  init(limit: Int) { self.limit = limit }

  /// The base that is signed so, where it is open.
  subscript(signature: String) -> ServedBase? {
    state.withLock { $0.entries[signature]?.base }
  }

  /// The base that is signed so, opened by `open` where it is not yet.
  ///
  /// - Throws: `.invalidRequest` for one that is larger than all may be, `.unavailable` while others that are answering leave no room,
  ///   and what `open` throws, tried once more without the others that are idle.
  func base(
    signed signature: String, bytes: Int, open: () throws(ServingError) -> ServedBase
  ) throws(ServingError) -> ServedBase {
    if let known = use(signature) { return known }
    guard bytes <= limit else {
      throw ServingError(
        .invalidRequest,
        "model: its base has \(bytes) bytes, and this server has \(limit) for bases beside its own.",
        field: "model", code: "model_too_large")
    }
    guard hasRoom(for: bytes, signature) else {
      throw ServingError(
        .unavailable, "Other bases are answering, and leave no memory for this one; try again.")
    }
    defer { state.withLock { $0.opening[signature] = nil } }
    let opened: ServedBase
    do throws(ServingError) {
      opened = try open()
    } catch {
      // The machine may have less memory to give than the limit says.
      guard dropIdle() else { throw error }
      opened = try open()
    }
    return state.withLock { state in
      if let other = state.entries[signature]?.base { return other }
      state.uses += 1
      state.entries[signature] = Entry(base: opened, bytes: bytes, lastUse: state.uses)
      return opened
    }
  }

  private func use(_ signature: String) -> ServedBase? {
    state.withLock { state in
      guard state.entries[signature] != nil else { return nil }
      state.uses += 1
      state.entries[signature]?.lastUse = state.uses
      return state.entries[signature]?.base
    }
  }

  /// Keeps room for a base, for which idle ones go.
  private func hasRoom(for bytes: Int, _ signature: String) -> Bool {
    // What goes is let go of behind the lock.
    var left: [ServedBase] = []
    let hasRoom = state.withLock { state in
      while state.held(beside: signature) + bytes > limit {
        guard let idle = state.takeIdle() else { return false }
        left.append(idle)
      }
      state.opening[signature] = bytes
      return true
    }
    return withExtendedLifetime(left) { hasRoom }
  }

  /// Lets all bases go that are idle; false where none was.
  private func dropIdle() -> Bool {
    var left: [ServedBase] = []
    state.withLock { state in
      while let idle = state.takeIdle() { left.append(idle) }
    }
    return !left.isEmpty
  }
}
