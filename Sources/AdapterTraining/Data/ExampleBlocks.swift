import Kernels
import Synchronization

extension DataSetReader {
  /// What `body` makes of each example of a block, and the block behind it, which is read at the same time.
  mutating func map<Value: Sendable>(
    _ block: [Record], threads: Int? = nil, _ body: (TrainingExample) -> Value
  ) throws(DataSetError) -> (values: [Value?], next: [Record]) {
    let (values, next) = block.map(threads: threads) { () throws(DataSetError) in
      try self.block()
    } body: { some in
      some.map { $0.example.map(body) }
    }
    return (values, try next.get())
  }
}

extension Array {
  /// Elements that a thread looks at before it takes the next ones.
  private static var share: Int { 64 }

  /// What `body` makes of the elements, some at a time, and what `next` gives, which is asked at the same time.
  ///
  /// Both may be called on any thread.
  func map<Value: Sendable, Next: Sendable>(
    threads: Int? = nil, next: () throws(DataSetError) -> Next,
    body: (ArraySlice<Element>) -> [Value]
  ) -> (values: [Value], next: Result<Next, DataSetError>) {
    let shares = (count + Self.share - 1) / Self.share
    let values = Mutex([[Value]](repeating: [], count: shares))
    var found: Result<Next, DataSetError>?
    WorkerPool.shared(threads: threads).perform(shares + 1) { index, _ in
      guard index > 0 else {
        found = Result { () throws(DataSetError) in try next() }
        return
      }
      let start = (index - 1) * Self.share
      let some = body(self[start..<Swift.min(start + Self.share, count)])
      values.withLock { $0[index - 1] = some }
    }
    guard let found else { preconditionFailure("every share is worked on") }
    return (values.withLock { $0.flatMap(\.self) }, found)
  }
}

/// Blocks that are read, made into something and taken at the same time, each step at another block.
enum BlockPipeline {
  /// Hands out what `make` makes of the elements that `read` gives, `share` at a time and in their order, to `take`.
  ///
  /// All of them may be called on any thread, `make` on several; `each` is called on this one before each block.
  static func run<Element, Made: Sendable, E: Error>(
    share: Int, each: () throws(E) -> Void = {}, read: () throws(E) -> [Element],
    make: (ArraySlice<Element>) -> Made, take: ([Made]) throws(E) -> Void
  ) throws(E) {
    var (block, made) = (try read(), [Made]())
    while !block.isEmpty || !made.isEmpty {
      try each()
      let shares = (block.count + share - 1) / share
      let making = Mutex([Made?](repeating: nil, count: shares))
      var next: Result<[Element], E> = .success([])
      var taken: Result<Void, E> = .success(())
      WorkerPool.shared(threads: nil).perform(shares + 2) { index, _ in
        switch index {
        case 0: if !block.isEmpty { next = Result { () throws(E) in try read() } }
        case 1: if !made.isEmpty { taken = Result { () throws(E) in try take(made) } }
        default:
          let start = (index - 2) * share
          let some = make(block[start..<min(start + share, block.count)])
          making.withLock { $0[index - 2] = some }
        }
      }
      try taken.get()
      (block, made) = (try next.get(), making.withLock { $0.compactMap(\.self) })
    }
  }
}
