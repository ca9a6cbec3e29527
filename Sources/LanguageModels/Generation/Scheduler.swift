import Grammars
import Kernels

/// Lets sequences over one base go on, a pass for all of them at a time.
///
/// A step takes the next token of those that decode and a part of the prompts of those that do not yet; sequences may come and go between
/// two steps. The weights are read once for all of them, those of an adapter once for all that have it; each gets the tokens that it
/// would get alone.
public final class Scheduler {
  /// The base.
  public let model: BaseModel
  /// Sequences that go on at once, at most.
  public let width: Int
  /// Those that have been admitted and have not ended, in the order in which tokens are handed out.
  public private(set) var generators: [TokenGenerator] = []

  // Tokens that a pass takes at most: half of them are left for prompts where all others decode.
  let rows: Int
  // What a pass for several costs.
  private var costs: PassCosts
  var pace = PassPace()
  private var slots: [AdapterSlot] = []
  // Made anew when the slots are others.
  private var made: ForwardPass?
  private let state: ForwardState
  private let operations: Operations
  private let clock = ContinuousClock()

  /// A scheduler of at most `width` sequences at once, over sessions of `model`; `threads` are one per processor if nil.
  public convenience init(_ model: BaseModel, width: Int, threads: Int? = nil) {
    self.init(
      model, width: width, operations: Operations(pool: WorkerPool.shared(threads: threads)))
  }

  init(_ model: BaseModel, width: Int, operations: Operations) {
    precondition(width > 0, "nothing would ever begin")
    (self.model, self.width, self.operations) = (model, width, operations)
    rows = max(ModelSession.batch, 2 * width)
    costs = model.passCosts
    state = ForwardState(model.weights, model.configuration, batch: rows)
  }

  /// Lets `generator` go on in the next step; traps where there is no place for it, or where it is of another base.
  public func admit(_ generator: TokenGenerator) {
    releaseEnded()
    precondition(generators.count < width, "more sequences than there are places")
    precondition(generator.session.model === model, "a session over another base")
    precondition(!generators.contains { $0.session === generator.session }, "a session twice")
    if generators.isEmpty { costs = generator.costs }
    generators.append(generator)
  }

  /// Hands out the next tokens of each sequence; false once there are none.
  ///
  /// First come those that need no pass: forced ones, and what was proposed and turned out right. Then a pass for all brings each
  /// one more, so that none has to be without the company of the others. Those that have ended leave.
  ///
  /// - Throws: `.cancelled` within a layer of `isCancelled` becoming true; what came out before stays valid. What ends one sequence is
  ///   its ``TokenGenerator/failure``, and the others go on.
  public func step(
    isCancelled: () -> Bool = { Task.isCancelled },
    eachToken body: (_ generator: TokenGenerator, _ token: Int32) -> Void
  ) throws(BaseModelError) -> Bool {
    defer { releaseEnded() }
    let active = generators.filter { $0.goesOn() }
    var waiting: [TokenGenerator] = []
    for generator in active {
      let waits = try generator.trying { () throws(BaseModelError) in
        try handOut(generator, isCancelled, body)
      }
      if waits == true { waiting.append(generator) }
    }
    // One that was stopped by what took a token of another waits no longer.
    waiting.removeAll { $0.hasEnded }
    if !waiting.isEmpty { try advance(waiting, isCancelled) }
    for generator in waiting where !generator.hasEnded && generator.pending.isEmpty {
      let token = try generator.trying { () throws(BaseModelError) in try generator.takeToken() }
      if let token = token ?? nil { body(generator, token) }
    }
    return !active.isEmpty
  }

  /// Hands out what a sequence has without a pass; true where it goes on with one.
  private func handOut(
    _ generator: TokenGenerator, _ isCancelled: () -> Bool,
    _ body: (_ generator: TokenGenerator, _ token: Int32) -> Void
  ) throws(BaseModelError) -> Bool {
    while generator.goesOn() {
      if let token = try generator.takeForcedToken() {
        body(generator, token)
        continue
      }
      guard try generator.catchUp(isCancelled) else { return true }
      guard let token = try generator.takeToken() else { return false }
      body(generator, token)
    }
    return false
  }

  private func releaseEnded() {
    generators.removeAll { generator in
      guard generator.hasEnded else { return false }
      generator.session.leaveLogits()
      return true
    }
  }

  /// Lets go of all sequences; they may go on elsewhere.
  func releaseAll() {
    for generator in generators { generator.session.leaveLogits() }
    generators.removeAll()
  }

  /// Lets go of what sequences have left, adapters among it, but for scratch.
  func rest() {
    releaseAll()
    if !slots.isEmpty { (slots, made) = ([], nil) }
  }

