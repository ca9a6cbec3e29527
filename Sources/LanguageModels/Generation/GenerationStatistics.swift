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
  /// Tokens that came out.
  public internal(set) var generatedTokens = 0
  /// Time from the start to the first token.
  public internal(set) var timeToFirstToken: Duration?
  /// Time spent on the prompt.
  public internal(set) var prefillTime = Duration.zero
  /// Time spent on passes of one token, and their number.
  public internal(set) var decodeTime = Duration.zero
  /// Passes of one token.
  public internal(set) var decodePasses = 0
  /// Bytes of weights that one pass reads.
  public internal(set) var bytesPerPass = 0
  /// The seed that was used.
  public internal(set) var seed: UInt64 = 0
  /// FNV-1a hash of the bytes of the last logits.
  public internal(set) var logitsHash: UInt32?
  /// Nil while it runs, and when it was cancelled or failed.
  public internal(set) var finish: Finish?

  /// Prompt tokens per second; nil when none were evaluated.
  public var prefillTokensPerSecond: Double? { rate(promptTokens, prefillTime) }
  /// Tokens per second after the first; nil when there were none.
  public var decodeTokensPerSecond: Double? { rate(decodePasses, decodeTime) }
  /// Bytes of weights per second, in 10^9, while decoding.
  public var decodeGigabytesPerSecond: Double? {
    decodeTokensPerSecond.map { $0 * Double(bytesPerPass) / 1e9 }
  }

  private func rate(_ count: Int, _ time: Duration) -> Double? {
    guard count > 0, time > .zero else { return nil }
    return Double(count) / (time / .seconds(1))
  }
}
