import TestSupport
import Testing

@testable import LanguageModels

/// Sessions over layers that keep more of the tokens than a cache of positions: whatever was cut off before, what they compute
/// is what a new session computes for the same tokens.
@Suite struct RunningStateTests {
  private static let context = 420

  static let architectures: [Architecture] = [.lfm2, .qwen35]

  private func model(
    _ architecture: Architecture, _ folder: TemporaryDirectory
  ) throws -> BaseModel {
    try TinyModel(architecture, layers: 5, context: Self.context).open(in: folder)
  }

  /// Back by few tokens, to marks and past them, far back and to nothing.
  @Test(
    arguments: architectures,
    [
      [39], [38, 37], [128, 127], [129], [130, 64], [63], [2], [1], [0], [299, 298, 170, 169],
      [200, 130, 128], [140, 65, 64, 3],
    ])
  func aCutIsAsIfTheRestHadNeverBeen(_ architecture: Architecture, _ cuts: [Int]) throws {
    let folder = try TemporaryDirectory()
    let model = try model(architecture, folder)
    var random = SeededGenerator(seed: 5)
    let session = try ModelSession(model, threads: 2)
    try session.evaluate(randomTokens(300, &random))
    // All at once, and with something else between.
    for goesOn in [false, true] {
      session.truncate(to: 0)
      try session.evaluate(randomTokens(300, &random))
      for cut in cuts {
        session.truncate(to: cut)
        #expect(session.count == cut)
        if goesOn { try session.evaluate(randomTokens(5, &random)) }
        if goesOn { session.truncate(to: cut) }
      }
      for count in [1, 70] {
        try session.evaluate(randomTokens(count, &random))
        #expect(try session.logitsHash == coldHash(model, session.tokens), "\(goesOn)")
      }
    }
  }

  @Test(arguments: architectures)
  func anyHistoryOfCutsIsForgotten(_ architecture: Architecture) throws {
    let folder = try TemporaryDirectory()
    let model = try model(architecture, folder)
    var random = SeededGenerator(seed: 8)
    let session = try ModelSession(model, threads: 2)
    for step in 0..<60 {
      let room = Self.context - session.count
      if room > 80, step % 3 != 2 {
        try session.evaluate(randomTokens(.random(in: 1...80, using: &random), &random))
      } else {
        session.truncate(to: .random(in: 0...session.count, using: &random))
        try session.evaluate(randomTokens(1, &random))
      }
      if step % 6 == 5 {
        #expect(try session.logitsHash == coldHash(model, session.tokens), "\(random) \(step)")
      }
    }
  }

  /// Proposals that do not come are cut off after every pass.
  @Test(arguments: architectures)
  func refusedProposalsLeaveNothing(_ architecture: Architecture) throws {
    let folder = try TemporaryDirectory()
    let model = try model(architecture, folder)
    var random = SeededGenerator(seed: 13)
    let session = try ModelSession(model, threads: 2)
    for _ in 0..<40 {
      try session.evaluate(
        randomTokens(.random(in: 1...4, using: &random), &random),
        proposing: randomTokens(7, &random),
        isCancelled: { false })
      for _ in 0..<Int.random(in: 0...7, using: &random) { session.goOn() }
    }
    #expect(try session.logitsHash == coldHash(model, session.tokens))
    try session.evaluate([1])
    #expect(try session.logitsHash == coldHash(model, session.tokens))
  }

