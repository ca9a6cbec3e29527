import Testing

@testable import AdapterStore

@Suite struct AttemptsTests {
  @Test func waitsDoubleAndEnd() {
    var retry = RetryCount(DownloadPolicy(), seconds: 0)
    let waits = (0..<6).map { _ in retry.wait(after: nil, seconds: 0, random: 1) }
    #expect(waits == [0.25, 0.5, 1, 2, 4, nil])
  }

  @Test func jitterHalvesAtMost() {
    var retry = RetryCount(DownloadPolicy(), seconds: 0)
    #expect(retry.wait(after: nil, seconds: 0, random: 0) == 0.125)
  }

  @Test func onlyNewBytesAreProgress() {
    var retry = RetryCount(DownloadPolicy(), received: 1_000_000, seconds: 0)
    for _ in 0..<5 {
      #expect(retry.wait(after: nil, seconds: 0, random: 1) != nil)
      // Restarts bring the same bytes again and again.
      retry.note(received: 900_000, seconds: 0)
      retry.note(received: 1_065_535, seconds: 0)
    }
    #expect(retry.wait(after: nil, seconds: 0, random: 1) == nil)
    retry.note(received: 1_065_536, seconds: 0)
    #expect(retry.wait(after: nil, seconds: 0, random: 1) == 0.25)
  }

  @Test func patienceEndsBeforeTheAttemptsDo() {
    var retry = RetryCount(DownloadPolicy(), seconds: 0)
    #expect(retry.wait(after: 100_000, seconds: 0, random: 1) == 300)
    #expect(retry.wait(after: 100, seconds: 1100, random: 1) == 100)
    #expect(retry.wait(after: 101, seconds: 1100, random: 1) == nil)
  }
}
