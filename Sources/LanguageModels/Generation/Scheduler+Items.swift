extension Scheduler {
  /// Continues all that `next` gives, until it gives nil: the next begins where one has ended.
  ///
  /// - Parameters:
  ///   - next: what is to be continued next; it is asked when there is a place.
  ///   - begin: prepares it on a session that nothing else uses until it has ended.
  ///   - isCancelled: ends the run with an error once it is true.
  ///   - eachToken: takes the tokens as they come.
  ///   - isOver: asked after each; ends that continuation alone once it is true.
  ///   - ended: takes each that has ended, in the order in which they do; one that was stopped (``TokenGenerator/stop()``) and one that
  ///     failed (``TokenGenerator/failure``), too: the others go on.
  /// - Throws: `.cancelled`, and what a closure throws; those that have not ended by then are lost.
  public func run<Item>(
    next: () throws -> Item?, begin: (Item) throws -> TokenGenerator,
    isCancelled: () -> Bool = { Task.isCancelled }, eachToken: (inout Item, Int32) -> Void,
    isOver: (Item) -> Bool = { _ in false },
    ended: (Item, TokenGenerator) throws -> Void
  ) throws {
    defer { releaseAll() }
    var running: [(item: Item, generator: TokenGenerator)] = []
    func fill() throws {
      while running.count < width, let item = try next() {
        let generator = try begin(item)
        admit(generator)
        running.append((item, generator))
      }
    }
    try fill()
    while !running.isEmpty {
      _ = try step(isCancelled: isCancelled) { generator, token in
        guard let index = running.firstIndex(where: { $0.generator === generator }) else { return }
        eachToken(&running[index].item, token)
        if isOver(running[index].item) { generator.stop() }
      }
      while let index = running.firstIndex(where: { $0.generator.hasEnded }) {
        let (item, generator) = running.remove(at: index)
        try ended(item, generator)
        try fill()
      }
    }
  }
}
