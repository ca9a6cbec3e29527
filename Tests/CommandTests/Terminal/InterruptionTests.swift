import Dispatch
import Synchronization
import Testing

@testable import fmadapter

@Suite struct InterruptionTests {
  /// What became of a program that would have ended.
  private final class Ends: Sendable {
    static var limit: DispatchTime { .now() + 60 }
    let codes = Mutex([ExitCode]())
    let ended = DispatchSemaphore(value: 0)

    func end(_ code: ExitCode) {
      codes.withLock { $0.append(code) }
      ended.signal()
    }
  }

  @Test(arguments: [ExitCode.interrupted, .terminated])
  func whatDoesNotEndByItselfIsEnded(_ code: ExitCode) {
    let ends = Ends()
    let interruption = Interruption(patience: .milliseconds(1), exit: ends.end)
    let cancelled = DispatchSemaphore(value: 0)
    interruption.onEnding { cancelled.signal() }
    interruption.received(code)
    #expect(cancelled.wait(timeout: .now()) == .success)
    #expect(ends.ended.wait(timeout: Ends.limit) == .success)
    #expect(ends.codes.withLock(\.self) == [code] && interruption.ending == code)
  }

  /// The system and a shell both say that a terminal is gone.
  @Test func aTerminalThatIsGoneTwiceIsNoSecondSignal() {
    let ends = Ends()
    let interruption = Interruption(patience: .milliseconds(1), exit: ends.end)
    let delayed = DispatchSemaphore(value: 0)
    interruption.keeping({ delayed.signal() }) {
      interruption.hangUp()
      interruption.hangUp()
      #expect(delayed.wait(timeout: Ends.limit) == .success)
      #expect(ends.codes.withLock(\.self) == [])
    }
    #expect(ends.ended.wait(timeout: Ends.limit) == .success)
    #expect(ends.codes.withLock(\.self) == [.terminated] && interruption.ending == .terminated)
  }

  @Test func aReaderThatIsGoneEndsOnlyWhatIsKept() {
    let ends = Ends()
    let interruption = Interruption(patience: .milliseconds(1), exit: ends.end)
    #expect(!interruption.loseReader() && interruption.ending == nil)
    interruption.keeping({}) {
      #expect(interruption.loseReader() && interruption.loseReader())
      #expect(ends.codes.withLock(\.self) == [])
    }
    #expect(ends.ended.wait(timeout: Ends.limit) == .success)
    #expect(ends.codes.withLock(\.self) == [.terminated])
  }

  @Test func whatIsKeptHasItsTimeAndASecondSignalEndsIt() {
    let ends = Ends()
    let interruption = Interruption(patience: .milliseconds(1), exit: ends.end)
    let delayed = DispatchSemaphore(value: 0)
    interruption.keeping({ delayed.signal() }) {
      interruption.received(.interrupted)
      #expect(delayed.wait(timeout: Ends.limit) == .success)
      #expect(ends.codes.withLock(\.self) == [])
      interruption.received(.interrupted)
      #expect(ends.codes.withLock(\.self) == [.interrupted])
      #expect(delayed.wait(timeout: .now()) == .timedOut)
    }
    for _ in 0..<2 { #expect(ends.ended.wait(timeout: Ends.limit) == .success) }
    #expect(ends.codes.withLock(\.self) == [.interrupted, .interrupted])
  }
}
