import CKernels
import Synchronization

/// Keys and values of neighbouring positions in all layers.
///
/// Who has the only reference may write. What others refer to, too, is only read.
package final class CachePage: Sendable {
  /// Positions of a page.
  package static let positions = Int(CK_CACHE_PAGE)

  let memory: PageMemory
  private let budget: CacheBudget

  /// Nil where the budget or the address space has no room for `bytes` more.
  package init?(bytes: Int, _ budget: CacheBudget) {
    guard budget.take(bytes) else { return nil }
    guard let memory = PageMemory(reserving: bytes) else {
      budget.give(bytes)
      return nil
    }
    (self.memory, self.budget) = (memory, budget)
  }

  deinit { budget.give(memory.count) }

  /// Takes over the first `count` positions of `source`, in blocks; both are laid out as `parts`.
  package func copy(_ count: Int, of source: CachePage, _ parts: [CachePart]) {
    precondition(
      (0...Self.positions).contains(count) && parts.allSatisfy { $0.end <= memory.count })
    precondition(source !== self && source.memory.count == memory.count)
    let blocks = (count + CK_ATTENTION_BLOCK - 1) / CK_ATTENTION_BLOCK
    for part in parts {
      let bytes = blocks * CK_ATTENTION_BLOCK * part.rowBytes
      for head in 0..<part.heads {
        let place = part.offset + head * Self.positions * part.rowBytes
        unsafe (memory.base + place).copyMemory(from: source.memory.base + place, byteCount: bytes)
      }
    }
  }
}

/// Bytes that pages may take together.
package final class CacheBudget: Sendable {
  /// The most there may be at once.
  package let limit: Int
  private let taken = Mutex(0)

  package init(limit: Int = .max) { self.limit = limit }

  /// Bytes of the pages that there are.
  package var used: Int { taken.withLock(\.self) }

  fileprivate func take(_ bytes: Int) -> Bool {
    taken.withLock { taken in
      guard bytes <= limit - taken else { return false }
      taken += bytes
      return true
    }
  }

  fileprivate func give(_ bytes: Int) { taken.withLock { $0 -= bytes } }
}

/// The pages of one sequence, in the order of its positions.
@safe
package final class CachePages {
  private var pages: [CachePage] = []
  // Where they are, as kernels find them.
  private let places: PageMemory

  /// Room for the pages of `capacity` positions; nil where the address space has none for so many.
  package init?(capacity: Int) {
    let count = capacity / CachePage.positions + 1
    guard let places = PageMemory(reserving: count * Self.stride)
    else { return nil }
    self.places = places
  }

  private static var stride: Int { MemoryLayout<Int>.stride }

  /// How many there are.
  package var count: Int { pages.count }

  /// Where each is.
  var table: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    unsafe places.base.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  package subscript(index: Int) -> CachePage {
    get { pages[index] }
    set {
      pages[index] = newValue
      unsafe table[index] = newValue.memory.base
    }
  }

  /// Whether nothing else refers to the page at `index`, so that it may be written to.
  package func owns(_ index: Int) -> Bool { isKnownUniquelyReferenced(&pages[index]) }

  /// Puts a page behind the last one.
  package func append(_ page: CachePage) {
    precondition(pages.count < places.count / Self.stride)
    pages.append(page)
    unsafe table[pages.count - 1] = page.memory.base
  }

  /// Lets go of the pages from `count` on.
  package func truncate(to count: Int) { pages.removeLast(max(0, pages.count - count)) }
}
