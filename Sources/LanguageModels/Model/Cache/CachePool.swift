public import Kernels
import Synchronization

/// Pages of keys and values that sessions over one base share.
///
/// What one session has computed of a text another finds again, whose text begins with the same tokens and whose adapters are
/// the same; such pages are kept after the session, until their memory is wanted.
public final class CachePool: Sendable {
  /// How keys and values are kept.
  public let format: CacheFormat
  /// Bytes that pages may take at once; nil where what sessions hold is not bounded, and nothing more is kept than they once held.
  public let limit: Int?

  let layout: CacheLayout
  private let memory: CacheMemory
  // Nil where nothing is to be found again.
  private let index: Mutex<PrefixIndex>?

  /// Pages for sessions over one base.
  ///
  /// - Parameters:
  ///   - model: The base.
  ///   - format: How keys and values are kept; F16 over quantized weights and F32 over others if nil.
  ///   - limit: Bytes that pages may take; sessions that need more fail with `.noPages`.
  public convenience init(_ model: BaseModel, format: CacheFormat? = nil, limit: Int? = nil) {
    self.init(
      model.configuration, format ?? model.usualCacheFormat, limit: limit,
      // A state that is no row per token is not in the pages.
      isShared: !model.configuration.hasRunningState)
  }

  /// As the public initializer; only a pool that is shared finds anything again.
  init(
    _ configuration: ModelConfiguration, _ format: CacheFormat, limit: Int? = nil, isShared: Bool
  ) {
    (self.format, self.limit) = (format, limit)
    layout = CacheLayout(configuration, format)
    memory = CacheMemory(
      pageBytes: layout.pageBytes, limit: limit ?? .max, prepares: isShared)
    index = isShared ? Mutex(PrefixIndex()) : nil
  }

  /// Bytes of the pages that there are, those among them that no session holds.
  public var bytes: Int { memory.used }

  /// Bytes of pages that a session may have with so many tokens, the one among them that it copies.
  package func bytes(ofTokens count: Int) -> Int {
    (count / CachePage.positions + 2) * layout.pageBytes
  }

  /// Tokens that a session has room for in so many bytes, as ``bytes(ofTokens:)`` counts.
  package func tokens(inBytes bytes: Int) -> Int {
    max(0, bytes / layout.pageBytes - 2) * CachePage.positions
  }

  /// Bytes of the keys and values of a token.
  var bytesPerToken: Int { layout.parts.reduce(0) { $0 + $1.bytesPerToken } }

  /// A page that nothing else refers to; what is in it is of no meaning.
  ///
  /// - Throws: `.noPages` at the limit, and `.noRoom` at the end of the address space, for a session of `context` tokens.
  func page(_ context: Int) throws(BaseModelError) -> CachePage {
    // Memory that nobody holds is taken before more is asked for, unless so much is allowed.
    if limit == nil, let page = unheld() { return page }
    if let page = CachePage(in: memory) ?? unheld() { return page }
    if let limit, memory.used > limit - layout.pageBytes { throw .noPages(limit: limit) }
    throw .noRoom(context: context)
  }

  private func unheld() -> CachePage? { index?.withLock { $0.takeUnheld() } }

  /// The longest beginning of `tokens` that was computed with what `key` names.
  func beginning(_ tokens: ArraySlice<Int32>, _ key: CacheKey) -> PrefixIndex.Beginning? {
    index?.withLock { $0.beginning(tokens, key) }
  }

  /// Lets others find `page` by `key`, which has `tokens` behind those of `node`, or the page that they find already; nil where nothing is to
  /// be found again.
  func keep(
    _ page: CachePage, _ tokens: ArraySlice<Int32>, _ key: [String],
    behind node: PrefixIndex.Node?
  ) -> (node: PrefixIndex.Node, page: CachePage)? {
    index?.withLock { $0.insert(page, tokens, key, behind: node) }
  }
}

extension ModelConfiguration {
  /// Whether layers keep what is no row per token.
  var hasRunningState: Bool { convolution != nil || deltaRule != nil }
}

extension BaseModel {
  var usualCacheFormat: CacheFormat { isQuantized ? .f16 : .f32 }
}