  /// A pass that ends in the middle has overwritten the oldest rows, and what was cut away is evaluated again in the next.
  @Test(arguments: architectures)
  func whatIsCancelledChangesNothing(_ architecture: Architecture) throws {
    let folder = try TemporaryDirectory()
    let model = try model(architecture, folder)
    var random = SeededGenerator(seed: 21)
    // Back to where there is a mark in front, so that a pass of what was cut away with others comes first; and by less.
    for (cut, passes) in [(70, [0, 1, 2, 4, 6]), (200, [0, 1, 2, 4]), (138, [0, 3])] {
      let session = try ModelSession(model, threads: 2)
      let all = randomTokens(200, &random)
      try session.evaluate(all)
      session.truncate(to: cut)
      for layers in passes {
        var asked = 0
        #expect(throws: BaseModelError.cancelled) {
          try session.evaluate(randomTokens(60, &random)) {
            asked += 1
            return asked > layers
          }
        }
        session.truncate(to: min(cut, session.count))
        #expect(session.tokens == Array(all.prefix(cut)))
      }
      let more = randomTokens(3, &random)
      try session.evaluate(more)
      #expect(try session.logitsHash == coldHash(model, all.prefix(cut) + more), "\(cut)")
    }
  }

  @Test(arguments: architectures)
  func batchesTakeSessionsThatWereCut(_ architecture: Architecture) throws {
    let folder = try TemporaryDirectory()
    let model = try model(architecture, folder)
    var random = SeededGenerator(seed: 34)
    let sessions = try (0..<3).map { _ in try ModelSession(model, threads: 2) }
    for session in sessions { try session.evaluate(randomTokens(180, &random)) }
    sessions[1].truncate(to: 40)
    sessions[2].truncate(to: 179)
    let scheduler = Scheduler(model, width: 3, threads: 2)
    for _ in 0..<3 {
      let generators = try sessions.map {
        try TokenGenerator(
          $0, prompt: $0.tokens + randomTokens(2, &random),
          options: SamplingOptions(maximumTokens: 1))
      }
      for generator in generators { scheduler.admit(generator) }
      while try scheduler.step(eachToken: { _, _ in }) {}
      for generator in generators {
        #expect(
          try generator.statistics.logitsHash == coldHash(model, generator.session.tokens))
      }
    }
  }

  @Test func countsWhatItKeeps() throws {
    let folder = try TemporaryDirectory()
    let model = try model(.lfm2, folder)
    let session = try ModelSession(model, contextLength: 64, cache: .f32)
    // Two layers of keys and values, 16 wide; three convolutions with two rows of 32 for every 64 tokens.
    #expect(session.cache.bytesPerToken == 2 * 2 * 16 * 4 + 3 * 2 * 32 * 4 / 64)
    #expect(model.configuration.cacheBytes == 2 * 16 * 2 * 2)
    #expect(model.configuration.convolution == ConvolutionSettings(taps: 3, layers: [0, 2, 4]))
  }

  @Test func statesTakeNoMoreForMoreTokens() throws {
    let folder = try TemporaryDirectory()
    let model = try model(.qwen35, folder)
    let session = try ModelSession(model, contextLength: 64, cache: .f32)
    #expect(session.cache.bytesPerToken == 2 * 16 * 4)
    #expect(model.configuration.cacheBytes == 16 * 2 * 2)
    let rules = DeltaRuleSettings(
      keyHeads: 2, keySize: 6, valueHeads: 4, valueSize: 8, taps: 4, layers: [0, 1, 3, 4])
    #expect(model.configuration.deltaRule == rules)
  }

  /// A cut within what came last evaluates nothing again, however often.
  @Test func whatCameLastIsNotEvaluatedAgain() throws {
    let folder = try TemporaryDirectory()
    let session = try ModelSession(model(.qwen35, folder), threads: 2)
    var random = SeededGenerator(seed: 55)
    try session.evaluate(randomTokens(150, &random))
    for count in [149, 129, 128] {
      session.truncate(to: count)
      #expect(session.cache.missing.isEmpty)
    }
    for _ in 0..<30 {
      try session.evaluate(randomTokens(8, &random))
      session.truncate(to: session.count - 5)
      #expect(session.cache.missing.isEmpty)
    }
    session.truncate(to: 150)
    #expect(session.cache.missing == 128..<150)
    try session.evaluate([1])
    #expect(session.cache.missing.isEmpty)
  }
}
