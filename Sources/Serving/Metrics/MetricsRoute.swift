import FoundationEssentials
import LanguageModels

extension InferenceServer {
  /// What Prometheus scrapes: what is so now, then what was counted.
  func scrape() -> HTTPResponse {
    var text = MetricsText()
    let counts = admission.counts
    let labels: MetricsText.Labels = [("model_name", models.base.name)]
    text.add(
      "vllm:num_requests_running", .gauge, "Requests that are being answered.", labels,
      "\(counts.running)")
    text.add(
      "vllm:num_requests_waiting", .gauge, "Requests that wait for a place.", labels,
      "\(counts.waiting)")
    let share = Double(models.base.pool.bytes) / Double(max(1, models.options.cacheBytes))
    // Gateways read the one or the other.
    for name in ["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"] {
      text.add(
        name, .gauge, "Share of the memory for keys and values in use, 0 to 1.", labels,
        "\(share)")
    }
    addAdapters(to: &text)
    metrics.add(to: &text)
    return .text(text.text, type: "text/plain; version=0.0.4")
  }

  /// The adapters of the requests of now, as the Kubernetes inference gateway reads them: one series, whose value is the time.
  ///
  /// Source: Gateway API Inference Extension, proposal 003, which splits names at commas alone.
  private func addAdapters(to text: inout MetricsText) {
    let adapters = admission.adapters
    text.add(
      "vllm:lora_requests_info", .gauge, "Adapters of the requests that run and wait.",
      [
        ("max_lora", "\(models.options.width)"),
        ("running_lora_adapters", adapters.running.joined(separator: ",")),
        ("waiting_lora_adapters", adapters.waiting.joined(separator: ",")),
      ], "\(Date().timeIntervalSince1970)")
  }
}
