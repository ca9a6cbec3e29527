import Adapters
import LanguageModels

extension AnswerSettings {
  /// Says how tokens are drawn where nobody asked for it.
  func tellStated(_ adapters: [AppliedAdapter], _ terminal: Terminal) {
    let taken = SamplingSettings { asked[$0] == nil ? stated[$0] : nil }
    guard !asked.isGreedy, let text = taken.summary else { return }
    let whose = adapters.isEmpty ? "base" : "adapter"
    terminal.note(
      "Words are drawn as the \(whose) states: \(text); --temperature 0 always takes the likeliest."
    )
  }
}

extension SamplingSettings {
  /// What is stated, on one line; nil for nothing.
  var summary: String? {
    let parts = Value.allCases.compactMap { value in
      self[value].map { "\(value.label) \(value == .topK ? "\(Int($0))" : "\(Float($0))")" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
