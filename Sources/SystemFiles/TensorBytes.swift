#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A read-only run of bytes that stays valid for as long as this value lives: usually part of a mapped file.
@safe
public struct TensorBytes: Sendable {
  /// Number of bytes.
  public let count: Int
  // Immutable memory that `owner` keeps mapped, so sharing the pointer between threads is sound.
  @usableFromInline
  package nonisolated(unsafe) let base: UnsafeRawPointer
  @usableFromInline
  let owner: any AnyObject & Sendable

  /// Wraps `count` bytes at `base`, which `owner` must keep readable and unchanged.
  @unsafe
  public init(base: UnsafeRawPointer, count: Int, owner: any AnyObject & Sendable) {
    unsafe self.base = base
    self.count = count
    self.owner = owner
  }

  /// Copies `bytes` into memory of its own, aligned to 64 bytes.
  public init(_ bytes: [UInt8]) {
    let memory = unsafe bytes.withUnsafeBytes { unsafe HeapBytes(copying: $0) }
    unsafe self.init(base: memory.base, count: bytes.count, owner: memory)
  }

  /// Calls `body` with a bounds-checked view of the bytes.
  @inlinable
  public func withSpan<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(owner) {} }
    return try unsafe body(RawSpan(_unsafeStart: base, byteCount: count))
  }

  /// Calls `body` with the bytes; the pointer must not leave it.
  @unsafe
  @inlinable
  public func withUnsafeBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    defer { withExtendedLifetime(owner) {} }
    return try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// A part of these bytes; traps when `range` is outside them.
  public func slice(_ range: Range<Int>) -> TensorBytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "slice outside the bytes")
    return unsafe TensorBytes(base: base + range.lowerBound, count: range.count, owner: owner)
  }

  /// A copy of the bytes.
  public var array: [UInt8] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }
}

/// Memory that a `TensorBytes` owns.
@safe
private final class HeapBytes: Sendable {
  // Written once, before anyone else can see it.
  nonisolated(unsafe) let base: UnsafeRawPointer

  init(copying bytes: UnsafeRawBufferPointer) {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(bytes.count, 1), alignment: 64)
    unsafe memory.copyMemory(from: bytes)
    unsafe base = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
  }

  deinit {
    unsafe base.deallocate()
  }
}

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

extension Array where Element == UInt8 {
  /// Appends a copy of `bytes`.
  package mutating func append(copying bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
