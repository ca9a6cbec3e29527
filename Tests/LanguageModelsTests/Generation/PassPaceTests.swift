import Testing

@testable import LanguageModels

@Suite struct PassPaceTests {
  @Test func whoDecodesWaitsNoLongerThanAFewSteps() {
    var pace = PassPace()
    #expect(pace.rows(64, decoding: 3) == 64)
    pace.note(.milliseconds(2), rows: 1, isReading: false)
    #expect(pace.rows(64, decoding: 3) == 64)
    for _ in 0..<20 { pace.note(.milliseconds(16), rows: 64, isReading: true) }
    // 10 ms, at a quarter of one for each row.
    #expect(pace.rows(64, decoding: 3) == 40)
    #expect(pace.rows(64, decoding: 0) == 64)
    #expect(pace.rows(32, decoding: 3) == 32)
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
