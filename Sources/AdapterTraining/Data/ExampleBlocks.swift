import Kernels
import Synchronization

extension DataSetReader {
  /// Examples that a thread looks at before it takes the next ones.
  private static let share = 64

  /// What `body` makes of each example of a block, and the block behind it, which is read at the same time.
  mutating func map<Value: Sendable>(
    _ block: [Record], threads: Int? = nil, _ body: (TrainingExample) -> Value
  ) throws(DataSetError) -> (values: [Value?], next: [Record]) {
    let shares = (block.count + Self.share - 1) / Self.share
    let values = Mutex([[Value?]](repeating: [], count: shares))
    var next: Result<[Record], DataSetError> = .success([])
    WorkerPool.shared(threads: threads).perform(shares + 1) { index, _ in
      guard index > 0 else {
        next = Result { () throws(DataSetError) in try self.block() }
        return
      }
      let start = (index - 1) * Self.share
      let some = block[start..<min(start + Self.share, block.count)].map { $0.example.map(body) }
      values.withLock { $0[index - 1] = some }
    }
    return (values.withLock { $0.flatMap(\.self) }, try next.get())
  }
}
