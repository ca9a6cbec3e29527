import Adapters
import Grammars
public import Kernels
import SystemFiles

/// A base with adapters and the tokens it has seen: what one conversation needs, owned by one task.
///
/// Sessions share the base, the adapters and the worker threads, and may run at the same time. The thread that calls computes, too: it
/// has to have 512 KiB of stack, which those of ``GenerationActor`` do under any `ulimit -s`.
public final class ModelSession {
  /// The shared base.
  public let model: BaseModel
  /// Updates of the base, summed.
  public let adapters: [AppliedAdapter]
  /// Tokens that the session holds at most.
  public let contextLength: Int

  package let cache: KeyValueCache
  let operations: Operations
  // Where the logits of the last token are; nil before there was a pass, and when another may have put others there.
  private var place: (logits: Activations, row: Int)?
  /// The tokens that ``place`` has logits of; nil for all.
  private var known: TokenMask?
  // Tokens at the end of the cache that were only proposed; their logits are the rows behind that of the last token.
  private(set) var proposed = 0
  /// What evaluates the session when no other scheduler does; found or made when it is first asked for.
  var alone: Scheduler {
    if let own { return own }
    let scheduler =
      passes?.takeIdle(operations) ?? Scheduler(model, width: 1, operations: operations)
    own = scheduler
    return scheduler
  }
  private var own: Scheduler?
  /// Passes that it shares with sessions on other threads; nil where it has its own.
  package var passes: SharedPasses?
  private var kept: Activations?
  // Whether it is known where an activated adapter begins in the text that is to be evaluated.
  private var hasBegun = false

  /// Tokens of a sequence per pass: weights are read once for all of them, and a cancellation waits for one layer.
  package static let batch = 64

  /// Prepares a session; nothing of the base is copied.
  ///
  /// - Parameters:
  ///   - model: The shared base.
  ///   - adapters: Updates that are added to the base, each with its scale; an activated one stands alone.
  ///   - contextLength: Tokens to have room for; the model's own context length if nil.
  ///   - cache: How keys and values are kept; F16 over quantized weights and F32 over others if nil.
  ///   - threads: Worker threads; one per processor if nil. Results do not depend on it.
  /// - Throws: `.contextTooLong`, `.noRoom`, `.adapterLayers`, `.adapterMismatch`, `.tokenOutsideVocabulary` or
  ///   `.activatedBesideOthers`.
  public convenience init(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    cache: CacheFormat? = nil, threads: Int? = nil
  ) throws(BaseModelError) {
    let operations = Operations(pool: WorkerPool.shared(threads: threads))
    try self.init(
      model, adapters: adapters, contextLength: contextLength, cache: cache,
      operations: operations)
  }

  /// Prepares a session whose keys and values are in `pool`, which is one of `model`: it finds again what others have computed of the
  /// beginning of its text.
  ///
  /// - Throws: As ``init(_:adapters:contextLength:cache:threads:)``.
  public convenience init(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    pool: CachePool, threads: Int? = nil
  ) throws(BaseModelError) {
    try self.init(
      model, adapters: adapters, contextLength: contextLength, pool: pool,
      operations: Operations(pool: WorkerPool.shared(threads: threads)))
  }

  /// As the public initializer, with the threads and kernels to use.
  package convenience init(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    cache format: CacheFormat? = nil, operations: Operations
  ) throws(BaseModelError) {
    let pool = CachePool(
      model.configuration, format ?? model.usualCacheFormat, isShared: false)
    try self.init(
      model, adapters: adapters, contextLength: contextLength, pool: pool, operations: operations)
  }

