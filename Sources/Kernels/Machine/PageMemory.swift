import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Zeroed memory by the page: it costs nothing until it is touched, so a long context may be reserved whole.
///
/// Who writes a part of it has to be its only user until then.
@safe
package final class PageMemory: Sendable {
  /// Number of bytes.
  package let count: Int
  nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Reserves `count` bytes, in huge pages where `isLong` and the system has them; ends the process by
  /// ``MemoryShortage`` when the address space has no room for them.
  package init(count: Int, isLong: Bool = false) {
    self.count = max(count, 1)
    guard let pages = unsafe Self.pages(self.count) else { MemoryShortage.end(self.count) }
    unsafe base = pages
    if isLong { adviseHugePages() }
  }

  /// Reserves `count` bytes, as the other initializer; nil where the address space has no room for them.
  package init?(reserving count: Int, isLong: Bool = false) {
    self.count = max(count, 1)
    guard let pages = unsafe Self.pages(self.count) else { return nil }
    unsafe base = pages
    if isLong { adviseHugePages() }
  }

  private func adviseHugePages() {
    #if os(Linux)
      _ = unsafe madvise(base, count, MADV_HUGEPAGE)
    #endif
  }

  private static func pages(_ count: Int) -> UnsafeMutableRawPointer? {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let pages = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0)
    return unsafe pages == MAP_FAILED ? nil : pages
  }

  deinit {
    unsafe munmap(base, count)
  }
}

/// How a process ends that is in the middle of a pass, and gets no memory for it.
package enum MemoryShortage {
  private static let ending = Mutex<(@Sendable (Int) -> Never)?>(nil)

  /// Lets `end`, which is told the bytes that were wanted, say so and end the process; else it traps.
  package static func endsProcess(by end: @escaping @Sendable (_ bytes: Int) -> Never) {
    ending.withLock { $0 = end }
  }

  static func end(_ bytes: Int) -> Never {
    if let end = ending.withLock(\.self) { end(bytes) }
    fatalError("no room for \(bytes) bytes")
  }
}

/// Memory of this process.
public enum ProcessMemory {
  /// The most bytes that were resident at once, mapped files included.
  public static var peak: Int {
    var usage = rusage()
    guard unsafe getrusage(RUSAGE_SELF.code, &usage) == 0 else { return 0 }
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss * 1024
    #endif
  }
}

#if canImport(Glibc)
  // Glibc declares the constant as an enumeration of C, other systems as an integer.
  extension __rusage_who {
    fileprivate var code: Int32 { rawValue }
  }
#else
  extension Int32 {
    fileprivate var code: Int32 { self }
  }
#endif
