import SystemFiles
import Testing

@Suite struct FiguresTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1049, "1.0 kB"),
    (1050, "1.1 kB"), (1149, "1.1 kB"), (1150, "1.2 kB"), (133_312_320, "133.3 MB"),
    (999_949, "999.9 kB"), (999_950, "1.0 MB"), (999_949_999, "999.9 MB"),
    (999_950_000, "1.0 GB"), (1_000_000_000_000, "1.0 TB"), (5_000_000_000_000_000, "5.0 PB"),
    (999_950_000_000_000_000, "1.0 EB"), (Int.max, "9.2 EB"),
  ])
  func sizes(_ bytes: Int, _ text: String) {
    #expect(Figures.size(bytes) == text)
    #expect(Figures.size(UInt64(bytes)) == text)
  }

  @Test func sizesOfTheWholeRange() {
    #expect(Figures.size(UInt64.max) == "18.4 EB")
    #expect(Figures.size(UInt32.max) == "4.3 GB")
  }

  @Test(arguments: [
    (0, "0 bytes", "0 bytes"), (1, "1 byte", "1 byte"), (999, "999 bytes", "999 bytes"),
    (1000, "1,000 bytes", "1.0 kB (1,000 bytes)"),
    (1_000_000_000_000, "1,000,000,000,000 bytes", "1.0 TB (1,000,000,000,000 bytes)"),
  ])
  func exactSizes(_ count: Int, _ bytes: String, _ both: String) {
    #expect(Figures.bytes(count) == bytes)
    #expect(Figures.exactSize(count) == both)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (66_633_728, "66,633,728"), (-1234, "-1,234"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func groups(_ value: Int, _ text: String) {
    #expect(Figures.grouped(value) == text)
  }

  @Test func things() {
    #expect(Figures.count(0, "version") == "0 versions")
    #expect(Figures.count(1, "version") == "1 version")
    #expect(Figures.count(1234, "version") == "1,234 versions")
  }

  @Test(arguments: [
    (0.2, "1 s"), (99.0, "99 s"), (180.0, "3 min"), (5999.0, "99 min"), (7200.0, "2 h"),
  ])
  func waits(_ seconds: Double, _ text: String) {
    #expect(Figures.wait(seconds) == text)
  }
}
