import TestSupport
import Testing

@testable import LanguageModels

@Suite struct SharedPassesTests {
  private func session(
    _ model: BaseModel, _ adapters: [AppliedAdapter], _ passes: SharedPasses
  ) throws -> ModelSession {
    let session = try ModelSession(model, adapters: adapters, threads: 2)
    session.passes = passes
    return session
  }

  private func answer(_ session: ModelSession) throws -> [Int32] {
    let generator = try TokenGenerator(
      session, prompt: [1, 2, 3], options: SamplingOptions(maximumTokens: 5))
    var tokens: [Int32] = []
    while let token = try generator.next() { tokens.append(token) }
    return tokens
  }

  /// What evaluates a session that is over evaluates the next one, whatever adapters either has.
  @Test func sessionsOneAfterTheOtherSayWhatTheyWouldSayAlone() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let (one, two) = (randomAdapter(model, seed: 1), randomAdapter(model, scale: 2, seed: 2))
    let passes = SharedPasses(model, threads: 2)
    var last: ObjectIdentifier?
    for adapters in [[], [one], [one], [two], [one, two], [], [two]] {
      let expected = try answer(ModelSession(model, adapters: adapters, threads: 2))
      let session = try session(model, adapters, passes)
      #expect(try answer(session) == expected)
      #expect(last == nil || last == ObjectIdentifier(session.alone))
      last = ObjectIdentifier(session.alone)
    }
  }

  @Test func whatIsLeftForTheNextHoldsNoAdapter() throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let passes = SharedPasses(model, threads: 2)
    weak var matrices: AdapterMatrices?
    do {
      let adapter = randomAdapter(model, seed: 1)
      matrices = adapter.matrices
      _ = try answer(session(model, [adapter], passes))
    }
    #expect(matrices == nil)
  }

  /// Those who will want the next pass are held up by this one as if they were in it.
  @Test(arguments: [(absent: 0, read: 40), (absent: 4, read: 12)])
  func aPromptIsReadInSlicesWhereOthersWillBeBack(_ absent: Int, _ read: Int) throws {
    let folder = try TemporaryDirectory()
    let model = try TinyModel(.llama).open(in: folder)
    let scheduler = Scheduler(model, width: 2, threads: 2)
    scheduler.pace.note(.microseconds(10), rows: 1, isReading: false)
    scheduler.pace.note(.seconds(1), rows: 64, isReading: true)
    let generator = try TokenGenerator(
      ModelSession(model, threads: 2), prompt: Array(repeating: 3, count: 40),
      options: SamplingOptions(maximumTokens: 1))
    try scheduler.advance([generator], absent: absent, { false })
    #expect(generator.session.count == read)
  }
}
