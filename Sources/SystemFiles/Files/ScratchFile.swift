import Glibc
import Synchronization

/// A file without a name, for numbers that have no room in memory; it is gone when the last reference goes, or the program ends.
package final class ScratchFile: Sendable {
  private let descriptor: Int32
  private let path: String
  private static let count = Atomic(0)

  /// Makes one on the disk of `folder`.
  ///
  /// - Throws: `FileError.system`.
  package init(in folder: String) throws(FileError) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    path = FilePath.join(folder, ".fmadapter-scratch-\(getpid())-\(number)")
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(.create, path: path, code: errno) }
    _ = unsafe unlink(path)
  }

  deinit {
    close(descriptor)
  }

  /// Writes `values` from that at `index` on.
  ///
  /// - Throws: `FileError.system`.
  package func write(_ values: [UInt64], at index: Int) throws(FileError) {
    let code = unsafe values.withUnsafeBytes { buffer -> Int32 in
      var done = 0
      while done < buffer.count {
        let count = unsafe pwrite(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done,
          8 * index + done)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        done += count
      }
      return 0
    }
    guard code == 0 else { throw .system(.write, path: path, code: code) }
  }

  /// The values at the indices of `range`, which were written.
  ///
  /// - Throws: `FileError.system`, or `.changed` where there are fewer.
  package func read(_ range: Range<Int>) throws(FileError) -> [UInt64] {
    var values = [UInt64](repeating: 0, count: range.count)
    let (size, start) = (8 * range.count, 8 * range.lowerBound)
    let code = unsafe values.withUnsafeMutableBytes { buffer -> Int32 in
      var done = 0
      while done < size {
        let count = unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + done }, size - done, start + done)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : -1 }
        done += count
      }
      return 0
    }
    guard code == 0 else {
      throw code < 0 ? .changed(path: path) : .system(.read, path: path, code: code)
    }
    return values
  }
}
