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

/// The part of each page that has the keys and values of one layer, `(heads, blocks, keys and values, …)`.
package struct CachePart: Sendable {
  /// Key/value heads.
  package let heads: Int
  /// Values per head.
  package let headSize: Int
  /// How each value is kept.
  package let format: CacheFormat
  /// Bytes of a page in front of it, whole lines of memory.
  let offset: Int

  package init(heads: Int, headSize: Int, format: CacheFormat, offset: Int) {
    precondition(heads > 0 && headSize > 0 && offset >= 0)
    (self.heads, self.headSize, self.format, self.offset) = (heads, headSize, format, offset)
  }

  /// Bytes of the keys, or the values, of a head at one position.
  var rowBytes: Int { ck_cache_row_bytes(format.code, headSize) }

  /// Bytes of all keys and values at one position.
  package var bytesPerToken: Int { heads * 2 * rowBytes }

  /// Bytes of a page up to its end.
  package var end: Int { (offset + CachePage.positions * bytesPerToken + 63) / 64 * 64 }
}

/// Where attention finds the values of a head.
package enum CacheOrder: Sendable {
  /// Keys: in blocks of neighbouring positions, which a vector of the kernels takes together, `(head size, positions)`.
  case columns
  /// Values: `(positions, head size)`.
  case rows
}

/// Keys or values of one layer, in the pages of a sequence.
package struct CacheRows {
  package let part: CachePart
  package let order: CacheOrder
  package let pages: CachePages

  package init(_ part: CachePart, _ order: CacheOrder, in pages: CachePages) {
    (self.part, self.order, self.pages) = (part, order, pages)
  }

  /// Bytes of a page in front of the first block.
  var offset: Int {
    order == .columns ? part.offset : part.offset + CK_ATTENTION_BLOCK * part.rowBytes
  }

  func holds(_ heads: Int, _ headSize: Int, upTo end: Int) -> Bool {
    heads == part.heads && headSize == part.headSize && end <= pages.count * CachePage.positions
  }
}
