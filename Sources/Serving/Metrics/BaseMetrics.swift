import LanguageModels

/// What is counted of the answers over one base, whatever their adapters.
///
/// The buckets are vLLM's, so that its dashboards fit.
struct BaseMetrics: Sendable {
  /// Seconds up to a token.
  private static let firstBounds = [
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40,
    80, 160, 640, 2560,
  ]
  private static let tokenBounds = [
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
  ]
  private static let requestBounds = [
    0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
  ]
  /// Places of a proposal that are counted apart, at most.
  private static let places = 32

  private var firstToken = Histogram(firstBounds)
  private var betweenTokens = Self.gaps
  private var perToken = Histogram(tokenBounds)
  private var request = Histogram(requestBounds)
  private var queue = Histogram(requestBounds)
  private var drafts = 0
  /// Tokens that came of those that were guessed, by their place.
  private var accepted: [Int] = []

  /// For the times between two tokens.
  static var gaps: Histogram { Histogram(tokenBounds) }

  /// Adds an answer.
  mutating func add(_ statistics: GenerationStatistics, gaps: Histogram) {
    betweenTokens.add(gaps)
    for counts in statistics.proposals.values {
      drafts += counts.proposed.first ?? 0
      for (place, count) in counts.accepted.prefix(Self.places).enumerated() {
        while accepted.count <= place { accepted.append(0) }
        accepted[place] += count
      }
    }
  }

  /// Adds a request that is over.
  mutating func add(_ facts: RequestRecord.Facts) {
    if let time = facts.queue { queue.add(time) }
    guard let first = facts.firstToken else { return }
    firstToken.add(first)
    guard facts.isComplete else { return }
    request.add(facts.answer)
    let others = facts.usage.generated - 1
    if others > 0 { perToken.add((facts.answer - first) / others) }
  }

  /// Adds what was counted over each base.
  static func add(
    _ bases: [(labels: MetricsText.Labels, metrics: Self)], to text: inout MetricsText
  ) {
    func histogram(_ name: String, _ help: String, _ value: (Self) -> Histogram) {
      text.add(name, help, bases.map { ($0.labels, value($0.metrics)) })
    }
    histogram(
      "vllm:time_to_first_token_seconds", "From a request to the first token of its answer.",
      \.firstToken)
    histogram(
      "vllm:inter_token_latency_seconds", "Between two tokens of an answer.", \.betweenTokens)
    histogram(
      "vllm:request_time_per_output_token_seconds", "For a token after the first, by request.",
      \.perToken)
    histogram(
      "vllm:e2e_request_latency_seconds", "From a request to the end of its answer.", \.request)
    histogram(
      "vllm:request_queue_time_seconds", "In which a request waited for its place.", \.queue)
    text.add(
      "vllm:spec_decode_num_drafts_total", .counter, "Passes that tried guessed tokens.",
      bases.map { ($0.labels, "\($0.metrics.drafts)") })
    text.add(
      "vllm:spec_decode_num_accepted_tokens_per_pos_total", .counter,
      "Guessed tokens that came, by their place in the guess.",
      bases.flatMap { labels, metrics in
        metrics.accepted.enumerated().map { (labels + [("position", "\($0)")], "\($1)") }
      })
  }
}
