import Kernels
import Synchronization

/// Runs the parts of batches, as many at a time as there are threads; what comes of them is in their order.
///
/// Parts are cut by their tokens alone, so that their sums are the same however many threads there are.
struct BatchParts {
  let pool: WorkerPool
  /// Rows whose activations are held by one part.
  let limit: Int
  /// Whether what examples of a part begin with alike is computed once.
  var sharesBeginnings = false

  /// Eight parts keep several threads busy; more than so many rows make nothing faster, and fewer leave too little to
  /// do between one reading of the weights and the next.
  private static let usual = 128...512

  /// The parts of a batch, of about as many rows each; those that begin alike stay together where that is most of them.
  ///
  /// None is over the limit but a sequence that is so by itself.
  func parts(of batch: TrainingBatch) -> [TrainingBatch] {
    let most = mostRows(batch)
    var parts: [(sequences: [TrainingSequence], rows: Int)] = []
    for sequence in batch.sequences {
      let own = rows([sequence])
      let place = parts.firstIndex { part in
        let rows = rows(part.sequences + [sequence])
        return rows <= limit && (rows <= most || (rows - part.rows) * 4 <= own)
      }
      if let place {
        parts[place].sequences.append(sequence)
        parts[place].rows = rows(parts[place].sequences)
      } else {
        parts.append(([sequence], own))
      }
    }
    return parts.map { TrainingBatch($0.sequences) }
  }

  /// Rows that a part has at most, so that all have about as many; what all sequences begin with is in each of them.
  private func mostRows(_ batch: TrainingBatch) -> Int {
    let whole = BatchRows(batch, sharesBeginnings: sharesBeginnings)
    let eighth = (whole.tokens.count + 7) / 8
    let usual = min(max(eighth, Self.usual.lowerBound), Self.usual.upperBound, limit)
    let count = (whole.tokens.count + usual - 1) / usual
    let longest = batch.sequences.map { $0.tokens.count }.max() ?? 0
    let all = whole.tokens.count + (count - 1) * whole.commonCount
    return min((all + count - 1) / count + (longest - whole.commonCount) / 2, limit)
  }

  private func rows(_ sequences: [TrainingSequence]) -> Int {
    BatchRows(TrainingBatch(sequences), sharesBeginnings: sharesBeginnings).tokens.count
  }

  /// What `body` gives for each part; it gets the part's number and whether to stop.
  ///
  /// - Throws: What the first part that failed has thrown.
  func run<Found: Sendable>(
    _ parts: [TrainingBatch], isCancelled: () -> Bool,
    _ body: @escaping (Int, TrainingBatch, _ isCancelled: () -> Bool) throws(TrainingError) -> Found
  ) throws(TrainingError) -> [Found] {
    let found = Mutex([Result<Found, TrainingError>?](repeating: nil, count: parts.count))
    let ended = Atomic(false)
    pool.perform(parts.count) { index, isCaller in
      // Whoever calls may ask its task; other threads know of no task, and are told.
      func stops() -> Bool {
        if isCaller, isCancelled() { ended.store(true, ordering: .relaxed) }
        return ended.load(ordering: .relaxed)
      }
      let result = Result { () throws(TrainingError) in
        if stops() { throw TrainingError.cancelled }
        return try body(index, parts[index], stops)
      }
      if case .failure = result { ended.store(true, ordering: .relaxed) }
      found.withLock { $0[index] = result }
    }
    return try Self.values(found.withLock { $0 })
  }

  // A part that was told to stop has less to say than the one for which it was.
  private static func values<Found>(
    _ results: [Result<Found, TrainingError>?]
  ) throws(TrainingError) -> [Found] {
    var values: [Found] = []
    var failure: TrainingError?
    for result in results {
      switch result {
      case .success(let value): values.append(value)
      case .failure(let error): if failure == nil || failure == .cancelled { failure = error }
      case nil: preconditionFailure("a part that did not run")
      }
    }
    if let failure { throw failure }
    return values
  }
}