  private init(
    _ model: BaseModel, adapters: [AppliedAdapter], contextLength: Int?, pool: CachePool,
    operations: Operations
  ) throws(BaseModelError) {
    let limit = model.configuration.contextLength
    self.contextLength = contextLength ?? limit
    guard (1...limit).contains(self.contextLength) else {
      throw .contextTooLong(requested: self.contextLength, limit: limit)
    }
    for adapter in adapters { try adapter.checkFits(model) }
    if adapters.count > 1, let activated = adapters.first(where: { $0.invocation != nil }) {
      throw .activatedBesideOthers(identifier: activated.identifier)
    }
    (self.model, self.adapters, self.operations) = (model, adapters, operations)
    cache = try KeyValueCache(
      model.configuration, capacity: self.contextLength, adapters: adapters, pool)
  }

  deinit {
    if let own { passes?.leave(own) }
  }

  private init(fork session: ModelSession) throws(BaseModelError) {
    (model, adapters) = (session.model, session.adapters)
    (contextLength, operations) = (session.contextLength, session.operations)
    cache = try session.cache.copy()
  }

  /// Another session that has seen the same tokens, and goes on by itself; keys and values are shared as far as both have them.
  ///
  /// - Throws: `.noRoom`.
  public func fork() throws(BaseModelError) -> ModelSession {
    forgetProposals()
    return try ModelSession(fork: self)
  }

  /// The tokens that have been evaluated, without those that were only proposed.
  public var tokens: [Int32] { proposed == 0 ? cache.tokens : cache.tokens.dropLast(proposed) }

  /// How many those are.
  var count: Int { cache.tokens.count - proposed }

  /// The first token of the session's text that the adapters act on; nil where the invocation of an activated one does not occur.
  public var start: Int? { cache.start == .max ? nil : cache.start }

  /// Says which text is to be evaluated: an activated adapter begins at its last invocation in it.
  ///
  /// What the session holds is forgotten as far as it was computed otherwise. ``TokenGenerator`` does this with its prompt, and
  /// ``evaluate(_:isCancelled:)`` with the first tokens of a session that holds none, where nobody has done it before.
  package func begin(_ text: [Int32]) {
    guard let adapter = adapters.first, adapter.invocation != nil else { return }
    forgetProposals()
    cache.start = adapter.start(in: text)
    (place, hasBegun) = (nil, true)
  }

  /// Evaluates `tokens` after those that the session holds; ``logits`` are then those of the last one.
  ///
  /// - Throws: `.emptyPrompt`, `.contextExceeded`, `.tokenOutsideVocabulary`, `.noRoom`, `.noPages`, or
  ///   `.cancelled`, within a layer of `isCancelled` becoming true; whole batches before that are kept.
  public func evaluate(
    _ tokens: [Int32], isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) {
    try evaluate(tokens, proposing: [], isCancelled: isCancelled)
  }

  /// As ``evaluate(_:isCancelled:)``, and in the same pass what may come next: see ``goOn()``.
  ///
  /// Of `proposals` those are left out that the session cannot take.
  func evaluate(
    _ tokens: [Int32], proposing proposals: [Int32], isCancelled: () -> Bool
  ) throws(BaseModelError) {
    try eachPart(of: tokens) { part, left throws(BaseModelError) in
      var slice = SequenceSlice(self, part, logits: left == 0 ? 1 : 0)
      if left == 0 { slice.propose(proposals, room: Self.batch) }
      try alone.evaluate(slice, isCancelled)
    }
  }

