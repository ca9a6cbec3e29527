import Testing

@testable import fmadapter

@Suite struct FiguresTests {
  @Test(arguments: [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (133_312_320, "133.3 MB"),
    (999_949, "999.9 kB"), (999_950, "1.0 MB"), (5_000_000_000_000_000, "5000.0 TB"),
  ])
  func sizes(_ bytes: Int, _ text: String) {
    #expect(Figures.size(bytes) == text)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (66_633_728, "66,633,728"), (-1234, "-1,234"),
  ])
  func groups(_ value: Int, _ text: String) {
    #expect(Figures.grouped(value) == text)
  }

  @Test func durations() {
    #expect(Figures.seconds(.milliseconds(12)) == "0.012 s")
    #expect(Figures.seconds(.milliseconds(12_340)) == "12.3 s")
    #expect(Figures.fixed(.nan, 1) == "-")
  }
}
