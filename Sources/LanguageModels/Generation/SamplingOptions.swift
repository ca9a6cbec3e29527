import Adapters

/// How tokens are chosen, and when to stop.
public struct SamplingOptions: Sendable, Equatable {
  /// What logits are divided by, `[0, 100]`; 0 always takes the most likely token.
  public var temperature: Double
  /// Keeps this many of the most likely tokens; 0 keeps all.
  public var topK: Int
  /// Keeps the most likely tokens whose probabilities reach this sum, `(0, 1]`; 1 keeps all.
  public var topP: Double
  /// Drops tokens less likely than this share of the most likely one, `[0, 1]`; 0 keeps all.
  public var minP: Double
  /// Makes each of the last ``penalizedTokens`` less likely, `[1, 100]`; 1 changes nothing.
  ///
  /// Positive logits are divided by it, negative ones multiplied.
  public var repetitionPenalty: Double
  /// Tokens of prompt and answer that the repetition penalty looks back on, 0 or more; 64 unless told otherwise.
  public var penalizedTokens = 64
  /// What is added to logits.
  public var shifts = LogitShifts()
  /// Same seed, same tokens; a random one if nil.
  public var seed: UInt64?
  /// Tokens to generate at most.
  public var maximumTokens: Int

  /// Greedy unless told otherwise, up to 512 tokens.
  public init(
    temperature: Double = 0, topK: Int = 0, topP: Double = 1, minP: Double = 0,
    repetitionPenalty: Double = 1, seed: UInt64? = nil, maximumTokens: Int = 512
  ) {
    (self.temperature, self.topK, self.topP, self.minP) = (temperature, topK, topP, minP)
    (self.repetitionPenalty, self.seed) = (repetitionPenalty, seed)
    self.maximumTokens = maximumTokens
  }

  /// The seed, or where there is none another one each time.
  package var drawnSeed: UInt64 { seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) }

  /// Compares each option with its range.
  ///
  /// - Throws: `.invalidOption` for the first one outside.
  func check() throws(BaseModelError) {
    func require(
      _ holds: Bool, _ name: String, _ value: some Any, _ rule: String
    ) throws(BaseModelError) {
      guard holds else { throw .invalidOption(name: name, value: "\(value)", rule: rule) }
    }
    func require(
      _ value: SamplingSettings.Value, _ number: Double
    ) throws(BaseModelError) {
      try require(value.allows(number), value.label, number, value.rule)
    }
    try require(.temperature, temperature)
    try require(
      topK >= 0, SamplingSettings.Value.topK.label, topK, SamplingSettings.Value.topK.rule)
    try require(.topP, topP)
    try require(.minP, minP)
    try require(.repetitionPenalty, repetitionPenalty)
    try require(
      penalizedTokens >= 0, "number of penalized tokens", penalizedTokens, "0 or more")
    try require(
      LogitShifts.penalties.contains(shifts.presence), "presence penalty", shifts.presence,
      "between -2 and 2")
    try require(
      LogitShifts.penalties.contains(shifts.frequency), "frequency penalty", shifts.frequency,
      "between -2 and 2")
    try require(
      shifts.biases.values.allSatisfy(LogitShifts.range.contains), "bias of a token",
      shifts.biases.values.first { !LogitShifts.range.contains($0) } ?? 0, "between -100 and 100")
    try require(maximumTokens >= 1, "maximum number of tokens", maximumTokens, "1 or more")
  }
}
