import LanguageModels
import Synchronization

/// What the server counts, as Prometheus reads it.
///
/// Names are those that vLLM has, which gateways and dashboards know.
final class ServingMetrics: Sendable {
  private struct Counts {
    var prompt = 0
    var cached = 0
    var generated = 0
    var proposed = 0
    var accepted = 0
    /// By why they ended.
    var answers: [String: Int] = [:]
  }

  private struct State {
    var models: [String: Counts] = [:]
    /// By the name of the base.
    var bases: [String: BaseMetrics] = [:]
    /// By route and status.
    var requests: [String: [Int: Int]] = [:]
  }

  private let state = Mutex(State())
  /// Models that are counted apart, at most, and what all others are counted as.
  private static let (seriesLimit, others) = (1000, "others")

  /// Counts an answer; `gaps` are the times between its tokens.
  func note(
    _ statistics: GenerationStatistics, of model: ServedModel, _ end: Generation.End?,
    gaps: Histogram
  ) {
    let (base, model) = (model.base.name, model.label)
    let reason =
      switch end {
      case .finished, .stopped: "stop"
      case .length: "length"
      case .calls: "tool_calls"
      case nil: "abort"
      }
    state.withLock { state in
      state.bases[base, default: BaseMetrics()].add(statistics, gaps: gaps)
      // Clients may join adapters as they like, and each series stays.
      let isNew = state.models[model] == nil
      let model = isNew && state.models.count >= Self.seriesLimit ? Self.others : model
      var counts = state.models[model] ?? Counts()
      counts.prompt += statistics.promptTokens + statistics.reusedTokens
      counts.cached += statistics.reusedTokens
      counts.generated += statistics.generatedTokens
      counts.proposed += statistics.proposedTokens
      counts.accepted += statistics.acceptedTokens
      counts.answers[reason, default: 0] += 1
      state.models[model] = counts
    }
  }

  /// Counts a request that is over, by the route that the server has, never by what a client wrote.
  func note(_ facts: RequestRecord.Facts) {
    let (route, status) = (facts.route ?? "other", facts.status ?? RequestRecord.statusOfNone)
    state.withLock { state in
      state.requests[route, default: [:]][status, default: 0] += 1
      if let base = facts.base { state.bases[base, default: BaseMetrics()].add(facts) }
    }
  }

  /// Adds what was counted.
  func add(to text: inout MetricsText) {
    let state = state.withLock { $0 }
    let models = state.models.sorted { $0.key < $1.key }.map { name, counts in
      (labels: [(name: "model_name", value: name)], counts: counts)
    }
    func counter(_ name: String, _ help: String, _ value: (Counts) -> Int) {
      text.add(name, .counter, help, models.map { ($0.labels, "\(value($0.counts))") })
    }
    counter("vllm:prompt_tokens_total", "Tokens of prompts.", \.prompt)
    counter("vllm:prefix_cache_queries_total", "Tokens of prompts that were looked up.", \.prompt)
    counter(
      "vllm:prefix_cache_hits_total", "Tokens of prompts that were known from before.", \.cached)
    counter("vllm:generation_tokens_total", "Tokens of answers.", \.generated)
    counter("vllm:spec_decode_num_draft_tokens_total", "Tokens that were guessed.", \.proposed)
    counter("vllm:spec_decode_num_accepted_tokens_total", "Guessed tokens that came.", \.accepted)
    text.add(
      "vllm:request_success_total", .counter, "Answers by why they ended.",
      models.flatMap { labels, counts in
        counts.answers.sorted { $0.key < $1.key }.map {
          (labels + [("finished_reason", $0.key)], "\($0.value)")
        }
      })
    BaseMetrics.add(
      state.bases.sorted { $0.key < $1.key }.map { ([("model_name", $0.key)], $0.value) },
      to: &text)
    text.add(
      "fmadapter_http_requests_total", .counter, "Requests by route and status.",
      state.requests.sorted { $0.key < $1.key }.flatMap { route, statuses in
        statuses.sorted { $0.key < $1.key }.map {
          ([("route", route), ("status", "\($0.key)")], "\($0.value)")
        }
      })
  }
}
