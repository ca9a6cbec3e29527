import Glibc
import Synchronization

/// A file without a name, for numbers that have no room in memory; it is gone when the last reference goes, or the program ends.
package final class ScratchFile: Sendable {
  private let file: WritableFile
  private static let count = Atomic(0)

  /// The user's folder for what is temporary; nil where nothing can be written into it.
  package static var folder: String? {
    let named = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    let folder = named.isEmpty ? "/var/tmp" : named
    return FileSystem.isWritable(directory: folder) ? folder : nil
  }

  /// Makes one on the disk of `folder`.
  ///
  /// - Throws: `FileError.system`.
  package init(in folder: String) throws(FileError) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    file = try WritableFile(
      withoutNameAt: FilePath.join(folder, ".fmadapter-scratch-\(getpid())-\(number)"))
  }

  /// Writes `values` from that at `index` on.
  ///
  /// - Throws: `FileError.system`.
  package func write(_ values: [UInt64], at index: Int) throws(FileError) {
    try unsafe file.write(values.span.bytes, at: 8 * index)
  }

  /// The values at the indices of `range`, which were written.
  ///
  /// - Throws: `FileError.system`, or `.changed` where there are fewer.
  package func read(_ range: Range<Int>) throws(FileError) -> [UInt64] {
    let bytes = try file.read(8 * range.lowerBound..<8 * range.upperBound)
    guard bytes.count == 8 * range.count else { throw .changed(path: file.path) }
    return unsafe [UInt64](unsafeUninitializedCapacity: range.count) { values, count in
      unsafe UnsafeMutableRawBufferPointer(values).copyBytes(from: bytes)
      count = range.count
    }
  }
}
