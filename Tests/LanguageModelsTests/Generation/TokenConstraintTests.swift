import Grammars
import TestSupport
import Testing

@testable import LanguageModels

/// Allows a fixed set of tokens at each step, then the stop token alone.
private struct Steps: TokenConstraint {
  var steps: [Set<Int32>]
  let stop: Int32

  mutating func markAllowed(in mask: inout TokenMask) {
    for token in steps.first ?? [stop] { mask[token] = true }
  }

  mutating func advance(past token: Int32) { steps.removeFirst() }
}

@Suite struct TokenConstraintTests {
  private func run(
    _ steps: [Set<Int32>], _ options: GenerationOptions = GenerationOptions()
  ) throws -> [Int32] {
    let folder = try TemporaryDirectory()
    let generator = try TokenGenerator(
      ModelSession(TinyModel(.llama).open(in: folder)), prompt: [1, 2, 3], options: options,
      stopTokens: [0], constraint: Steps(steps: steps, stop: 0))
    var tokens: [Int32] = []
    while let token = try generator.next() { tokens.append(token) }
    #expect(generator.statistics.finish == .stopToken)
    return tokens
  }

  @Test(arguments: [
    GenerationOptions(), GenerationOptions(temperature: 3, seed: 1),
    GenerationOptions(temperature: 3, topK: 2, seed: 1),
    GenerationOptions(temperature: 3, topP: 0.9, seed: 1),
    GenerationOptions(temperature: 3, minP: 0.01, seed: 1),
  ])
  func noOtherTokenComes(options: GenerationOptions) throws {
    let steps: [Set<Int32>] = [[7], [5, 9], [8], [4, 5, 6]]
    let tokens = try run(steps, options)
    #expect(tokens.count == steps.count)
    for (token, allowed) in zip(tokens, steps) { #expect(allowed.contains(token)) }
  }

  @Test func theLikeliestOfThoseThatAreAllowedComes() throws {
    let free = try greedyLogits()
    let allowed: Set<Int32> = [4, 5, 6, 7]
    let best = allowed.sorted().max { free[Int($0)] < free[Int($1)] }
    #expect(try run([allowed]).first == best)
  }

  @Test func anEmptySetIsAnError() throws {
    #expect(throws: LanguageModelError.noTokenAllowed(position: 4)) { try run([[7], []]) }
  }

  private func greedyLogits() throws -> [Float] {
    let folder = try TemporaryDirectory()
    let session = try ModelSession(TinyModel(.llama).open(in: folder))
    try session.evaluate([1, 2, 3])
    return try #require(session.logits)
  }
}
