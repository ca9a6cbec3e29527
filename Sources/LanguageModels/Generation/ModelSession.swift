public import Kernels

/// A base with adapters and the tokens it has seen: what one conversation needs, owned by one task.
///
/// Sessions share the base, the adapters and the worker threads, and may run at the same time.
public final class ModelSession {
  /// The shared base.
  public let model: LanguageModel
  /// Updates of the base, summed.
  public let adapters: [AppliedAdapter]
  /// Tokens that the session holds at most.
  public let contextLength: Int

  package let cache: KeyValueCache
  let pass: ForwardPass
  let operations: Operations
  // Which rows of the scratch's logits are the last pass's; 0 before there was one.
  private var hasLogits = false

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
  /// - Throws: `.contextTooLong`, `.adapterLayers` or `.adapterMismatch`.
  public convenience init(
    _ model: LanguageModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    cache: CacheFormat? = nil, threads: Int? = nil
  ) throws(LanguageModelError) {
    let operations = Operations(pool: WorkerPool.shared(threads: threads))
    try self.init(
      model, adapters: adapters, contextLength: contextLength, cache: cache,
      operations: operations)
  }

  /// As the public initializer, with the threads and kernels to use.
  package init(
    _ model: LanguageModel, adapters: [AppliedAdapter] = [], contextLength: Int? = nil,
    cache format: CacheFormat? = nil, operations: Operations
  ) throws(LanguageModelError) {
    let limit = model.configuration.contextLength
    self.contextLength = contextLength ?? limit
    guard (1...limit).contains(self.contextLength) else {
      throw .contextTooLong(requested: self.contextLength, limit: limit)
    }
    for adapter in adapters { try adapter.checkFits(model.weights) }
    (self.model, self.adapters) = (model, adapters)
    cache = KeyValueCache(
      model.configuration, capacity: self.contextLength,
      format: format ?? (model.isQuantized ? .f16 : .f32))
    self.operations = operations
    pass = ForwardPass(
      model, adapters: adapters.map { RowAdapter(adapter: $0) }, operations: operations,
      batch: min(ModelSession.batch, self.contextLength))
  }

  /// The tokens that have been evaluated.
  public var tokens: [Int32] { cache.tokens }

  /// Evaluates `tokens` after those that the session holds; ``logits`` are then those of the last one.
  ///
  /// - Throws: `.emptyPrompt`, `.contextExceeded`, `.tokenOutsideVocabulary`, `.nonFiniteLogits`, or
  ///   `.cancelled`, within a layer of `isCancelled` becoming true; whole batches before that are kept.
  public func evaluate(
    _ tokens: [Int32], isCancelled: () -> Bool = { false }
  ) throws(LanguageModelError) {
    try check(tokens)
    hasLogits = false
    for start in stride(from: 0, to: tokens.count, by: pass.state.batch) {
      let end = min(start + pass.state.batch, tokens.count)
      try pass.run(
        [ForwardPass.Turn(tokens: tokens[start..<end], cache: cache)],
        logits: end == tokens.count ? .last : .none, isCancelled: isCancelled)
    }
    hasLogits = true
  }

  /// Evaluates `tokens` and hands out the logits of each, with its position.
  ///
  /// - Throws: As ``evaluate(_:isCancelled:)``.
  public func evaluate(
    _ tokens: [Int32], isCancelled: () -> Bool = { false },
    eachLogits body: (_ position: Int, _ logits: [Float]) -> Void
  ) throws(LanguageModelError) {
    try check(tokens)
    hasLogits = false
    for start in stride(from: 0, to: tokens.count, by: pass.state.batch) {
      let end = min(start + pass.state.batch, tokens.count)
      let first = cache.tokens.count
      try pass.run(
        [ForwardPass.Turn(tokens: tokens[start..<end], cache: cache)], logits: .all,
        isCancelled: isCancelled)
      for row in 0..<end - start { body(first + row, pass.state.logits.row(row)) }
    }
  }

  /// Logits of the token after the last one evaluated, `(vocabulary)`; nil before any.
  public var logits: [Float]? { hasLogits ? pass.state.logits.row(0) : nil }

  /// FNV-1a hash of the bytes of ``logits``: changes when any bit of them does.
  public var logitsHash: UInt32? { hasLogits ? pass.state.logits.hash(row: 0) : nil }

  /// Calls `body` with the logits without copying them.
  func withLogits<R>(_ body: (Span<Float>) -> R) -> R {
    precondition(hasLogits, "nothing has been evaluated")
    return pass.state.logits.withRow(0, body)
  }

  /// Forgets all tokens from position `count` on.
  public func truncate(to count: Int) {
    cache.truncate(to: count)
    hasLogits = false
  }

  /// Takes over the logits that another pass has computed for this session.
  func take(_ row: Int, of logits: Activations) {
    logits.copyRow(row, to: pass.state.logits)
    hasLogits = true
  }

  /// Whether `tokens` may come next.
  func check(_ tokens: [Int32]) throws(LanguageModelError) {
    guard !tokens.isEmpty else { throw .emptyPrompt }
    let needed = cache.tokens.count + tokens.count
    guard needed <= contextLength else {
      throw .contextExceeded(limit: contextLength, needed: needed)
    }
    let count = model.configuration.vocabularySize
    for token in tokens where !(0..<count).contains(Int(token)) {
      throw .tokenOutsideVocabulary(token: token, count: count)
    }
  }
}
