#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Zeroed memory by the page: it costs nothing until it is touched, so a long context may be reserved whole.
@safe
package final class PageMemory {
  /// Number of bytes.
  package let count: Int
  let base: UnsafeMutableRawPointer

  /// Reserves `count` bytes; traps when the address space has no room for them.
  package init(count: Int) {
    self.count = max(count, 1)
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let pages = unsafe mmap(nil, self.count, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
      preconditionFailure("no room for \(count) bytes")
    }
    unsafe base = pages
  }

  deinit {
    unsafe munmap(base, count)
  }
}
