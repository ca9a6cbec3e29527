import Dispatch
package import TensorFiles

/// What a download asks of the world; tests put their own in its place.
package struct DownloadSurroundings: Sendable {
  /// Seconds of a clock that only goes forward.
  package var seconds: @Sendable () -> Double
  /// Waits for so many seconds, less when the task is cancelled.
  package var sleep: @Sendable (Double) async -> Void
  /// A random number, 0 up to 1.
  package var random: @Sendable () -> Double
  /// Asks for the lock on a path.
  ///
  /// It only saves work: nothing correct depends on it.
  package var lock: @Sendable (_ path: String) -> Turn

  /// Whose turn it is.
  package enum Turn: Sendable {
    /// Ours, for as long as this value lives; without a lock where the file system has none.
    case mine(FileLock?)
    /// Another's.
    case taken
  }

  /// The real ones; waits are `scale` times as long as they would be.
  package init(scale: Double = 1) {
    seconds = { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
    sleep = { try? await Task.sleep(for: .seconds($0 * scale)) }
    random = { Double.random(in: 0..<1) }
    lock = { path in
      do throws(TensorFileError) {
        return try FileLock(path: path).map(Turn.mine) ?? .taken
      } catch {
        return .mine(nil)
      }
    }
  }
}
