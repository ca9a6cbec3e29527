import Kernels
import TestSupport
import Testing

@testable import LanguageModels

/// Logits do not depend on how many rows a pass has, on which of them a token stands in, and on what was cut off before.
///
/// Speculation rests on it: what a pass of proposals computes is what passes of single tokens would have.
@Suite struct RowIndependenceTests {
  // Made once: random numbers take longer here than passes.
  private static let tiny = TinyModel(.qwen3, width: 256, hidden: 256, layers: 1)
  private static let experts = [
    TinyModel(.qwen3moe, width: 256, hidden: 256, layers: 1),
    TinyModel.parallelExperts(width: 256, hidden: 256, layers: 1),
  ]
  /// The second has a rank of no whole blocks, so that its B is not rounded.
  private static let adapters: [[AppliedAdapter]] = {
    guard let folder = try? TemporaryDirectory(), let model = try? tiny.open(in: folder) else {
      return []
    }
    let (one, two) = (randomAdapter(model, rank: 32), randomAdapter(model, rank: 3, seed: 2))
    return [[], [one], [two], [one, two]]
  }()
  private static let tokens: [Int32] = (0..<(runsAllTests ? 24 : 10)).map { Int32($0 * 11 % 48) }

  @Test(arguments: TensorType.allCases)
  func everyRowHasTheBitsOfAPassOfItsOwn(type: TensorType) throws {
    let folder = try TemporaryDirectory()
    try write(Self.tiny, type, to: folder.path("base.gguf"))
    try #require(!Self.adapters.isEmpty)
    for (turn, variant) in CPUVariant.available.enumerated() {
      let model = try BaseModel(path: folder.path("base.gguf"))
      let operations = Operations(pool: WorkerPool.shared(threads: 2), variant: variant)
      var random = SeededGenerator(seed: 41)
      // Half of it each time, but for all tests: passes of unoptimized kernels take long.
      for (index, adapters) in Self.adapters.enumerated()
      where runsAllTests || (index + turn) % 2 == 0 {
        for format in runsAllTests ? CacheFormat.allCases : [CacheFormat.allCases[index % 3]] {
          func session() throws -> ModelSession {
            try ModelSession(model, adapters: adapters, cache: format, operations: operations)
          }
          let expected = try singly(session())
          for _ in 0..<(runsAllTests ? 8 : 1) {
            let found = try inPieces(session(), &random)
            #expect(found == expected, "\(variant), \(adapters.count) adapters, \(format)")
          }
        }
      }
    }
  }

  /// Each row takes experts of its own, whatever those beside it take.
  @Test(
    arguments: runsAllTests ? TensorType.allCases : [.f32, .f16, .q4_0, .q8_0, .q4_K, .q2_B],
    experts.indices)
  func rowsHaveTheirOwnExperts(type: TensorType, index: Int) throws {
    let folder = try TemporaryDirectory()
    try write(Self.experts[index], type, to: folder.path("base.gguf"))
    let model = try BaseModel(path: folder.path("base.gguf"))
    var random = SeededGenerator(seed: 43)
    for variant in CPUVariant.available {
      let operations = Operations(pool: WorkerPool.shared(threads: 2), variant: variant)
      func session() throws -> ModelSession {
        try ModelSession(model, adapters: [randomAdapter(model, rank: 32)], operations: operations)
      }
      let expected = try singly(session())
      #expect(try inPieces(session(), &random) == expected, "\(variant)")
    }
  }

  /// Random codes of every type, so that all bits of a block count.
  private func write(_ tiny: TinyModel, _ type: TensorType, to path: String) throws {
    var random = SplitMix64(seed: 5)
    try tiny.write(to: path) { values in
      type.blockLength > 1
        ? (type, RandomBlocks(type, columns: 256).bytes(values.count, &random))
        : (type, quantize(type, values: values))
    }
  }

  private func singly(_ session: ModelSession) throws -> [[Float]?] {
    try Self.tokens.map { token in
      try session.evaluate([token])
      return session.logits
    }
  }

  /// Passes of one to nine rows; some of the proposals are right, the others are cut off again.
  private func inPieces(
    _ session: ModelSession, _ random: inout SeededGenerator
  ) throws -> [[Float]?] {
    var rows = [[Float]?](repeating: nil, count: Self.tokens.count)
    var next = 0
    while next < Self.tokens.count {
      let known = Self.tokens[next...].prefix(Int.random(in: 1...3, using: &random))
      var proposals = Self.tokens.dropFirst(next + known.count)
        .prefix(Int.random(in: 0...4, using: &random))
      proposals += (0..<Int.random(in: 0...2, using: &random)).map { Int32(40 + $0) }
      try session.evaluate(Array(known), proposing: Array(proposals)) { false }
      next += known.count
      rows[next - 1] = session.logits
      while next < Self.tokens.count, session.hasProposed(Self.tokens[next]),
        Int.random(in: 0..<5, using: &random) > 0
      {
        session.goOn()
        rows[next] = session.logits
        next += 1
      }
      #expect(session.tokens == Array(Self.tokens.prefix(next)))
    }
    // Of known tokens only the last has logits; these are of all, in one pass.
    session.truncate(to: 0)
    try session.evaluate(Self.tokens) { rows[$0] = rows[$0] ?? $1 }
    return rows
  }
}
