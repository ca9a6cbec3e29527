import Kernels

/// What the rows of a text depend on beside its tokens.
///
/// Up to where an activated adapter begins they are the base's, and anybody finds them; behind that they are the adapter's.
struct CacheKey {
  /// Of the rows in front of ``start``.
  private let before: [String]
  /// Of the others.
  private let behind: [String]
  /// The first row that adapters act on: 0 for most, `Int.max` for an activated one without its invocation.
  var start: Int

  /// The key of rows computed with `adapters`; `others` is what they depend on with any.
  init(_ adapters: [AppliedAdapter], _ others: [String]) {
    before = others
    behind = adapters.map(\.cacheKey) + others
    start = adapters.contains { $0.invocation != nil } ? .max : 0
  }

  /// What the page at `index` is found by.
  subscript(page index: Int) -> [String] {
    guard start > 0 else { return behind }
    return (index + 1) * CachePage.positions <= start ? before : behind + ["from \(start)"]
  }

  /// What is of use for the page at `index`, and how many of its rows.
  func choices(page index: Int) -> [(key: [String], rows: Int)] {
    let own = (self[page: index], CachePage.positions)
    let rows = start - index * CachePage.positions
    // Of the page in which the adapter begins, the base's first rows are as good.
    guard rows > 0, rows < CachePage.positions else { return [own] }
    return [own, (before, rows)]
  }
}

extension AppliedAdapter {
  /// What keys and values that were computed with it belong to.
  fileprivate var cacheKey: String { "\(contentHash) \(scale)" }
}
