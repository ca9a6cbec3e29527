package import Adapters
import JSON
package import TensorFiles

extension SamplingSettings {
  /// What a base's file states, under the keys of llama.cpp.
  ///
  /// Numbers outside of their ranges are ``untaken``, and other types state nothing. Source: `gguf-py/gguf/constants.py` of
  /// <https://github.com/ggml-org/llama.cpp>.
  package init(_ metadata: GGUFMetadata) {
    func number(_ value: Value) -> Double? { (try? metadata.float(value.key)) ?? nil }
    self.init { value in number(value).flatMap { value.isTaken($0) ? $0 : nil } }
    for value in Value.allCases where self[value] == nil { untaken[value] = number(value) }
  }

  /// What the `generation_config.json` of a folder states.
  ///
  /// Without `do_sample` its numbers count, as in llama.cpp; where that is false, only what greedy decoding has, too. A draw without a
  /// temperature has that of transformers.
  init(_ generation: CheckpointSettings) {
    let samples = generation.bool("do_sample")
    self.init { value in
      guard samples != false || value == .repetitionPenalty else { return nil }
      return generation.value(value.settingName)?.number?.double
    }
    if samples == true, self[.temperature] == nil { self[.temperature] = 1 }
  }

  /// Writes what is stated, in the types of llama.cpp's converter.
  func set(on head: inout GGUFWriter) {
    for value in Value.allCases {
      guard let number = self[value] else { continue }
      head.set(value.key, value == .topK ? .int32(Int32(number)) : .float32(Float(number)))
    }
  }
}

extension SamplingSettings.Value {
  /// Whether a base's number counts: as far as a person may ask for it.
  fileprivate func isTaken(_ number: Double) -> Bool {
    switch self {
    case .temperature: (0...2).contains(number)
    case .topK: (0...1_000_000).contains(number)
    // As the file has it, which rounds.
    case .topP: (Float(0.01)...1).contains(Float(number))
    case .minP, .repetitionPenalty: allows(number)
    }
  }

  /// What a base's number has to be to count.
  package var takenRule: String {
    switch self {
    case .temperature: "between 0 and 2"
    case .topK: "between 0 and 1,000,000"
    case .topP: "between 0.01 and 1"
    case .minP, .repetitionPenalty: rule
    }
  }

  fileprivate var key: String {
    let name =
      switch self {
      case .temperature: "temp"
      case .topK, .topP, .minP: settingName
      case .repetitionPenalty: "penalty_repeat"
      }
    return "general.sampling.\(name)"
  }

  /// Its name in `generation_config.json`.
  fileprivate var settingName: String {
    switch self {
    case .temperature: "temperature"
    case .topK: "top_k"
    case .topP: "top_p"
    case .minP: "min_p"
    case .repetitionPenalty: "repetition_penalty"
    }
  }
}

extension BaseModel {
  /// How tokens are drawn, as far as those who answer state it: the first of `adapters` that does, or without any the base.
  ///
  /// Adapters that state nothing answer with the likeliest tokens, whatever the base states.
  package func sampling(with adapters: [AppliedAdapter]) -> SamplingSettings {
    guard !adapters.isEmpty else { return SamplingSettings(file.metadata) }
    return adapters.lazy.compactMap(\.sampling).first ?? SamplingSettings()
  }
}

extension AppliedAdapter {
  /// What the package states; nil where that is nothing.
  fileprivate var sampling: SamplingSettings? { source?.metadata.settings.sampling }
}

extension SamplingOptions {
  /// Takes over what `sampling` states, and what is usual for the rest: the likeliest token, unless it says what to draw among.
  package mutating func take(_ sampling: SamplingSettings) {
    let usual = SamplingOptions()
    let draws = [.topK, .topP, .minP].contains { sampling[$0] != nil }
    temperature = sampling[.temperature] ?? (draws ? 1 : usual.temperature)
    topK = sampling[.topK].map { Int($0) } ?? usual.topK
    topP = sampling[.topP] ?? usual.topP
    minP = sampling[.minP] ?? usual.minP
    repetitionPenalty = sampling[.repetitionPenalty] ?? usual.repetitionPenalty
  }
}
