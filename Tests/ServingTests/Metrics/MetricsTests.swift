import Foundation
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct MetricsTests {
  private static func chat(_ model: String) -> String {
    #"{"model": "\#(model)", "max_tokens": 5, "temperature": 0, "messages": [{"role": "user", "content": "Hello there"}]}"#
  }

  /// The values of a text by name and labels; each name has its help and its type before.
  private func samples(_ text: String) throws -> [String: Double] {
    var (samples, helped, typed) = ([String: Double](), Set<String>(), Set<String>())
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if line.hasPrefix("#") {
        let isNew = words[1] == "HELP" ? helped.insert(words[2]) : typed.insert(words[2])
        #expect(isNew.inserted, "\(line)")
        continue
      }
      let end = try #require(line.lastIndex(of: " "))
      let key = String(line[..<end])
      let name = String(key.prefix { $0 != "{" })
      let family = ["_bucket", "_sum", "_count"].reduce(name) { name, end in
        name.hasSuffix(end) ? String(name.dropLast(end.count)) : name
      }
      #expect(helped.contains(family) && typed.contains(family), "\(line)")
      let value = try #require(Double(line[line.index(after: end)...]), "\(line)")
      #expect(value.isFinite && samples.updateValue(value, forKey: key) == nil, "\(line)")
    }
    #expect(helped == typed)
    return samples
  }

  @Test func answersAreMeasured() async throws {
    let served = try await ServedStore()
    try await served.serving { port in
      for model in ["afm-9m", "tagging", "tagging"] {
        _ = try TestAnswer.of("POST", "/v1/chat/completions", Self.chat(model), port: port)
      }
      _ = try TestAnswer.of("GET", "/health", port: port)
      _ = await served.log.records(4)
      let samples = try samples(TestAnswer.of("GET", "/metrics", port: port).body)
      let base = #"{model_name="afm-9m"}"#
      for name in [
        "time_to_first_token_seconds", "e2e_request_latency_seconds",
        "request_time_per_output_token_seconds", "request_queue_time_seconds",
      ] {
        #expect(samples["vllm:\(name)_count\(base)"] == 3, "\(name)")
        #expect(samples[#"vllm:\#(name)_bucket{model_name="afm-9m",le="+Inf"}"#] == 3, "\(name)")
        #expect(try #require(samples["vllm:\(name)_sum\(base)"]) >= 0)
      }
      let tokens = samples.filter { $0.key.hasPrefix("vllm:generation_tokens_total") }
      #expect(tokens.count == 2)
      // Each answer's first token has none before it.
      #expect(
        samples["vllm:inter_token_latency_seconds_count\(base)"]
          == tokens.values.reduce(0, +) - 3)
      #expect(samples[#"fmadapter_http_requests_total{route="/health",status="200"}"#] == 1)
      #expect(samples["vllm:num_requests_running\(base)"] == 0)
      #expect(
        samples["vllm:kv_cache_usage_perc\(base)"] == samples["vllm:gpu_cache_usage_perc\(base)"])
    }
  }

  /// One series alone, whose names are split at commas.
  @Test func adaptersOfNowAreNamedForTheGateway() async throws {
    let served = try await ServedStore { $0.width = 2 }
    let places = try ["tagging", "playwriting"].map { name in
      try served.server.admission.enter(
        client: "a", model: name, adapters: served.models.model(named: name).names, bytes: 1,
        isGone: { false })
    }
    let text = String(decoding: try #require(served.server.scrape().bytes), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("vllm:lora_requests_info") }
    #expect(lines.count == 1)
    let series =
      #"vllm:lora_requests_info{max_lora="2",running_lora_adapters="playwriting,tagging",waiting_lora_adapters=""} "#
    let value = try #require(Double(lines[0].dropFirst(series.count)))
    #expect(lines[0].hasPrefix(series) && abs(value - Date().timeIntervalSince1970) < 60)
    withExtendedLifetime(places) {}
  }

  @Test func bucketsHoldWhatIsNotLarger() {
    var histogram = Histogram([0.1, 1])
    histogram.add(0.1)
    histogram.add(0.5, times: 2)
    histogram.add(Duration.seconds(7))
    #expect(histogram.counts == [1, 2, 1] && histogram.count == 4)
    var twice = histogram
    twice.add(histogram)
    #expect(twice.counts == [2, 4, 2] && twice.sum == 2 * histogram.sum)
    var text = MetricsText()
    text.add("x", "Help.", [([], histogram)])
    #expect(
      text.text
        == "# HELP x Help.\n# TYPE x histogram\nx_bucket{le=\"0.1\"} 1\nx_bucket{le=\"1.0\"} 3\n"
        + "x_bucket{le=\"+Inf\"} 4\nx_sum 8.1\nx_count 4\n")
  }

  @Test func labelsCannotBreakOut() {
    var text = MetricsText()
    text.add("x", .gauge, "Help.", [("name", "a\"b\\c\nd")], "1")
    #expect(text.text.hasSuffix("x{name=\"a\\\"b\\\\c\\nd\"} 1\n"))
  }
}

extension HTTPResponse {
  fileprivate var bytes: [UInt8]? { if case .bytes(let bytes) = body { bytes } else { nil } }
}
