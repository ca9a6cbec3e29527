import Adapters
import LanguageModels
import SystemFiles

extension AnswerSettings {
  /// Says how tokens are drawn where nobody asked for it, and what is stated in vain.
  func tellStated(_ adapters: [AppliedAdapter], _ terminal: Terminal) {
    guard !asked.isGreedy else { return }
    for value in SamplingSettings.Value.allCases where asked[value] == nil {
      guard let number = stated.untaken[value] else { continue }
      terminal.note(
        "The base states \(value.label) \(Figures.short(number)), which does not count: it has to be \(value.takenRule)."
      )
    }
    let taken = SamplingSettings { asked[$0] == nil ? stated[$0] : nil }
    guard let text = taken.summary else { return }
    let whose = adapters.isEmpty ? "base" : "adapter"
    guard options.temperature > 0 else {
      let penalty = taken[.repetitionPenalty] ?? 1
      guard penalty != 1 else { return }
      return terminal.note(
        "The likeliest word is always taken, with the repetition penalty \(Float(penalty)) that the \(whose) states; --temperature 0 takes it without."
      )
    }
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
