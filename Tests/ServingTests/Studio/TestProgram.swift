import Synchronization

@testable import Serving

/// A program whose commands say what they are told to, and end when they are told to.
final class TestProgram: StudioProgram {
  private let signals = Mutex<[String]>([])

  /// What was asked of commands that run.
  var asked: [String] { signals.withLock { $0 } }

  fileprivate func note(_ signal: String) { signals.withLock { $0.append(signal) } }

  func refusal(of words: [String]) -> String? { words.first == "never" ? "this is refused." : nil }

  func start(
    _ words: [String], in folder: String, told: @escaping @Sendable (StudioEvent) -> Void
  ) -> (any StudioProcess)? {
    guard words.first != "fail" else { return nil }
    if words.first == "wait" {
      told(.output(Array("begun\nhal".utf8)))
      return Process(program: self, told: told)
    }
    // A letter may come in two pieces.
    let bytes = Array((words.joined(separator: " ") + " é\n").utf8)
    for byte in bytes { told(.output([byte])) }
    told(.message(Array("said".utf8)))
    told(.ended(4))
    return Process(program: self, told: told)
  }

  func estimate(_ values: [Double]) -> StudioEstimate? {
    values.isEmpty ? nil : StudioEstimate(value: values[0], low: 0, high: 1)
  }

  private struct Process: StudioProcess {
    let program: TestProgram
    let told: @Sendable (StudioEvent) -> Void

    func stop() {
      program.note("stop")
      told(.output(Array("f".utf8)))
      told(.ended(130))
    }

    func pause() { program.note("pause") }
    func goOn() { program.note("go on") }
  }
}
