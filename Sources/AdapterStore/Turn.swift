package import TensorFiles

/// Whose turn it is at what one process at a time does, as far as locks tell.
package enum Turn: Sendable {
  /// Ours, for as long as this value lives; without a lock where the file system has none, as everybody goes ahead then.
  case mine(FileLock?)
  /// Another's.
  case taken

  /// Asks for the lock on the file `path`.
  init(path: String) {
    self.init { () throws(TensorFileError) in try FileLock(path: path) }
  }

  /// Asks for the lock on the folder `path` itself.
  init(directory path: String) {
    self.init { () throws(TensorFileError) in try FileLock(directory: path) }
  }

  private init(_ lock: () throws(TensorFileError) -> FileLock?) {
    do throws(TensorFileError) {
      self = try lock().map(Turn.mine) ?? .taken
    } catch {
      self = .mine(nil)
    }
  }
}