  /// Takes over how long passes of `other` take, which are over the same base.
  func learn(from other: Scheduler) { pace.learn(from: other.pace) }

  /// Whether it computes by `other`.
  func works(with other: Operations) -> Bool {
    operations.pool === other.pool && operations.variant == other.variant
      && operations.rounds == other.rounds
  }
}

extension Scheduler {
  /// What a sequence does in a pass.
  private struct Part {
    let generator: TokenGenerator
    var slice: SequenceSlice
    var candidates: [Speculator.Candidate] = []

    /// How many of the tokens are the sequence's next ones: the others were seen before.
    let count: Int
    /// Whether nothing is pending behind them.
    let isLast: Bool
  }

  /// Lets the sessions of `waiting` see a part of what they have not seen yet, and what may come behind it: one pass.
  ///
  /// As many others as `absent` may want the next one, and are held up by this one.
  ///
  /// - Throws: `.cancelled`; what ends one or all of them for another reason is their failure.
  func advance(
    _ waiting: [TokenGenerator], absent: Int = 0, _ isCancelled: () -> Bool
  ) throws(BaseModelError) {
    var parts = try share(waiting, absent)
    guard !parts.isEmpty else { return }
    let isReading = parts.contains { $0.generator.isReading }
    let known = parts.reduce(0) { $0 + $1.slice.tokens.count }
    let context = parts.reduce(0) { $0 + $1.generator.session.count } / parts.count
    guess(&parts, rows: known, after: context, isCancelled)
    for index in parts.indices where parts[index].isLast {
      let part = parts[index]
      parts[index].slice.wanted = part.generator.wanted(
        behind: part.slice.tokens.suffix(part.slice.proposed))
    }
    let begin = clock.now
    var failures: [BaseModelError?] = []
    do throws(BaseModelError) {
      failures = try evaluate(parts.map(\.slice), isCancelled)
    } catch {
      for part in parts { part.generator.end(by: error) }
      if error == .cancelled { throw error }
      return
    }
    let time = begin.duration(to: clock.now)
    let rows = parts.reduce(0) { $0 + $1.slice.tokens.count }
    pace.note(time, rows: rows, isReading: isReading)
    if !isReading {
      if parts.count == 1 {
        parts[0].generator.noteCosts(rows, after: context, time)
      } else {
        costs.note(rows, turns: parts.count, after: context, time)
      }
    }
    for (part, failure) in zip(parts, failures) {
      if let failure {
        part.generator.end(by: failure)
      } else {
        part.generator.notePass(time, part.count, part.candidates)
      }
    }
  }

  /// Shares the rows of a pass out: first to those that need few, then to prompts in the order in which they came, so that what
  /// several begin with is read by the first.
  private func share(
    _ waiting: [TokenGenerator], _ absent: Int
  ) throws(BaseModelError) -> [Part] {
    for generator in waiting { generator.takeWhatIsRead() }
    let decoding = waiting.count { !$0.isReading }
    let isReading = decoding < waiting.count
    let most = isReading ? pace.rows(rows, decoding: decoding + absent) : rows
    let fair = max(1, most / waiting.count)
    let works = waiting.map { $0.session.unseen($0.pending) }
    let isShort = works.map { $0.count <= fair }
    var (parts, room): ([Part], Int) = ([], most)
    for short in [true, false] {
      for (index, generator) in waiting.enumerated() where isShort[index] == short && room > 0 {
        let session = generator.session
        let taken = works[index].prefix(min(room, ModelSession.batch))
        let tokens = SequenceSlice(session, taken, logits: 0).beginning(beside: parts.map(\.slice))
        let isLast = tokens.count == works[index].count
        let isReady: Void? = try generator.trying { () throws(BaseModelError) in
          session.forgetProposals()
          try session.check(generator.pending)
          try session.cache.reserve(tokens.count)
        }
        guard isReady != nil else { continue }
        room -= tokens.count
        parts.append(
          Part(
            generator: generator,
            slice: SequenceSlice(session, tokens, logits: isLast ? 1 : 0),
            count: max(0, tokens.count - (works[index].count - generator.pending.count)),
            isLast: isLast))
      }
    }
    return parts
  }

