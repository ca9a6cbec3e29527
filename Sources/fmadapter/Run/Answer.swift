import LanguageModels

/// One answer of a model, as text and as figures.
struct Answer: Encodable {
  enum Finish: String, Encodable {
    /// The model ended it.
    case stop
    /// The limit of tokens was reached.
    case length
    /// The person stopped it.
    case interrupted
  }

  let text: String
  let finish: Finish
  let promptTokens: Int
  let generatedTokens: Int
  /// Seconds from the start to the first token.
  let timeToFirstToken: Double?
  let prefillTokensPerSecond: Double?
  let decodeTokensPerSecond: Double?
  let seed: UInt64
  /// 8 hexadecimal digits that change when any bit of the last logits does.
  let logitsHash: String?

  init(text: String, _ statistics: GenerationStatistics) {
    self.text = text
    finish =
      switch statistics.finish {
      case .stopToken: .stop
      case .length: .length
      case nil: .interrupted
      }
    promptTokens = statistics.promptTokens + statistics.reusedTokens
    generatedTokens = statistics.generatedTokens
    timeToFirstToken = statistics.timeToFirstToken?.inSeconds
    prefillTokensPerSecond = statistics.prefillTokensPerSecond
    decodeTokensPerSecond = statistics.decodeTokensPerSecond
    seed = statistics.seed
    logitsHash = statistics.logitsHash.map { hash in
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }
  }

  /// The figures on one line.
  var summary: String {
    var parts = ["\(generatedTokens) token\(generatedTokens == 1 ? "" : "s")"]
    if let timeToFirstToken { parts.append("first after \(Figures.fixed(timeToFirstToken, 3)) s") }
    if let decodeTokensPerSecond {
      parts.append("\(Figures.fixed(decodeTokensPerSecond, 1)) tokens/s")
    }
    switch finish {
    case .stop: break
    case .length: parts.append("ended by --max-tokens")
    case .interrupted: parts.append("interrupted")
    }
    return parts.joined(separator: ", ")
  }
}
