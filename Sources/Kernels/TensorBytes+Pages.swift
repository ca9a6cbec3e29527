#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An owner of tensor bytes whose pages hold what a file holds: they may be dropped at any time, and the next
/// reader gets them again.
package protocol FilePages: AnyObject, Sendable {}

extension TensorBytes {
  /// Drops the pages that these bytes fill from the memory of this process, if a file can bring them back.
  package func giveBackPages() {
    guard owner is any FilePages else { return }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let first = (Int(bitPattern: base) + page - 1) / page * page
      let end = (Int(bitPattern: base) + bytes.count) / page * page
      guard first < end else { return }
      // Only a hint: pages that stay are no error.
      _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, MADV_DONTNEED)
    }
  }
}