  /// Adds what may come behind the tokens of `parts`, where the time of a pass with it is well spent.
  private func guess(
    _ parts: inout [Part], rows known: Int, after context: Int, _ isCancelled: () -> Bool
  ) {
    guard known < rows else { return }
    let costs = parts.count == 1 ? parts[0].generator.costs : self.costs
    for index in parts.indices where parts[index].isLast {
      parts[index].candidates = parts[index].generator.candidates(
        rows: known, turns: parts.count, costs: costs, after: context, isCancelled)
    }
    guard parts.contains(where: { !$0.candidates.isEmpty }) else { return }
    let counts = costs.best(
      parts.map { $0.candidates.map(\.probability) }, rows: known, after: context)
    var free = rows - known
    for (index, count) in counts.enumerated() where count > 0 {
      let part = parts[index]
      var slice = part.slice
      slice.propose(
        part.candidates.prefix(count).map(\.token), room: slice.tokens.count + free)
      // Guesses are worth no page of somebody else's.
      guard (try? slice.session.cache.reserve(slice.tokens.count)) != nil else { continue }
      free -= slice.proposed
      parts[index].slice = slice
    }
  }
}

extension Scheduler {
  /// Evaluates one slice; its session's ``ModelSession/logits`` are then those that it asks for.
  func evaluate(
    _ slice: SequenceSlice, _ isCancelled: () -> Bool
  ) throws(BaseModelError) {
    try slice.session.cache.reserve(slice.tokens.count)
    if let failure = try evaluate([slice], isCancelled)[0] { throw failure }
  }

  /// Evaluates slices whose rows are reserved, at most ``rows`` tokens in all; where one fails by itself, its error has its place.
  func evaluate(
    _ slices: [SequenceSlice], _ isCancelled: () -> Bool
  ) throws(BaseModelError) -> [BaseModelError?] {
    let pass = prepare(slices.map(\.session))
    let places = slices.map { slice in
      slice.dormant == slice.tokens.count
        ? -1 : slots.firstIndex { $0.isOf(slice.session) } ?? -1
    }
    // What an adapter begins in stands before all others that have it, so that its rows are one range.
    let order =
      slots.isEmpty
      ? Array(slices.indices)
      : slices.indices.sorted {
        (places[$0], -slices[$0].dormant, $0) < (places[$1], -slices[$1].dormant, $1)
      }
    for slot in slots { slot.rows.rows = 0..<0 }
    var (parts, row): ([ForwardPass.Slice], Int) = ([], 0)
    for index in order {
      let slice = slices[index]
      parts.append(
        ForwardPass.Slice(
          tokens: slice.tokens, cache: slice.session.cache, logits: slice.logits, row: row))
      let end = row + slice.tokens.count
      if places[index] >= 0 {
        let rows = slots[places[index]].rows
        precondition(rows.rows.isEmpty || slice.dormant == 0, "an adapter begins twice in a pass")
        rows.rows = (rows.rows.isEmpty ? row + slice.dormant : rows.rows.lowerBound)..<end
      }
      row = end
    }
    precondition(row <= rows, "more tokens than a pass takes")
    do throws(BaseModelError) {
      try pass.run(parts, wanted: Self.wanted(slices), isCancelled: isCancelled)
    } catch {
      // A pass that is cancelled has not come to its logits.
      if error != .cancelled { for slice in slices { slice.session.leaveLogits() } }
      throw error
    }
    var failures = [BaseModelError?](repeating: nil, count: slices.count)
    var first = 0
    for index in order {
      do throws(BaseModelError) {
        try slices[index].session.take(slices[index], state.logits, first)
      } catch {
        failures[index] = error
      }
      first += slices[index].logits
    }
    return failures
  }

  /// The tokens of which some of `slices` wants logits; nil for all.
  private static func wanted(_ slices: [SequenceSlice]) -> TokenMask? {
    var wanted: TokenMask?
    for slice in slices where slice.logits > 0 {
      guard let own = slice.wanted else { return nil }
      wanted?.formUnion(own)
      wanted = wanted ?? own
    }
    return wanted
  }

  /// What evaluates `sessions`, whose adapters have slots then, in the place of those that no sequence has any more.
  @discardableResult func prepare(_ sessions: [ModelSession]) -> ForwardPass {
    var slots = slots
    for session in sessions
    where !session.adapters.isEmpty && !slots.contains(where: { $0.isOf(session) }) {
      slots.append(AdapterSlot(session.adapters))
    }
    if let made, slots.count == self.slots.count { return made }
    let used = sessions + generators.map(\.session)
    slots.removeAll { slot in !used.contains { slot.isOf($0) } }
    self.slots = slots
    let adapters = slots.flatMap { slot in
      slot.adapters.map { RowAdapter(adapter: $0, rows: slot.rows) }
    }
    let pass = ForwardPass(model, adapters: adapters, operations: operations, state: state)
    made = pass
    return pass
  }
}

/// Adapters, and the rows of a pass that are of sequences which have them.
private final class AdapterSlot {
  let adapters: [AppliedAdapter]
  let rows = RowRange(0..<0)

  init(_ adapters: [AppliedAdapter]) { self.adapters = adapters }

  func isOf(_ session: ModelSession) -> Bool { session.hasAdapters(adapters) }
}
