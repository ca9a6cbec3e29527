import FoundationEssentials
import LanguageModels

/// The answers to one request, and its place among those that are answered.
///
/// One is generated on the thread that asks for it; several are, each on a thread of its own, as many at once as there is room for.
final class GenerationRun {
  /// Tokens that a request has taken.
  struct Usage: Equatable {
    var prompt = 0
    /// Those of the prompt that were known from before.
    var cached = 0
    var generated = 0
    /// Those of the generated ones that were thoughts.
    var thought = 0
    var total: Int { prompt + generated }

    mutating func add(_ other: Usage) {
      prompt += other.prompt
      cached += other.cached
      generated += other.generated
      thought += other.thought
    }
  }

  /// What is to be generated.
  struct Job: Sendable {
    let request: GenerationRequest
    let prompt: GenerationPrompt
    /// How many answers there are to the same prompt before it.
    var index = 0

    var seed: UInt64? { request.seed.map { $0 &+ UInt64(index) } }
  }

  let model: ServedModel
  /// Seconds since 1970.
  let created = Int(Date().timeIntervalSince1970)
  private(set) var usage = Usage()
  /// Why the answer has ended that did so last; nil where none has.
  private(set) var end: Generation.End?
  /// Of the answer that comes, or has ended last.
  private(set) var statistics: GenerationStatistics
  /// Before anything is generated.
  private let beginning: Answer.Account
  private let jobs: [Job]
  private let metrics: ServingMetrics
  private let record: RequestRecord
  private let isGone: @Sendable () -> Bool
  private var place: Admission.Place?
  /// Answers that have not ended.
  private var left: Int
  /// The only answer; nil where there are several.
  private let sole: Answer?
  private let group: AnswerGroup?

  /// - Throws: What the first answer cannot have.
  init(
    _ jobs: [Job], _ model: ServedModel, atOnce: Int, place: Admission.Place,
    _ metrics: ServingMetrics, _ record: RequestRecord, isGone: @escaping @Sendable () -> Bool
  ) throws(ServingError) {
    (self.jobs, self.model, left) = (jobs, model, jobs.count)
    (self.place, self.metrics, self.record, self.isGone) = (place, metrics, record, isGone)
    let first = try Answer(jobs[0], model)
    sole = jobs.count == 1 ? first : nil
    (statistics, beginning) = (first.account.statistics, first.account)
    group = jobs.count > 1 ? AnswerGroup(jobs, model, atOnce: atOnce) : nil
    for job in jobs where job.index == 0 { usage.prompt += job.prompt.tokens.count }
    usage.cached = group == nil ? statistics.reusedTokens : 0
  }

  /// What nobody wants any more has been answered as far as it came.
  deinit { giveUp() }

  /// How many answers there are.
  var count: Int { jobs.count }

  /// What comes next of the only answer; nil behind its end, and where the client has gone.
  ///
  /// - Throws: As a generation.
  func next() throws(ServingError) -> Generation.Piece? {
    if case .piece(let piece) = try nextNews()?.news { piece } else { nil }
  }

  /// What comes next of any answer; nil once all have ended, and where the client has gone.
  ///
  /// - Throws: As a generation; nothing comes any more then.
  func nextNews() throws(ServingError) -> (index: Int, news: Answer.News)? {
    guard left > 0 else { return nil }
    guard let next = try answered() else {
      giveUp()
      return nil
    }
    if case .end(let end, let account) = next.news {
      note(end, of: next.index, account)
      left -= 1
      if left == 0 { leave() }
    }
    return next
  }

  private func answered() throws(ServingError) -> (index: Int, news: Answer.News)? {
    if let group { return try group.next(isGone: isGone) }
    guard let sole else { return nil }
    defer { statistics = sole.account.statistics }
    return try sole.next(isCancelled: isGone).map { (0, $0) }
  }

  private func giveUp() {
    if left > 0 { note(nil, of: 0, sole?.account ?? beginning) }
    leave()
  }

  private func note(_ end: Generation.End?, of index: Int, _ account: Answer.Account) {
    (self.end, statistics) = (end, account.statistics)
    var taken = Usage(generated: statistics.generatedTokens, thought: account.thought)
    if jobs[index].index == 0 {
      taken.cached = statistics.reusedTokens
      // That of the only answer is told before it ends.
      usage.cached += group == nil ? taken.cached - usage.cached : taken.cached
      taken.prompt = jobs[index].prompt.tokens.count
    }
    usage.generated += taken.generated
    usage.thought += taken.thought
    record.note(taken, firstToken: account.firstToken, isGivenUp: end == nil)
    metrics.note(statistics, of: model, end, gaps: account.gaps)
  }

  private func leave() {
    (left, place) = (0, nil)
    group?.cancel()
  }
}

/// One answer, in pieces and with its end.
final class Answer {
  /// Something new of it.
  enum News: Sendable {
    case piece(Generation.Piece)
    /// Why it has ended, and what it has taken.
    case end(Generation.End, Account)
  }

  /// What an answer has taken so far.
  struct Account: Sendable {
    var statistics: GenerationStatistics
    /// Tokens that had come with the last thought.
    var thought = 0
    var firstToken: ContinuousClock.Instant?
    /// The times between its tokens.
    var gaps = BaseMetrics.gaps
  }

  private let generation: Generation
  private var hasEnded = false
  private let begin = ContinuousClock.now
  private(set) var account: Account
  /// When the last token came.
  private var last: ContinuousClock.Instant?

  init(_ job: GenerationRun.Job, _ model: ServedModel) throws(ServingError) {
    generation = try Generation(job.request, job.prompt, model, seed: job.seed)
    account = Account(statistics: generation.statistics)
  }

  /// What comes next; nil behind the end, and where nobody waits for it.
  func next(isCancelled: () -> Bool) throws(ServingError) -> News? {
    defer { note() }
    if let piece = try generation.next(isCancelled: isCancelled) {
      if !piece.thought.isEmpty { account.thought = generation.statistics.generatedTokens }
      return .piece(piece)
    }
    guard !hasEnded, let end = generation.end else { return nil }
    hasEnded = true
    note()
    return .end(end, account)
  }

  private func note() {
    let (now, before) = (ContinuousClock.now, account.statistics.generatedTokens)
    account.statistics = generation.statistics
    let count = account.statistics.generatedTokens - before
    guard count > 0 else { return }
    // Tokens that had to come need no pass, and may come long before the first that does.
    account.firstToken =
      account.firstToken ?? account.statistics.timeToFirstToken.map { begin + $0 } ?? now
    if let last {
      account.gaps.add(last.duration(to: now) / .seconds(1) / Double(count), times: count)
    }
    last = now
  }
}
