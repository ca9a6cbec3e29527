/// What a generation did and how long it took.
public struct GenerationStatistics: Sendable, Equatable {
  /// Why a generation ended.
  public enum Finish: String, Sendable {
    /// The model chose a stop token, which is not part of the output.
    case stopToken = "stop"
    /// The maximum number of tokens was reached.
    case length
  }

  /// Tokens of the prompt that were evaluated.
  public internal(set) var promptTokens = 0
  /// Tokens of the prompt that the session still held from before.
  public internal(set) var reusedTokens = 0
  /// Whether the adapters act; false where the invocation of an activated one does not occur in the prompt, so that the base answers alone,
  /// and nil without any.
  public internal(set) var isActivated: Bool?
  /// Tokens that came out.
  public internal(set) var generatedTokens = 0
  /// Time from the start to the first token.
  public internal(set) var timeToFirstToken: Duration?
  /// Time spent on the prompt.
  public internal(set) var prefillTime = Duration.zero
  /// Time spent on passes after the prompt's.
  public internal(set) var decodeTime = Duration.zero
  /// Passes after the prompt's.
  package internal(set) var decodePasses = 0
  /// Tokens behind the prompt that those passes evaluated, without proposals that did not come.
  var decodedTokens = 0
  /// Tokens that passes tried before they came, by where they were from.
  package internal(set) var proposals: [ProposalSource: ProposalCounts] = [:]
  /// The seed that was used.
  public internal(set) var seed: UInt64 = 0
  /// FNV-1a hash of the bytes of the last logits, once it has ended: it takes as long as to choose ten tokens.
  ///
  /// Nil where a constraint needed few of them.
  package internal(set) var logitsHash: UInt32?
  /// Nil while it runs, and when it was cancelled or failed.
  public internal(set) var finish: Finish?

  /// Tokens that were proposed to passes.
  public var proposedTokens: Int {
    proposals.values.reduce(0) { $0 + $1.proposed.reduce(0, +) }
  }
  /// Those of them that came.
  public var acceptedTokens: Int {
    proposals.values.reduce(0) { $0 + $1.accepted.reduce(0, +) }
  }
  /// Prompt tokens per second; nil when none were evaluated.
  public var prefillTokensPerSecond: Double? { rate(promptTokens, prefillTime) }
  /// Tokens per second after the first; nil when no pass was made for them: what is guessed may come with the prompt's.
  public var decodeTokensPerSecond: Double? {
    decodePasses == 0 ? nil : rate(decodedTokens, decodeTime)
  }

  private func rate(_ count: Int, _ time: Duration) -> Double? {
    guard count > 0, time > .zero else { return nil }
    return Double(count) / (time / .seconds(1))
  }
}
