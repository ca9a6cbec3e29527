public import Kernels

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
  let pass: ForwardPass
  let operations: Operations
  // The row of the scratch's logits that is of the last token; nil before there was a pass.
  private var row: Int?
  // Tokens at the end of the cache that were only proposed; their logits are the rows behind `row`.
  private(set) var proposed = 0

  /// Tokens per pass of a prompt: weights are read once for all of them, and a cancellation waits for one layer.
  package static let batch = 64

  /// Prepares a session; nothing of the base is copied.
  ///
  /// - Parameters:
  ///   - model: The shared base.
  ///   - adapters: Updates that are added to the base, each with its scale.
  ///   - contextLength: Tokens to reserve room for; the model's own context length if nil.
  ///   - cache: How keys and values are kept; F16 over quantized weights and F32 over others if nil.
  ///   - threads: Worker threads; one per processor if nil. Results do not depend on it.
  /// - Throws: `.contextTooLong`, `.noRoom`, `.adapterLayers` or `.adapterMismatch`.
  public convenience init(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    cache: CacheFormat? = nil, threads: Int? = nil
  ) throws(BaseModelError) {
    let operations = Operations(pool: WorkerPool.shared(threads: threads))
    try self.init(
      model, adapters: adapters, contextLength: contextLength, cache: cache,
      operations: operations)
  }

  /// As the public initializer, with the threads and kernels to use.
  package init(
    _ model: BaseModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    cache format: CacheFormat? = nil, operations: Operations
  ) throws(BaseModelError) {
    let limit = model.configuration.contextLength
    self.contextLength = contextLength ?? limit
    guard (1...limit).contains(self.contextLength) else {
      throw .contextTooLong(requested: self.contextLength, limit: limit)
    }
    for adapter in adapters { try adapter.checkFits(model.weights) }
    (self.model, self.adapters) = (model, adapters)
    cache = try KeyValueCache(
      model.configuration, capacity: self.contextLength,
      format: format ?? (model.isQuantized ? .f16 : .f32))
    self.operations = operations
    pass = ForwardPass(
      model, adapters: adapters.map { RowAdapter(adapter: $0) }, operations: operations,
      batch: min(ModelSession.batch, self.contextLength))
  }

  /// The tokens that have been evaluated, without those that were only proposed.
  public var tokens: [Int32] { proposed == 0 ? cache.tokens : cache.tokens.dropLast(proposed) }

  /// How many those are.
  var count: Int { cache.tokens.count - proposed }

  /// Evaluates `tokens` after those that the session holds; ``logits`` are then those of the last one.
  ///
  /// - Throws: `.emptyPrompt`, `.contextExceeded`, `.tokenOutsideVocabulary`, or
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
    forgetProposals()
    try check(tokens)
    try restore(isCancelled)
    var rest = tokens[...]
    while rest.count > pass.state.batch {
      let part = rest.prefix(pass.state.batch)
      try run(ForwardPass.Turn(tokens: part, cache: cache, logits: 0), isCancelled)
      row = nil
      rest = rest.dropFirst(part.count)
    }
    let more = fitting(proposals, after: rest.count, room: pass.state.batch)
    try run(
      ForwardPass.Turn(tokens: rest + more, cache: cache, logits: 1 + more.count), isCancelled)
    (row, proposed) = (0, more.count)
  }

  /// Evaluates again what has to be before anything else, because more was cut away with others: see ``RunningState``.
  func restore(_ isCancelled: () -> Bool) throws(BaseModelError) {
    while !cache.missing.isEmpty {
      let part = cache.tokens[cache.missing.prefix(pass.state.batch)]
      row = nil
      try run(ForwardPass.Turn(tokens: part, cache: cache, logits: 0), isCancelled)
    }
  }

  private func run(
    _ turn: ForwardPass.Turn, _ isCancelled: () -> Bool
  ) throws(BaseModelError) {
    do throws(BaseModelError) {
      try pass.run([turn], isCancelled: isCancelled)
    } catch {
      // A pass that is cancelled has not come to its logits.
      if error != .cancelled { row = nil }
      throw error
    }
  }

  /// Those of `proposals` that can be evaluated behind `count` tokens, in a pass of `room` rows.
  func fitting(_ proposals: [Int32], after count: Int, room: Int) -> ArraySlice<Int32> {
    let free = min(room - count, contextLength - self.count - count)
    let vocabulary = 0..<Int32(model.configuration.vocabularySize)
    return proposals.prefix(max(0, free)).prefix { vocabulary.contains($0) }
  }

  /// Whether `token` is what was proposed to come next.
  func hasProposed(_ token: Int32) -> Bool { proposed > 0 && cache.tokens[count] == token }

  /// Goes on with the token that was proposed: ``logits`` are then those of it, without a pass.
  func goOn() {
    guard let row, proposed > 0 else { preconditionFailure("nothing was proposed") }
    self.row = row + 1
    proposed -= 1
  }

  /// Forgets what was evaluated but has not come.
  func forgetProposals() {
    cache.truncate(to: count)
    proposed = 0
  }

  /// Evaluates `tokens` and hands out the logits of each, with its position.
  ///
  /// - Throws: As ``evaluate(_:isCancelled:)``, and `.nonFiniteLogits` or `.diverged`.
  public func evaluate(
    _ tokens: [Int32], isCancelled: () -> Bool = { Task.isCancelled },
    eachLogits body: (_ position: Int, _ logits: [Float]) -> Void
  ) throws(BaseModelError) {
    forgetProposals()
    try check(tokens)
    try restore(isCancelled)
    row = nil
    for start in stride(from: 0, to: tokens.count, by: pass.state.batch) {
      let end = min(start + pass.state.batch, tokens.count)
      let first = cache.tokens.count
      try pass.run(
        [ForwardPass.Turn(tokens: tokens[start..<end], cache: cache, logits: end - start)],
        isCancelled: isCancelled)
      for row in 0..<end - start {
        let logits = pass.state.logits.row(row)
        guard logits.allSatisfy(\.isFinite) else { throw notFinite(at: first + row) }
        body(first + row, logits)
      }
    }
  }

  /// The error for logits that are not finite: the base's own, or by what adapters change in it.
  func notFinite(at position: Int) -> BaseModelError {
    let names = adapters.map(\.identifier)
    return names.isEmpty
      ? .nonFiniteLogits(file: model.path, position: position)
      : .diverged(adapters: names, position: position)
  }

  /// Logits of the token after the last one evaluated, `(vocabulary)`; nil before any.
  public var logits: [Float]? { row.map(pass.state.logits.row) }

  /// FNV-1a hash of the bytes of ``logits``: changes when any bit of them does.
  package var logitsHash: UInt32? { row.map(pass.state.logits.hash) }

  /// The token of the highest of the logits, the lowest of several; nil when one is not finite.
  var mostLikelyToken: Int32? {
    guard let row else { preconditionFailure("nothing has been evaluated") }
    return pass.state.logits.placeOfLargest(row: row).map { Int32($0) }
  }

  /// Calls `body` with the logits without copying them.
  func withLogits<R>(_ body: (Span<Float>) -> R) -> R {
    guard let row else { preconditionFailure("nothing has been evaluated") }
    return pass.state.logits.withRow(row, body)
  }

  /// Forgets all tokens from position `count` on; none where there are no more.
  public func truncate(to count: Int) {
    forgetProposals()
    cache.truncate(to: min(count, self.count))
    row = nil
  }

  /// Takes over the logits `rows` that another pass has computed for this session; all but the first are of proposals.
  func take(_ rows: Range<Int>, of logits: Activations) {
    for (index, row) in rows.enumerated() {
      logits.copyRow(row, to: pass.state.logits, at: index)
    }
    (row, proposed) = (0, rows.count - 1)
  }

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
