import Testing

@testable import LanguageModels

@Suite struct PassPaceTests {
  @Test func whoDecodesWaitsNoLongerThanAFewSteps() {
    var pace = PassPace()
    #expect(pace.rows(64, decoding: 3) == 64)
    pace.note(.milliseconds(2), rows: 1, isReading: false)
    #expect(pace.rows(64, decoding: 3) == 64)
    for _ in 0..<20 { pace.note(.milliseconds(16), rows: 64, isReading: true) }
    // 8 ms beyond a step, at 14 for 64 rows.
    #expect(pace.rows(64, decoding: 3) == 36)
    #expect(pace.rows(64, decoding: 0) == 64)
    #expect(pace.rows(32, decoding: 3) == 32)
  }

  /// One that decodes alone has a scheduler of its own.
  @Test func whatOthersKnowIsTakenOver() {
    var (pace, alone) = (PassPace(), PassPace())
    alone.note(.milliseconds(2), rows: 1, isReading: false)
    pace.note(.milliseconds(16), rows: 64, isReading: true)
    pace.learn(from: alone)
    #expect(pace.rows(64, decoding: 1) == 32)
    pace.learn(from: PassPace())
    #expect(pace.rows(64, decoding: 1) == 32)
  }

  @Test func somethingIsReadHoweverLongItTakes() {
    var pace = PassPace()
    pace.note(.microseconds(10), rows: 1, isReading: false)
    pace.note(.seconds(1), rows: 64, isReading: true)
    #expect(pace.rows(64, decoding: 4) == 12)
    pace.note(.zero, rows: 0, isReading: true)
    for _ in 0..<100 { pace.note(.zero, rows: 1, isReading: true) }
    #expect(pace.rows(64, decoding: 4) == 64)
  }
}
