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
  /// Values: `(heads, positions, head size)`.
  case rows
}

/// The part of each page that has the keys, or the values, of one layer.
package struct CachePart: Sendable {
  /// Key/value heads.
  package let heads: Int
  /// Values per head.
  package let headSize: Int
  /// How each value is kept.
  package let format: CacheFormat
  let order: CacheOrder
  /// Bytes of a page in front of it, whole lines of memory.
  let offset: Int

  package init(heads: Int, headSize: Int, format: CacheFormat, order: CacheOrder, offset: Int) {
    precondition(heads > 0 && headSize > 0 && offset >= 0)
    (self.heads, self.headSize, self.format) = (heads, headSize, format)
    (self.order, self.offset) = (order, offset)
  }

  /// Bytes of a head at one position.
  var rowBytes: Int { ck_cache_row_bytes(format.code, headSize) }

  /// Bytes of all heads at one position.
  package var bytesPerToken: Int { heads * rowBytes }

  /// Bytes of a page up to its end.
  package var end: Int { (offset + CachePage.positions * bytesPerToken + 63) / 64 * 64 }
}

/// Keys or values of one layer, in the pages of a sequence.
package struct CacheRows {
  package let part: CachePart
  package let pages: CachePages

  package init(_ part: CachePart, in pages: CachePages) { (self.part, self.pages) = (part, pages) }

  func holds(_ heads: Int, _ headSize: Int, upTo end: Int) -> Bool {
    heads == part.heads && headSize == part.headSize && end <= pages.count * CachePage.positions
  }
}
