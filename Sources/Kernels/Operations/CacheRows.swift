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

/// Where attention finds the values of a head.
package enum CacheOrder: Sendable {
  /// Keys: in blocks of neighbouring positions, which a vector of the kernels takes together, `(heads, blocks, head size, positions)`.
  case columns
  /// Values: `(heads, capacity, head size)`.
  case rows
}

/// Keys or values of one layer.
package struct CacheRows {
  /// Key/value heads.
  package let heads: Int
  /// Positions that there is room for.
  package let capacity: Int
  /// Values per head.
  package let headSize: Int
  /// How each value is kept.
  package let format: CacheFormat
  let order: CacheOrder
  let memory: PageMemory

  /// Nil where the address space has no room for so many.
  package init?(heads: Int, capacity: Int, headSize: Int, format: CacheFormat, order: CacheOrder) {
    guard capacity < .max - CK_ATTENTION_BLOCK else { return nil }
    let (rows, isTooMany) = heads.multipliedReportingOverflow(by: Self.room(capacity))
    let (count, isTooLarge) = rows.multipliedReportingOverflow(
      by: ck_cache_row_bytes(format.code, headSize))
    guard !isTooMany, !isTooLarge, let memory = PageMemory(reserving: count) else { return nil }
    (self.heads, self.capacity, self.headSize, self.format) = (heads, capacity, headSize, format)
    (self.order, self.memory) = (order, memory)
  }

  // Whole blocks.
  private static func room(_ capacity: Int) -> Int {
    (capacity + CK_ATTENTION_BLOCK - 1) / CK_ATTENTION_BLOCK * CK_ATTENTION_BLOCK
  }

  /// Positions of a head in memory, some of them behind the last one.
  var room: Int { Self.room(capacity) }

  /// Bytes that a full cache takes.
  package var bytes: Int { heads * capacity * ck_cache_row_bytes(format.code, headSize) }

  func holds(_ heads: Int, _ headSize: Int, upTo end: Int) -> Bool {
    heads == self.heads && headSize == self.headSize && end <= capacity
  }
}
