/// A read-only run of bytes that stays valid for as long as this value lives: usually part of a mapped file.
@safe
public struct TensorBytes: Sendable {
  /// Number of bytes.
  public let count: Int
  // Immutable memory that `owner` keeps mapped, so sharing the pointer between threads is sound.
  nonisolated(unsafe) private let base: UnsafeRawPointer
  private let owner: any AnyObject & Sendable

  /// Wraps `count` bytes at `base`, which `owner` must keep readable and unchanged.
  @unsafe public init(base: UnsafeRawPointer, count: Int, owner: any AnyObject & Sendable) {
    unsafe self.base = base
    self.count = count
    self.owner = owner
  }

  /// Calls `body` with a bounds-checked view of the bytes.
  public func withSpan<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(owner) {} }
    return try unsafe body(RawSpan(_unsafeStart: base, byteCount: count))
  }

  /// Calls `body` with the bytes; the pointer must not leave it.
  @unsafe public func withUnsafeBytes<R, E: Error>(
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
}
