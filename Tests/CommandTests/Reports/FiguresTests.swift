import SystemFiles
import Testing

@testable import fmadapter

@Suite struct FiguresTests {
  @Test(arguments: [
    (0.012, "0.012 s"), (12.34, "12.3 s"), (99.94, "99.9 s"), (99.95, "1 min 40 s"),
    (180.0, "3 min 0 s"), (5999.4, "99 min 59 s"), (5999.5, "1 h 40 min"), (7530.0, "2 h 5 min"),
  ])
  func durations(_ seconds: Double, _ text: String) {
    #expect(Figures.duration(seconds) == text)
  }

  @Test(arguments: [
    (1.0 / 900, "0.0011"), (0.00123, "0.00123"), (0.002, "0.002"), (2e-5, "0.00002"), (1, "1"),
  ])
  func rates(_ rate: Double, _ text: String) {
    #expect(Figures.rate(rate) == text)
  }

  @Test func whatIsNotFiniteHasNoDigits() {
    #expect(Figures.fixed(.nan, 1) == "-")
  }
}
