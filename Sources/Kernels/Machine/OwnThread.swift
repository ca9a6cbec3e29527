#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads of this package, whose stacks are large enough for what it does on them, whatever the system gives.
///
/// By default that is what `ulimit -s` says, or 128 KiB with musl. A product alone takes 256 KiB of it, for rows that become tiles.
package enum OwnThread {
  /// Bytes of a stack: what Linux gives where nobody says otherwise.
  package static let stackBytes = 8 << 20

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread that nobody waits for; false where the system refuses one.
  package static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = start(body) else { return false }
    pthread_detach(thread)
    return true
  }

  /// Runs `body` on a new thread, to be joined; nil where the system refuses one.
  static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    // Made by the system: the initializer counts as that of whichever library saw the header first.
    unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { memory in
      guard let attributes = memory.baseAddress, unsafe pthread_attr_init(attributes) == 0 else {
        return nil
      }
      defer { unsafe pthread_attr_destroy(attributes) }
      unsafe pthread_attr_setstacksize(attributes, stackBytes)
      return unsafe start(body, attributes)
    }
  }

  private static func start(
    _ body: @escaping @Sendable () -> Void, _ attributes: UnsafeMutablePointer<pthread_attr_t>
  ) -> pthread_t? {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe pthread_create(
      &thread, attributes,
      { work in
        guard let work = unsafe work else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      return nil
    }
    return thread
  }
}
