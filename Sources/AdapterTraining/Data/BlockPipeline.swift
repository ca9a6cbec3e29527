import Kernels
import Synchronization

/// Blocks of which one is read, one is made into something, and one is taken, at the same time.
enum BlockPipeline {
  /// Hands what `make` makes of the elements of blocks, `share` at a time and in their order, to `take`.
  ///
  /// `each` is called on this thread with each block that was read, and says what is made into something; the others are called on
  /// any thread, `make` on several. The results do not depend on `threads`, one per processor if nil.
  ///
  /// - Throws: what `take` does, at once; what `read` and `each` do, once all before it was taken.
  static func run<Element, Input, Made: Sendable, E: Error>(
    threads: Int? = nil, share: Int = 64,
    read: () throws(E) -> [Element], each: ([Element]) throws(E) -> [Input],
    make: (ArraySlice<Input>) -> Made, take: ([Made]) throws(E) -> Void
  ) throws(E) {
    var failure: E?
    // Of a block nothing may be left.
    func input(_ next: Result<[Element], E>) -> [Input] {
      do throws(E) {
        var block = try next.get()
        while !block.isEmpty {
          let input = try each(block)
          if !input.isEmpty { return input }
          block = try read()
        }
      } catch {
        failure = error
      }
      return []
    }
    let pool = WorkerPool.shared(threads: threads)
    var next = Result { () throws(E) in try read() }
    var (block, made) = (input(next), [Made]())
    while !block.isEmpty || !made.isEmpty {
      let shares = (block.count + share - 1) / share
      let making = Mutex([Made?](repeating: nil, count: shares))
      var taken: Result<Void, E> = .success(())
      next = .success([])
      pool.perform(shares + 2) { index, _ in
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
      (block, made) = (input(next), making.withLock { $0.compactMap(\.self) })
    }
    if let failure { throw failure }
  }
}
