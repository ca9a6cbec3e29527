import Foundation
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct ModelSessionTests {
  static let tokens: [Int32] = (0..<40).map { Int32($0 * 7 % 48) }

  /// All logits of `tokens`, evaluated in pieces of the given sizes.
  private func logits(
    _ session: ModelSession, _ tokens: [Int32], pieces: [Int]
  ) throws -> [[Float]] {
    var result: [[Float]] = []
    var rest = tokens[...]
    for size in pieces {
      try session.evaluate(Array(rest.prefix(size))) { _, logits in result.append(logits) }
      rest = rest.dropFirst(size)
    }
    return result
  }

  @Test(arguments: Architecture.allCases)
  func tokenByTokenEqualsOneBatchToTheBit(architecture: Architecture) throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(architecture, shared: architecture == .afm ? 1 : 0).open(in: folder)
    let adapters = [randomAdapter(model)]
    let whole = try logits(
      ModelSession(model, adapters: adapters), Self.tokens, pieces: [Self.tokens.count])
    let single = try logits(
      ModelSession(model, adapters: adapters), Self.tokens,
      pieces: Array(repeating: 1, count: Self.tokens.count))
    let mixed = try logits(
      ModelSession(model, adapters: adapters), Self.tokens, pieces: [3, 8, 1, 2, 17, 9])
    #expect(whole == single)
    #expect(whole == mixed)
  }

  @Test func aBaseThatIsCutEndsTheSessionWithAnError() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let session = try ModelSession(model)
    try session.evaluate([1, 2, 3])
    truncate(model.path, model.fileSize / 2)
    let failure = BaseModelError.file(.changed(path: model.path))
    for _ in 0..<2 { #expect(throws: failure) { try session.evaluate([4]) } }
    #expect(session.tokens == [1, 2, 3])
    #expect(session.logits == nil)
    #expect(throws: failure) { try model.tokenizer() }
  }

  @Test func promptsLongerThanABatchEqualTokenByToken() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama, context: 200).open(in: folder)
    let tokens = (0..<150).map { Int32($0 * 5 % 48) }
    let whole = try ModelSession(model)
    try whole.evaluate(tokens)
    let single = try ModelSession(model)
    for token in tokens { try single.evaluate([token]) }
    #expect(whole.logits == single.logits)
    #expect(whole.tokens == tokens)
  }

  @Test func resultsDoNotDependOnThreads() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.qwen3).open(in: folder)
    let all = try [1, 2, 3].map { threads in
      try logits(
        ModelSession(model, adapters: [randomAdapter(model)], threads: threads), Self.tokens,
        pieces: [30, 1, 9])
    }
    #expect(all[0] == all[1])
    #expect(all[0] == all[2])
  }

  @Test func sessionsOfOnePoolRunAtOnceWithDifferentAdapters() async throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let adapters = (1...4).map { randomAdapter(model, seed: $0) }
    let alone = try adapters.map { adapter in
      let session = try ModelSession(model, adapters: [adapter], threads: 2)
      try session.evaluate(Self.tokens)
      return session.logitsHash
    }
    let together = try await withThrowingTaskGroup(of: (Int, UInt32?).self) { group in
      for (index, adapter) in adapters.enumerated() {
        group.addTask {
          let session = try ModelSession(model, adapters: [adapter], threads: 2)
          for token in Self.tokens { try session.evaluate([token]) }
          return (index, session.logitsHash)
        }
      }
      var hashes = [UInt32?](repeating: nil, count: adapters.count)
      for try await (index, hash) in group { hashes[index] = hash }
      return hashes
    }
    #expect(together == alone)
    #expect(Set(alone).count == adapters.count)
  }

  @Test func truncatingGoesBackInTime() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.afm, shared: 1).open(in: folder)
    let session = try ModelSession(model)
    try session.evaluate(Self.tokens)
    let expected = session.logits
    session.truncate(to: 13)
    #expect(session.tokens == Array(Self.tokens.prefix(13)))
    #expect(session.logits == nil)
    try session.evaluate([1, 2, 3])
    session.truncate(to: 13)
    try session.evaluate(Array(Self.tokens.dropFirst(13)))
    #expect(session.logits == expected)
    session.truncate(to: 999)
    #expect(session.tokens == Self.tokens)
  }

  @Test func anAdapterWithZeroBLeavesTheHash() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.qwen2).open(in: folder)
    let hashes = try [[], [randomAdapter(model, zeroB: true)], [randomAdapter(model)]].map {
      let session = try ModelSession(model, adapters: $0)
      try session.evaluate(Self.tokens)
      return session.logitsHash
    }
    #expect(hashes[0] == hashes[1])
    #expect(hashes[0] != hashes[2])
  }

  /// Scales are factors of the update: s and t of one adapter are s + t of it.
  @Test func twoAdaptersAtOnceAreTheirSum() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let both = try ModelSession(
      model, adapters: [randomAdapter(model, scale: 0.75), randomAdapter(model, scale: 0.5)])
    let one = try ModelSession(model, adapters: [randomAdapter(model, scale: 1.25)])
    let other = try ModelSession(
      model,
      adapters: [randomAdapter(model, scale: 0.75), randomAdapter(model, scale: 0.5, seed: 5)])
    for session in [both, one, other] { try session.evaluate(Self.tokens) }
    let sums = try #require(both.logits)
    let worst = zip(sums, try #require(one.logits)).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-4, "worst \(worst)")
    #expect(both.logitsHash != other.logitsHash)
  }

  @Test func aFullContextIsANamedError() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let session = try ModelSession(model, contextLength: 41)
    try session.evaluate(Self.tokens)
    try session.evaluate([1])
    #expect(throws: BaseModelError.contextExceeded(limit: 41, needed: 42)) {
      try session.evaluate([1])
    }
    #expect(session.tokens.count == 41)
    #expect(throws: BaseModelError.contextTooLong(requested: 65, limit: 64)) {
      try ModelSession(model, contextLength: 65)
    }
    let none = #expect(throws: BaseModelError.self) {
      try ModelSession(model, contextLength: 0)
    }
    #expect(none?.description == "A context of 0 tokens holds nothing; give 1 to 64.")
  }

  @Test func badTokensAreNamedErrors() throws {
    let folder = try TemporaryDirectory()
    let session = try ModelSession(try TinyModel(.llama).open(in: folder))
    for token: Int32 in [-1, 48, .max] {
      #expect(throws: BaseModelError.tokenOutsideVocabulary(token: token, count: 48)) {
        try session.evaluate([0, token])
      }
    }
    #expect(throws: BaseModelError.emptyPrompt) { try session.evaluate([]) }
    #expect(session.tokens.isEmpty)
  }

  @Test func cancellingKeepsWholeBatches() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama, context: 200).open(in: folder)
    let session = try ModelSession(model)
    var checks = 0
    // Three layers per batch of 64: the fifth check is inside the second batch.
    #expect(throws: BaseModelError.cancelled) {
      try session.evaluate([Int32](repeating: 3, count: 150)) {
        checks += 1
        return checks == 5
      }
    }
    #expect(session.tokens.count == 64)
    try session.evaluate([Int32](repeating: 3, count: 86))
    let straight = try ModelSession(model)
    try straight.evaluate([Int32](repeating: 3, count: 150))
    #expect(session.logits == straight.logits)
  }

  @Test func anAdapterOfAnotherShapeIsRefused() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let wide = try TinyModel(.llama, hidden: 96).open(in: folder, "wide.gguf")
    let deep = try TinyModel(.llama, layers: 4).open(in: folder, "deep.gguf")
    let identifier = "fmadapter-test-abababa"
    #expect(
      throws: BaseModelError.adapterMismatch(
        identifier: identifier, layer: 0, target: "ffn_gate")
    ) { try ModelSession(model, adapters: [randomAdapter(wide)]) }
    #expect(
      throws: BaseModelError.adapterLayers(identifier: identifier, expected: 3, actual: 4)
    ) { try ModelSession(model, adapters: [randomAdapter(deep)]) }
  }
}
