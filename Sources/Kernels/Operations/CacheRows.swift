import CKernels

/// How keys and values are kept.
public enum CacheFormat: String, Sendable, CaseIterable {
  /// As they were computed.
  case f32
  /// Half of that.
  case f16
  /// 8 bits each and a scale for 32 of them: 53 % of F16.
  case q8

  var code: ck_cache_format {
    switch self {
    case .f32: CK_CACHE_F32
    case .f16: CK_CACHE_F16
    case .q8: CK_CACHE_Q8
    }
  }
}

/// Keys or values of one layer, `(heads, capacity, head size)`.
package struct CacheRows {
  /// Key/value heads.
  package let heads: Int
  /// Positions that there is room for.
  package let capacity: Int
  /// Values per head.
  package let headSize: Int
  /// How each value is kept.
  package let format: CacheFormat
  let memory: PageMemory

  /// Nil where the address space has no room for so many.
  package init?(heads: Int, capacity: Int, headSize: Int, format: CacheFormat) {
    let (rows, isTooMany) = heads.multipliedReportingOverflow(by: capacity)
    let (count, isTooLarge) = rows.multipliedReportingOverflow(
      by: ck_cache_row_bytes(format.code, headSize))
    guard !isTooMany, !isTooLarge, let memory = PageMemory(reserving: count) else { return nil }
    (self.heads, self.capacity, self.headSize, self.format) = (heads, capacity, headSize, format)
    self.memory = memory
  }

  /// Bytes that a full cache takes.
  package var bytes: Int { memory.count }

  func holds(_ heads: Int, _ headSize: Int, upTo end: Int) -> Bool {
    heads == self.heads && headSize == self.headSize && end <= capacity
  }
}
