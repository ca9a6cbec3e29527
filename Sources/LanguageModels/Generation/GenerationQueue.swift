/// Continuations that wait for room in a few sessions, which decode together: the next begins where one has ended.
///
/// Each gets the tokens that it would get alone.
public struct GenerationQueue {
  private let width: Int
  private let session: () throws -> ModelSession

  /// A queue over at most `width` sessions, which `session` makes, one for each that decodes at once; all over one base, each
  /// with room for the longest prompt and answer.
  public init(width: Int, session: @escaping () throws -> ModelSession) {
    precondition(width > 0, "nothing would ever begin")
    (self.width, self.session) = (width, session)
  }

  private struct Lane<Item> {
    var item: Item
    var generator: TokenGenerator
    var hasEnded = false
  }

  /// Continues all that `next` gives, until it gives nil.
  ///
  /// - Parameters:
  ///   - next: what is to be continued next; it is asked when there is room.
  ///   - begin: prepares it on a session that nothing else uses until it has ended.
  ///   - isCancelled: ends the run with an error once it is true.
  ///   - eachToken: takes the tokens as they come.
  ///   - isOver: asked after each; ends that continuation alone once it is true.
  ///   - ended: takes each that has ended, in the order in which they do; one that was stopped, too (``TokenGenerator/stop()``).
  /// - Throws: what generating or a closure throws; those that have not ended by then are lost.
  public func run<Item>(
    next: () throws -> Item?, begin: (Item, ModelSession) throws -> TokenGenerator,
    isCancelled: () -> Bool = { Task.isCancelled }, eachToken: (inout Item, Int32) -> Void,
    isOver: (Item) -> Bool = { _ in false },
    ended: (Item, TokenGenerator) throws -> Void
  ) throws {
    var lanes: [Lane<Item>] = []
    while lanes.count < width, let item = try next() {
      lanes.append(Lane(item: item, generator: try begin(item, session())))
    }
    let batch = GenerationBatch(lanes.map(\.generator))
    while lanes.contains(where: { !$0.hasEnded }) {
      _ = try batch.next(isCancelled: isCancelled) { index, token in
        eachToken(&lanes[index].item, token)
        if isOver(lanes[index].item) { lanes[index].generator.stop() }
      }
      for index in lanes.indices where !lanes[index].hasEnded && lanes[index].generator.hasEnded {
        try ended(lanes[index].item, lanes[index].generator)
        guard let item = try next() else {
          lanes[index].hasEnded = true
          continue
        }
        let generator = try begin(item, lanes[index].generator.session)
        lanes[index] = Lane(item: item, generator: generator)
        batch.replace(index, by: generator)
      }
    }
  }
}
