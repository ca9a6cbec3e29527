import CKernels
import Synchronization

/// Keys and values of neighbouring positions in all layers.
///
/// Who has the only reference may write. What others refer to, too, is only read.
@safe
package final class CachePage: Sendable {
  /// Positions of a page.
  package static let positions = Int(CK_CACHE_PAGE)

  private let memory: CacheMemory
  private let place: CacheMemory.Place

  /// Nil where there is no room for one more.
  package init?(in memory: CacheMemory) {
    guard let place = memory.take() else { return nil }
    (self.memory, self.place) = (memory, place)
  }

  deinit { memory.give(place) }

  nonisolated var base: UnsafeMutableRawPointer { unsafe place.slab.base + place.offset }

  /// Takes over the first `count` positions of `source`, in blocks; both are laid out as `parts`.
  package func copy(_ count: Int, of source: CachePage, _ parts: [CachePart]) {
    precondition((0...Self.positions).contains(count) && source !== self)
    precondition(source.memory === memory && parts.allSatisfy { $0.end <= memory.pageBytes })
    let blocks = (count + CK_ATTENTION_BLOCK - 1) / CK_ATTENTION_BLOCK
    for part in parts {
      let bytes = blocks * CK_ATTENTION_BLOCK * 2 * part.rowBytes
      for head in 0..<part.heads {
        let place = part.offset + head * Self.positions * 2 * part.rowBytes
        unsafe (base + place).copyMemory(from: source.base + place, byteCount: bytes)
      }
    }
  }
}

/// Memory for pages of one size, up to a limit; what was a page once is the next one.
///
/// It comes in slabs of several pages, which the system may map in huge pages: a pass reads a little of every page in each layer.
package final class CacheMemory: Sendable {
  /// Bytes of a page.
  package let pageBytes: Int
  /// Bytes that pages may take at once.
  package let limit: Int

  struct Place {
    let slab: PageMemory
    let offset: Int
  }

  private struct State {
    var used = 0
    var free: [Place] = []
  }

  private let state = Mutex(State())

  package init(pageBytes: Int, limit: Int = .max) {
    precondition(pageBytes > 0)
    (self.pageBytes, self.limit) = (pageBytes, limit)
  }

  /// Bytes of the pages that there are.
  package var used: Int { state.withLock(\.used) }

  fileprivate func take() -> Place? {
    state.withLock { state in
      guard pageBytes <= limit - state.used else { return nil }
      if state.free.isEmpty { state.free = slab() }
      guard let place = state.free.popLast() else { return nil }
      state.used += pageBytes
      return place
    }
  }

  fileprivate func give(_ place: Place) {
    state.withLock { state in
      state.used -= pageBytes
      state.free.append(place)
    }
  }

  /// The pages of a new slab, the last one first; none where the address space has no room for it.
  private func slab() -> [Place] {
    let isLong = pageBytes >= Self.longPage
    let count = isLong ? max(1, Self.slabBytes / pageBytes) : Self.shortPages
    let (bytes, isTooMany) = pageBytes.multipliedReportingOverflow(by: count)
    guard !isTooMany, let slab = PageMemory(reserving: bytes, isLong: isLong) else { return [] }
    return (0..<count).reversed().map { Place(slab: slab, offset: $0 * pageBytes) }
  }

  private static let slabBytes = 16 << 20
  private static let longPage = 1 << 18
  private static let shortPages = 4
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
      unsafe table[index] = newValue.base
    }
  }

  /// Whether nothing else refers to the page at `index`, so that it may be written to.
  package func owns(_ index: Int) -> Bool { isKnownUniquelyReferenced(&pages[index]) }

  /// Puts a page behind the last one.
  package func append(_ page: CachePage) {
    precondition(pages.count < places.count / Self.stride)
    pages.append(page)
    unsafe table[pages.count - 1] = page.base
  }

  /// Lets go of the pages from `count` on.
  package func truncate(to count: Int) { pages.removeLast(max(0, pages.count - count)) }
}
