import LanguageModels
import Synchronization

/// What the server counts, as Prometheus reads it.
///
/// Names are those that vLLM has, which gateways and dashboards know. Source: Prometheus' text format, 0.0.4.
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
    /// By route and status.
    var requests: [String: [Int: Int]] = [:]
  }

  private let state = Mutex(State())
  /// Models that are counted apart, at most, and what all others are counted as.
  private static let (seriesLimit, others) = (1000, "others")

  func note(_ statistics: GenerationStatistics, of model: String, _ end: Generation.End?) {
    let reason =
      switch end {
      case .finished, .stopped: "stop"
      case .length: "length"
      case .calls: "tool_calls"
      case nil: "abort"
      }
    state.withLock { state in
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

  /// Counts a request; `route` is one that the server has, never what a client wrote.
  func note(route: String, status: Int) {
    state.withLock { $0.requests[route, default: [:]][status, default: 0] += 1 }
  }

  /// The text that is scraped.
  func text(_ counts: (running: Int, waiting: Int), cacheShare: Double) -> String {
    let (models, requests) = state.withLock { ($0.models, $0.requests) }
    var text = ""
    func add(
      _ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: String)]
    ) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
      for sample in samples { text += "\(name)\(sample.labels) \(sample.value)\n" }
    }
    add(
      "vllm:num_requests_running", "gauge", "Requests that are being answered.",
      [("", "\(counts.running)")])
    add(
      "vllm:num_requests_waiting", "gauge", "Requests that wait for a place.",
      [("", "\(counts.waiting)")])
    add(
      "vllm:kv_cache_usage_perc", "gauge", "Share of the memory for keys and values in use.",
      [("", "\(cacheShare)")])
    func byModel(_ name: String, _ help: String, _ value: (Counts) -> Int) {
      add(
        name, "counter", help,
        models.sorted { $0.key < $1.key }.map {
          ("{model_name=\"\($0.key)\"}", "\(value($0.value))")
        })
    }
    byModel("vllm:prompt_tokens_total", "Tokens of prompts.", \.prompt)
    byModel(
      "vllm:prefix_cache_hits_total", "Tokens of prompts that were known from before.", \.cached)
    byModel("vllm:generation_tokens_total", "Tokens of answers.", \.generated)
    byModel("vllm:spec_decode_num_draft_tokens_total", "Tokens that were guessed.", \.proposed)
    byModel("vllm:spec_decode_num_accepted_tokens_total", "Guessed tokens that came.", \.accepted)
    add(
      "vllm:request_success_total", "counter", "Answers by why they ended.",
      models.sorted { $0.key < $1.key }.flatMap { name, counts in
        counts.answers.sorted { $0.key < $1.key }.map {
          ("{model_name=\"\(name)\",finished_reason=\"\($0.key)\"}", "\($0.value)")
        }
      })
    add(
      "fmadapter_http_requests_total", "counter", "Requests by route and status.",
      requests.sorted { $0.key < $1.key }.flatMap { route, statuses in
        statuses.sorted { $0.key < $1.key }.map {
          ("{route=\"\(route)\",status=\"\($0.key)\"}", "\($0.value)")
        }
      })
    return text
  }
}
