import CKernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
    // So many of the first of them nobody has written to yet.
    var fresh = 0
    var isPreparing = false
  }

  private let state = Mutex(State())
  private let prepares: Bool

  /// Pages of `pageBytes`; where it `prepares`, the system finds memory for the next ones before somebody waits for them.
  package init(pageBytes: Int, limit: Int = .max, prepares: Bool = false) {
    precondition(pageBytes > 0)
    (self.pageBytes, self.limit) = (pageBytes, limit)
    self.prepares = prepares && pageBytes >= Self.longPage
  }

  /// Bytes of the pages that there are.
  package var used: Int { state.withLock(\.used) }

  fileprivate func take() -> Place? {
    let (place, isShort) = state.withLock { state -> (Place?, Bool) in
      guard pageBytes <= limit - state.used else { return (nil, false) }
      if state.free.isEmpty { fill(&state) }
      guard let place = state.free.popLast() else { return (nil, false) }
      state.fresh = min(state.fresh, state.free.count)
      state.used += pageBytes
      let isShort = prepares && !state.isPreparing && lacks(state)
      state.isPreparing = state.isPreparing || isShort
      return (place, isShort)
    }
    if isShort, !OwnThread.run({ [self] in prepare() }) {
      state.withLock { $0.isPreparing = false }
    }
    return place
  }

  /// Whether there are fewer pages than should be that have been written to, and room for more.
  private func lacks(_ state: State) -> Bool {
    let ready = state.free.count - state.fresh
    return ready < max(2, Self.readyBytes / pageBytes)
      && (ready + 1) * pageBytes <= limit - state.used
  }

  /// Writes to free pages until there are enough: a system may take some milliseconds to find memory for one.
  ///
  /// Whoever has just taken a page computes first: what is seen of it soonest is the first token of an answer.
  private func prepare() {
    usleep(Self.patience)
    while let place = nextFresh() {
      for byte in stride(from: 0, to: pageBytes, by: 1 << 12) {
        unsafe (place.slab.base + place.offset + byte).storeBytes(of: 0, as: UInt8.self)
      }
      state.withLock { $0.free.append(place) }
    }
  }

  private func nextFresh() -> Place? {
    state.withLock { state in
      if lacks(state) {
        if state.fresh == 0 { fill(&state) }
        if state.fresh > 0 {
          state.fresh -= 1
          return state.free.remove(at: state.fresh)
        }
      }
      state.isPreparing = false
      return nil
    }
  }

  private func fill(_ state: inout State) {
    let slab = slab()
    state.free.insert(contentsOf: slab, at: 0)
    state.fresh += slab.count
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

  /// Bytes of pages that are ready, but at least two: a copy of the last page of a text that goes on, and the one behind it.
  private static let readyBytes = 8 << 20
  private static let patience: UInt32 = 20_000
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
