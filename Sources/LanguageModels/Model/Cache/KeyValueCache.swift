import Kernels

/// Keys and values of the tokens that a session has evaluated, and what else its layers keep of them.
///
/// They belong to one base and one list of adapters. Pages are shared with what has the same tokens in front: they are copied before
/// they are written to.
package final class KeyValueCache {
  /// Per regular layer; keys are rotated.
  ///
  /// Nil of layers without attention, and of those that read another layer's.
  let keys: [CacheRows?]
  /// Per regular layer, as `keys`.
  let values: [CacheRows?]
  /// Nil in models without convolutions.
  let convolutions: ConvolutionCache?
  /// Nil in models without delta rules.
  let deltaRules: DeltaCache?
  /// Tokens that it may hold.
  package let capacity: Int
  /// The tokens that are held, in order.
  package private(set) var tokens: [Int32] = []

  private let pool: CachePool
  private let pages: CachePages
  // What was computed with another key is of no use.
  private var key: CacheKey
  // Of the first pages, those that others can find.
  private var found: [PrefixIndex.Node] = []

  /// An empty cache, which takes pages as it is filled.
  ///
  /// - Throws: `BaseModelError.noRoom` where the address space of the process has no place for `capacity` tokens.
  convenience init(
    _ configuration: ModelConfiguration, capacity: Int, adapters: [AppliedAdapter],
    _ pool: CachePool
  ) throws(BaseModelError) {
    let key = CacheKey(adapters, configuration.turnsFar(capacity) ? ["far"] : [])
    try self.init(
      capacity: capacity, key: key, pool,
      configuration.convolution.map { ConvolutionCache($0, width: configuration.width) },
      configuration.deltaRule.map { DeltaCache($0) })
  }

  private init(
    capacity: Int, key: CacheKey, _ pool: CachePool, _ convolutions: ConvolutionCache?,
    _ deltaRules: DeltaCache?
  ) throws(BaseModelError) {
    guard let pages = CachePages(capacity: capacity) else { throw .noRoom(context: capacity) }
    (self.capacity, self.key, self.pool, self.pages) = (capacity, key, pool, pages)
    (self.convolutions, self.deltaRules) = (convolutions, deltaRules)
    func rows(_ order: CacheOrder) -> [CacheRows?] {
      pool.layout.layers.map { $0.map { CacheRows($0, order, in: pages) } }
    }
    (keys, values) = (rows(.columns), rows(.rows))
    tokens.reserveCapacity(min(capacity, 1 << 16))
  }

  /// Another cache with the same tokens, which shares all pages.
  func copy() throws(BaseModelError) -> KeyValueCache {
    let copy = try KeyValueCache(
      capacity: capacity, key: key, pool, convolutions?.copy(), deltaRules?.copy())
    copy.tokens += tokens
    copy.found = found
    for index in 0..<Self.pages(tokens.count) { copy.pages.append(pages[index]) }
    return copy
  }

  /// Others go on with what was computed, the last page also where it is not full: nobody writes to it any more.
  deinit {
    keepWholePages()
    let rest = tokens.dropFirst(found.count * CachePage.positions)
    guard (1..<CachePage.positions).contains(rest.count) else { return }
    _ = pool.keep(pages[found.count], rest, key[page: found.count], behind: found.last)
  }

  /// Bytes per token.
  package var bytesPerToken: Int { pool.bytesPerToken + (running?.bytesPerToken ?? 0) }

  /// Where the next row of a pass goes: behind all tokens, or before those that have to be evaluated again.
  var position: Int { running?.end ?? tokens.count }

  /// What is not a row per token; nil where there is nothing else.
  private var running: (any RunningState)? { deltaRules ?? convolutions }

  /// Tokens whose rows have to be computed again before any other: what they left elsewhere was cut away with others.
  var missing: Range<Int> { position..<tokens.count }

  /// Makes room for rows of `count` more positions, in pages that are this cache's own.
  ///
  /// - Throws: `.noPages` or `.noRoom`; what is held stays.
  func reserve(_ count: Int) throws(BaseModelError) {
    precondition(position + count <= capacity, "more tokens than the cache holds")
    keepWholePages()
    for index in position / CachePage.positions..<Self.pages(position + count) {
      guard index < pages.count else {
        pages.append(try pool.page(capacity))
        continue
      }
      guard !pages.owns(index) else { continue }
      let page = try pool.page(capacity)
      let held = tokens.count - index * CachePage.positions
      page.copy(min(max(0, held), CachePage.positions), of: pages[index], pool.layout.parts)
      pages[index] = page
      found.removeLast(max(0, found.count - index))
    }
    running?.willWrite(count)
  }

  /// Pages of `count` tokens.
  private static func pages(_ count: Int) -> Int {
    (count + CachePage.positions - 1) / CachePage.positions
  }

  /// Lets others find the pages that are full.
  private func keepWholePages() {
    while (found.count + 1) * CachePage.positions <= tokens.count {
      let first = found.count * CachePage.positions
      let kept = pool.keep(
        pages[found.count], tokens[first..<first + CachePage.positions],
        key[page: found.count], behind: found.last)
      guard let (node, page) = kept else { return }
      // Somebody else had computed the same.
      if page !== pages[found.count] { pages[found.count] = page }
      found.append(node)
    }
  }

  /// The first row that adapters act on, of those that are held and of those to come.
  ///
  /// Rows that another start would have made otherwise are forgotten.
  var start: Int {
    get { key.start }
    set {
      guard newValue != key.start else { return }
      keepWholePages()
      truncate(to: min(tokens.count, newValue, key.start))
      key.start = newValue
    }
  }

  /// Takes over what others have computed of the beginning of `text`, where that is more of it than is held.
  func adopt(_ text: ArraySlice<Int32>) {
    keepWholePages()
    guard let beginning = pool.beginning(text, key),
      beginning.count > zip(tokens, text).prefix(while: { $0 == $1 }).count
    else { return }
    truncate(to: 0)
    pages.truncate(to: 0)
    for page in beginning.pages { pages.append(page) }
    tokens += text.prefix(beginning.count)
    found = beginning.nodes
  }

  /// Counts `tokens` as held; their rows have been written by a forward pass.
  func append(_ tokens: some Collection<Int32>) {
    let known = min(missing.count, tokens.count)
    self.tokens.append(contentsOf: tokens.dropFirst(known))
    running?.advance(by: tokens.count)
    precondition(self.tokens.count <= capacity, "more tokens than the cache holds")
  }

  /// Forgets all tokens from position `count` on.
  package func truncate(to count: Int) {
    precondition((0...tokens.count).contains(count), "cannot truncate to \(count) tokens")
    tokens.removeLast(tokens.count - count)
    found.removeLast(max(0, found.count - count / CachePage.positions))
    // One more stays: what was only proposed may have begun it, and the next pass begins it again.
    pages.truncate(to: Self.pages(count) + 1)
    running?.truncate(to: count)
  }
}

extension ModelConfiguration {
  /// Whether keys are turned in another way than in sessions for fewer than `count` tokens.
  fileprivate func turnsFar(_ count: Int) -> Bool {
    if case .long(let length, _) = rotary.scaling { count > length } else { false }
  }
}
