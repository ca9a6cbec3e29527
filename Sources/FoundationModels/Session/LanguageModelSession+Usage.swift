import LanguageModels

extension LanguageModelSession {
  /// What answers have taken, in tokens, as on OS 27.
  ///
  /// Models of this machine count exactly; an executor counts as its provider does.
  public struct Usage: Sendable {
    /// What was read.
    public var input: Input
    /// What was written.
    public var output: Output
    /// What else the provider counts.
    public var metadata: [String: any Sendable & Codable & Equatable]

    /// What answers have taken.
    public init(
      input: Input, output: Output,
      metadata: [String: any Sendable & Codable & Equatable] = [:]
    ) {
      (self.input, self.output, self.metadata) = (input, output, metadata)
    }

    /// All tokens, read and written.
    public var totalTokenCount: Int { input.totalTokenCount.plus(output.totalTokenCount) }

    /// Tokens that were read.
    public struct Input: Sendable {
      /// All of them, once for each answer that they were read for.
      public var totalTokenCount: Int
      /// Those that had been read before.
      public var cachedTokenCount: Int

      /// Tokens that were read.
      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        (self.totalTokenCount, self.cachedTokenCount) = (totalTokenCount, cachedTokenCount)
      }
    }

    /// Tokens that were written.
    public struct Output: Sendable {
      /// All of them.
      public var totalTokenCount: Int
      /// Those that were thought.
      public var reasoningTokenCount: Int

      /// Tokens that were written.
      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        (self.totalTokenCount, self.reasoningTokenCount) = (totalTokenCount, reasoningTokenCount)
      }
    }
  }
}

extension LanguageModelSession.Usage {
  /// Nothing.
  init() {
    self.init(
      input: Input(totalTokenCount: 0, cachedTokenCount: 0),
      output: Output(totalTokenCount: 0, reasoningTokenCount: 0))
  }

  /// What one answer of a model of this machine has taken, whose whole prompt has `read` tokens; nil where not all of it was read.
  init(_ statistics: GenerationStatistics, read: Int? = nil) {
    let read = read ?? statistics.promptTokens + statistics.reusedTokens
    self.init(
      input: Input(totalTokenCount: read, cachedTokenCount: statistics.reusedTokens),
      output: Output(totalTokenCount: statistics.generatedTokens, reasoningTokenCount: 0))
  }

  /// What an executor says; fewer than no tokens are none.
  init(_ usage: LanguageModelExecutorGenerationChannel.Usage) {
    self.init(
      input: Input(
        totalTokenCount: max(0, usage.input.totalTokenCount),
        cachedTokenCount: max(0, usage.input.cachedTokenCount)),
      output: Output(
        totalTokenCount: max(0, usage.output.totalTokenCount),
        reasoningTokenCount: max(0, usage.output.reasoningTokenCount)),
      metadata: usage.metadata)
  }

  /// Both together; of two values of one name the later one stays.
  mutating func add(_ other: Self) {
    input.totalTokenCount = input.totalTokenCount.plus(other.input.totalTokenCount)
    input.cachedTokenCount = input.cachedTokenCount.plus(other.input.cachedTokenCount)
    output.totalTokenCount = output.totalTokenCount.plus(other.output.totalTokenCount)
    output.reasoningTokenCount = output.reasoningTokenCount.plus(other.output.reasoningTokenCount)
    metadata.merge(other.metadata) { _, new in new }
  }
}

extension Int {
  /// The sum, or the number next to it: providers may count what they like, and no count of theirs ends a process.
  func plus(_ other: Int) -> Int {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? other < 0 ? .min : .max : sum
  }
}