  /// Calls `body` with what a pass takes of `tokens`, and of what has to be evaluated before them, and with how many are left.
  private func eachPart(
    of tokens: [Int32],
    _ body: (_ part: ArraySlice<Int32>, _ left: Int) throws(BaseModelError) -> Void
  ) throws(BaseModelError) {
    forgetProposals()
    try check(tokens)
    if count == 0, !hasBegun { begin(tokens) }
    var rest = unseen(tokens)[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.batch)
      rest = rest.dropFirst(part.count)
      try body(part, rest.count)
    }
  }

  /// Evaluates `tokens` and hands out the logits of each, with its position.
  ///
  /// - Throws: As ``evaluate(_:isCancelled:)``, and `.nonFiniteLogits` or `.diverged`.
  public func evaluate(
    _ tokens: [Int32], isCancelled: () -> Bool = { Task.isCancelled },
    eachLogits body: (_ position: Int, _ logits: [Float]) -> Void
  ) throws(BaseModelError) {
    try eachPart(of: tokens) { part, left throws(BaseModelError) in
      let count = max(0, min(part.count, tokens.count - left))
      try alone.evaluate(SequenceSlice(self, part, logits: count), isCancelled)
      guard let (logits, last) = place else { return }
      place = nil
      for row in last + 1 - count...last {
        let position = cache.tokens.count - 1 - (last - row)
        let values = logits.row(row)
        guard values.allSatisfy(\.isFinite) else { throw notFinite(at: position) }
        body(position, values)
      }
    }
  }

  /// `tokens` and, in front of them, what was cut away with others and has to be evaluated again: see ``RunningState``.
  func unseen(_ tokens: [Int32]) -> [Int32] {
    cache.missing.isEmpty ? tokens : cache.tokens[cache.missing] + tokens
  }

  /// Whether it applies `others`, and nothing else.
  func hasAdapters(_ others: [AppliedAdapter]) -> Bool {
    adapters.elementsEqual(others) { $0.matrices === $1.matrices && $0.scale == $1.scale }
  }

  /// Whether `token` is what was proposed to come next.
  func hasProposed(_ token: Int32) -> Bool { proposed > 0 && cache.tokens[count] == token }

  /// Goes on with the token that was proposed: ``logits`` are then those of it, without a pass.
  func goOn() {
    guard let place, proposed > 0 else { preconditionFailure("nothing was proposed") }
    self.place = (place.logits, place.row + 1)
    proposed -= 1
  }

  /// Forgets what was evaluated but has not come.
  func forgetProposals() {
    cache.truncate(to: count)
    proposed = 0
  }

  /// The error for logits that are not finite: the base's own, or by what adapters change in it.
  func notFinite(at position: Int) -> BaseModelError {
    let names = adapters.map(\.identifier)
    return names.isEmpty
      ? .nonFiniteLogits(file: model.path, position: position)
      : .diverged(adapters: names, position: position)
  }

  /// Logits of the token after the last one evaluated, `(vocabulary)`; nil before any, after a batch, and where a constraint of the
  /// generation needed few of them.
  public var logits: [Float]? { whole.map { $0.logits.row($0.row) } }

  /// FNV-1a hash of the bytes of ``logits``: changes when any bit of them does.
  package var logitsHash: UInt32? { whole.map { $0.logits.hash(row: $0.row) } }

  private var whole: (logits: Activations, row: Int)? { known == nil ? place : nil }

  /// Whether there are logits of other tokens than `tokens`, too; traps where there are none of some of them.
  func hasLogits(beside tokens: TokenMask) -> Bool {
    guard let known else { return true }
    precondition(tokens.isSubset(of: known), "a constraint that allows what it did not before")
    return false
  }

  /// The token of the highest of the logits, the lowest of several; nil when one is not finite.
  var mostLikelyToken: Int32? {
    guard let place else { preconditionFailure("nothing has been evaluated") }
    return place.logits.placeOfLargest(row: place.row).map { Int32($0) }
  }

  /// Calls `body` with the logits without copying them.
  func withLogits<R>(_ body: (Span<Float>) -> R) -> R {
    guard let place else { preconditionFailure("nothing has been evaluated") }
    return place.logits.withRow(place.row, body)
  }

  /// Forgets all tokens from position `count` on; none where there are no more.
  public func truncate(to count: Int) {
    forgetProposals()
    cache.truncate(to: min(count, self.count))
    place = nil
    if self.count == 0 { hasBegun = false }
  }

  /// Takes over what the pool has of the beginning of `text`, where that is more than the session holds.
  func adopt(_ text: ArraySlice<Int32>) {
    forgetProposals()
    cache.adopt(text)
    place = nil
  }

  /// Counts the tokens of `slice` as seen: a pass has computed their rows, and in `logits` those that it asked for, the first in row
  /// `first`.
  ///
  /// - Throws: `.file(.changed)` when the file of an adapter is no longer the one that was opened; nothing was seen then.
  func take(_ slice: SequenceSlice, _ logits: Activations, _ first: Int) throws(BaseModelError) {
    place = nil
    do throws(FileError) {
      for adapter in adapters { try adapter.source?.checkUnchanged() }
    } catch {
      throw .file(error)
    }
    cache.append(slice.tokens)
    proposed = slice.proposed
    guard slice.logits > 0 else { return }
    (place, known) = ((logits, first + slice.logits - 1 - slice.proposed), slice.wanted)
  }

  /// Copies the logits, as others will be put where they are.
  func keepLogits() {
    // Where the pass had no row for their token, they are those of the one before.
    guard let place, place.logits !== kept else { return }
    let rows = proposed + 1
    let kept =
      kept.flatMap { $0.capacity >= rows ? $0 : nil }
      ?? Activations(capacity: rows, columns: place.logits.columns)
    for row in 0..<rows { place.logits.copyRow(place.row + row, to: kept, at: row) }
    (self.kept, self.place) = (kept, (kept, 0))
  }

  /// Forgets where the logits are: others will be put there.
  func leaveLogits() { place = nil }

  /// Whether `tokens` may come next.
  func check(_ tokens: [Int32]) throws(BaseModelError) {
    guard !tokens.isEmpty else { throw .emptyPrompt }
    let needed = count + tokens.count
    guard needed <= contextLength else {
      throw .contextExceeded(limit: contextLength, needed: needed)
    }
    let vocabulary = model.configuration.vocabularySize
    for token in tokens where !(0..<vocabulary).contains(Int(token)) {
      throw .tokenOutsideVocabulary(token: token, count: vocabulary)
    }
  }
}

