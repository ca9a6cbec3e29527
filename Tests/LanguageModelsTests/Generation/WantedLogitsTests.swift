import Grammars
import Kernels
import TestSupport
import Testing

@testable import LanguageModels

/// Passes that compute the logits of few tokens, as a constraint allows no others.
@Suite struct WantedLogitsTests {
  private static let vocabulary = 1024

  private let folder: TemporaryDirectory
  private let model: BaseModel

  init() throws {
    folder = try TemporaryDirectory()
    model = try TinyModel(.llama, vocabulary: Self.vocabulary, context: 128).open(in: folder)
  }

  /// Allows a few tokens, others at each place of the text; all of them at each `free` one.
  private struct Few: TokenConstraint {
    var place = 0
    /// Whether it says what may come behind others.
    var looksAhead = true
    var free = Int.max

    private func mark(_ place: Int, _ mask: inout TokenMask) {
      for token in 0..<Int32(mask.count)
      where place % free == free - 1 || (Int(token) * 31 + place * 17) % 211 == 0 {
        mask[token] = true
      }
    }

    mutating func markAllowed(in mask: inout TokenMask) { mark(place, &mask) }

    mutating func markAllowed(in mask: inout TokenMask, behind proposal: [Int32]) -> Bool {
      guard looksAhead else { return false }
      mark(place + proposal.count, &mask)
      return true
    }

    mutating func advance(past token: Int32) { place += 1 }
  }

  /// Proposes what comes, and every third time something else.
  private final class Known: TokenProposer {
    let source = ProposalSource.other
    private let text: [Int32]

    init(_ text: [Int32]) { self.text = text }

    func propose(after history: [Int32], limit: Int) -> [ProposedToken] {
      text.indices.dropFirst(history.count).prefix(limit).map { place in
        ProposedToken(place % 3 > 0 ? text[place] : 1, prior: 0.9)
      }
    }
  }

  private static let prompt: [Int32] = [1, 2, 3]

  /// All logits are computed where they are to be told of.
  private func generator(
    _ constraint: Few?, _ options: SamplingOptions, all: Bool = false, speculator: Speculator? = nil
  ) throws -> TokenGenerator {
    var options = options
    options.maximumTokens = 24
    let generator = try TokenGenerator(
      ModelSession(model, threads: 2), prompt: Self.prompt, options: options,
      constraint: constraint, speculator: speculator)
    generator.reporting = all ? 0 : nil
    return generator
  }

  private func text(_ generator: TokenGenerator) throws -> [Int32] {
    var tokens: [Int32] = []
    while let token = try generator.next() { tokens.append(token) }
    return tokens
  }

  static let options = [
    SamplingOptions(), SamplingOptions(temperature: 1, seed: 1),
    SamplingOptions(temperature: 2, topK: 2, topP: 0.9, seed: 2),
    SamplingOptions(temperature: 0, repetitionPenalty: 1.3),
  ]

  @Test(arguments: options, [Int.max, 4])
  func textsAreThoseOfAllLogits(_ options: SamplingOptions, _ free: Int) throws {
    let constraint = Few(free: free)
    let expected = try text(generator(constraint, options, all: true))
    #expect(expected.count == 24)
    let plain = try generator(constraint, options)
    #expect(try text(plain) == expected)
    #expect(plain.statistics.logitsHash == nil || free == 4)
    for looksAhead in [true, false] {
      let costs = PassCosts(ratios: (0..<8).map { 1 + 0.01 * Double($0) })
      let speculator = Speculator(
        proposers: [Known(Self.prompt + expected)], costs: costs)
      let fast = try generator(
        Few(looksAhead: looksAhead, free: free), options, speculator: speculator)
      #expect(try text(fast) == expected)
      #expect(fast.statistics.decodePasses < 24)
    }
  }

  /// In a pass with others each has what it has alone, and tells as much of its logits.
  @Test(arguments: options)
  func companyChangesNothing(_ options: SamplingOptions) throws {
    let constraints = [Few(), nil, Few(place: 5), Few(free: 3)]
    let alone = try constraints.map { try generator($0, options) }
    let expected = try alone.map(text)
    let all = try constraints.map { try generator($0, options) }
    let scheduler = Scheduler(model, width: all.count, threads: 2)
    for generator in all { scheduler.admit(generator) }
    var texts = [[Int32]](repeating: [], count: all.count)
    while try scheduler.step(eachToken: { generator, token in
      if let index = all.firstIndex(where: { $0 === generator }) { texts[index].append(token) }
    }) {}
    #expect(texts == expected)
    #expect(all.map(\.statistics.logitsHash) == alone.map(\.statistics.logitsHash))
    #expect(all[0].statistics.logitsHash == nil && all[1].statistics.logitsHash != nil)
  }

  @Test func groupsAreThoseOfTheTokens() {
    let size = Operations.groupRows
    var mask = TokenMask(count: 64 * size + 1)
    #expect(mask.groups == [])
    for token in [0, size - 1, size, 9 * size + 3, 64 * size] { mask[Int32(token)] = true }
    #expect(mask.groups == [0, 1, 9, 64])
    for group in 10..<40 { mask[Int32(group * size)] = true }
    #expect(mask.groups == nil)
  }
}
