import FoundationEssentials
import LanguageModels

/// The answers to one request, one after the other, and its place among those that are answered.
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
  }

  let model: ServedModel
  /// Seconds since 1970.
  let created = Int(Date().timeIntervalSince1970)
  let count: Int
  private(set) var usage = Usage()
  private let request: GenerationRequest
  private let prompt: GenerationPrompt
  private let metrics: ServingMetrics
  private let record: RequestRecord
  private let isGone: @Sendable () -> Bool
  private var place: Admission.Place?
  /// The answer that comes now, and how many there were before.
  private(set) var current: Generation
  private(set) var index = 0
  private var begin: ContinuousClock.Instant
  /// When the last token came, how many there were, and the times between them.
  private var last: (time: ContinuousClock.Instant, count: Int)?
  private var gaps = BaseMetrics.gaps

  init(
    _ request: GenerationRequest, _ prompt: GenerationPrompt, _ model: ServedModel, count: Int,
    place: Admission.Place, _ metrics: ServingMetrics, _ record: RequestRecord,
    isGone: @escaping @Sendable () -> Bool
  ) throws(ServingError) {
    (self.request, self.prompt, self.model, self.count) = (request, prompt, model, count)
    (self.place, self.metrics, self.record, self.isGone) = (place, metrics, record, isGone)
    begin = .now
    current = try Generation(request, prompt, model, seed: request.seed)
    (usage.prompt, usage.cached) = (prompt.tokens.count, current.statistics.reusedTokens)
  }

  /// What nobody wants any more has been answered as far as it came.
  deinit { note() }

  /// What comes next of the answer; nil behind its end.
  ///
  /// - Throws: As a generation.
  func next() throws(ServingError) -> Generation.Piece? {
    let piece = try current.next(isCancelled: isGone)
    noteTokens()
    if piece?.thought.isEmpty == false { thought = current.statistics.generatedTokens }
    if piece == nil || current.end != nil { note() }
    return piece
  }

  /// Whether nobody waits for the rest: the client has gone.
  var isGivenUp: Bool { current.end == nil && isGone() }

  private func noteTokens() {
    let (now, count) = (ContinuousClock.now, current.statistics.generatedTokens)
    if let last, count > last.count {
      gaps.add(
        last.time.duration(to: now) / .seconds(1) / Double(count - last.count),
        times: count - last.count)
    }
    last = (now, count)
  }

  private var noted = -1
  /// Tokens that had come with the last thought.
  private var thought = 0

  private func note() {
    guard noted < index else { return }
    noted = index
    let statistics = current.statistics
    if index == 0 { usage.cached = statistics.reusedTokens }
    var taken = Usage(generated: statistics.generatedTokens, thought: thought)
    usage.add(taken)
    if index == 0 { (taken.prompt, taken.cached) = (usage.prompt, usage.cached) }
    thought = 0
    record.note(
      taken, firstToken: statistics.timeToFirstToken.map { begin + $0 },
      isGivenUp: current.end == nil)
    metrics.note(statistics, of: model, current.end, gaps: gaps)
    (gaps, last) = (BaseMetrics.gaps, nil)
  }

  /// Begins the next answer; false where there was the last one, and the request leaves its place.
  func goOn() throws(ServingError) -> Bool {
    note()
    guard index + 1 < count, !isGivenUp else {
      place = nil
      return false
    }
    index += 1
    let seed = request.seed.map { $0 &+ UInt64(index) }
    begin = .now
    current = try Generation(request, prompt, model, seed: seed)
    return true
  }
}