/// Tokens of one session that a pass is to evaluate after those in its cache.
struct SequenceSlice {
  let session: ModelSession
  private(set) var tokens: ArraySlice<Int32>
  /// Of so many of its last tokens logits are wanted.
  private(set) var logits: Int
  /// So many of its last tokens are only proposed.
  private(set) var proposed = 0
  /// The tokens that logits are wanted of; nil for all.
  var wanted: TokenMask?

  /// So many of its first tokens stand before the invocation of an activated adapter, and are the base's.
  var dormant: Int { min(max(0, session.cache.start - session.cache.position), tokens.count) }

  /// Whether an activated adapter begins within the slice.
  private var isCrossing: Bool { dormant > 0 && dormant < tokens.count }

  init(_ session: ModelSession, _ tokens: ArraySlice<Int32>, logits: Int) {
    (self.session, self.tokens, self.logits) = (session, tokens, logits)
  }

  /// What a pass that has `others` can take of the tokens: an adapter begins in one slice of it.
  func beginning(beside others: [SequenceSlice]) -> ArraySlice<Int32> {
    isCrossing && others.contains { $0.isCrossing && $0.session.hasAdapters(session.adapters) }
      ? tokens.prefix(dormant) : tokens
  }

  /// Adds those of `proposals` that the session can take in a pass with `room` rows for it; logits of each are wanted then.
  mutating func propose(_ proposals: [Int32], room: Int) {
    guard !proposals.isEmpty else { return }
    let held = session.cache.position + tokens.count
    let free = min(room - tokens.count, session.contextLength - held)
    let vocabulary = 0..<Int32(session.model.configuration.vocabularySize)
    let more = proposals.prefix(max(0, free)).prefix { vocabulary.contains($0) }
    tokens += more
    (logits, proposed) = (logits + more.count, more.count)
  }
}
