import Foundation
import LanguageModels
import Synchronization
import Testing

@testable import fmadapter

@Suite struct PromptReadingTests {
  /// A clock that goes on by a step with each look.
  private final class StepClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    private let step: Duration

    init(_ step: Duration) { self.step = step }

    func look() -> ContinuousClock.Instant {
      time.withLock {
        $0 += step
        return $0
      }
    }
  }

  /// Reads 290 tokens behind 10 that the session has, in passes of 64 before each of which it looks at the clock.
  private func read(to terminal: Terminal, step: Duration) throws {
    let sample = try SampleBase(context: 512)
    let prompt = [Int32](repeating: 40, count: 300)
    let session = try ModelSession(BaseModel(path: sample.base))
    try session.evaluate(Array(prompt.prefix(10)))
    let generator = try TokenGenerator(session, prompt: prompt)
    let reading = PromptReading(
      generator, prompt: prompt.count,
      ProgressLine("prompt", terminal, patience: .seconds(2), now: StepClock(step).look))
    _ = try generator.next(isCancelled: {
      reading.update()
      return false
    })
    reading.finish()
    // Whatever comes then is part of the answer.
    for _ in 0..<3 { reading.update() }
  }

  @Test(arguments: [
    (
      1500, false,
      "prompt: 22 %, 74 of 300 tokens, 6 s left\nprompt: 66 %, 202 of 300 tokens, 3 s left\n"
    ),
    (300, false, ""), (1500, true, ""),
  ])
  func longReadingIsTold(_ milliseconds: Int, _ json: Bool, _ expected: String) throws {
    let capture = try Capture()
    try read(to: capture.terminal(json: json), step: .milliseconds(milliseconds))
    #expect(String(decoding: capture.errors, as: UTF8.self) == expected)
  }

  /// On a terminal the line is drawn over and over, and gone when the answer comes.
  @Test(arguments: [(1500, ["22 %", "44 %", "66 %", "88 %"]), (300, [])])
  func aTerminalGetsABar(_ milliseconds: Int, _ shown: [String]) throws {
    let (main, side) = try PseudoTerminal.pair(columns: 80)
    let terminal = Terminal(
      environment: ["TERM": "xterm"], streams: StandardStreams(error: side.fileDescriptor))
    try read(to: terminal, step: .milliseconds(milliseconds))
    terminal.note("end")
    var screen = ""
    while !screen.contains("end"), case let more = main.availableData, !more.isEmpty {
      screen += String(decoding: more, as: UTF8.self)
    }
    withExtendedLifetime(side) {}
    let lines = screen.components(separatedBy: "\r").filter { $0.contains("%") }
    #expect(lines.count == shown.count, "\(screen)")
    for (line, share) in zip(lines, shown) {
      #expect(line.hasPrefix("prompt ") && line.contains(" \(share), "), "\(line)")
    }
    #expect(shown.isEmpty || screen.contains("\r\u{1B}[Kend"), "\(screen)")
  }
}
