/// A read-only run of bytes that stays valid for as long as this value lives: usually part of a mapped file.
@safe
public struct TensorBytes: Sendable {
  /// Number of bytes.
  public let count: Int
  // Immutable memory that `owner` keeps mapped, so sharing the pointer between threads is sound.
  @usableFromInline
  nonisolated(unsafe) let base: UnsafeRawPointer
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
