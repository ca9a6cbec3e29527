import AdapterTraining
import JSON
import LanguageModels
import Tokenization

/// A few examples that an adapter in training answers now and then, to be looked at.
struct TrainingSamples {
  private struct Sample {
    let line: Int
    let prompt: [Token]
    let asked: String
    let expected: String
    let limit: Int
  }

  private static let count = 3
  /// Tokens of an answer, at most: they are for a glance.
  private static let limit = 96

  private let samples: [Sample]
  private let base: DataOptions.Base

  /// Takes three of `examples`, evenly.
  init(_ examples: [TokenizedExample], _ base: DataOptions.Base) {
    self.base = base
    let context = base.model.configuration.contextLength
    let usable = examples.filter { example in
      guard let answer = example.trained.last else { return false }
      return answer.lowerBound > 1 && answer.lowerBound + Self.limit < context
    }
    let step = max(usable.count / Self.count, 1)
    samples = stride(from: 0, to: usable.count, by: step).prefix(Self.count).map { index in
      let example = usable[index]
      let answer = example.trained.last ?? 0..<0
      let text = answer.filter { !base.stopTokens.contains(example.tokens[$0]) }
      return Sample(
        line: example.line, prompt: Array(example.tokens[..<answer.lowerBound]),
        asked: base.tokenizer.decode(
          Array(example.tokens[..<answer.lowerBound]), special: true, isStart: true),
        expected: base.tokenizer.decode(
          text.map { example.tokens[$0] }, special: false, isStart: false),
        limit: min(max(2 * answer.count, 16), Self.limit))
    }
  }

  /// What `adapter` answers to each.
  func answers(
    _ adapter: AppliedAdapter, threads: Int?
  ) throws -> [JSONObject] {
    try samples.map { sample in
      let session = try ModelSession(
        base.model, adapters: [adapter], contextLength: sample.prompt.count + sample.limit,
        threads: threads)
      let generator = try TokenGenerator(
        session, prompt: sample.prompt, options: SamplingOptions(maximumTokens: sample.limit),
        stopTokens: base.stopTokens)
      var tokens: [Token] = []
      while let token = try generator.next() { tokens.append(token) }
      return [
        "line": .integer(sample.line), "prompt": .string(sample.asked),
        "expected": .string(sample.expected),
        "answer": .string(base.tokenizer.decode(tokens, special: false, isStart: false)),
      ]
    }
  }
}
