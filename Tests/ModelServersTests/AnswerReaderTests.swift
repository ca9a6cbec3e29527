import AdapterStore
import FoundationModels
import Synchronization
import Testing

@testable import ModelServers

@Suite struct AnswerReaderTests {
  private static let asked = AskedServer(
    origin: "http://server", interface: .chatCompletions, model: "m", key: nil)

  private static func event(_ text: String) -> String {
    "data: {\"choices\": [{\"delta\": {\"content\": \"\(text)\"}}]}\n\n"
  }

  /// Whoever takes an event may ask whether the answer has begun, and gets what came before a fault.
  @Test(.timeLimit(.minutes(15))) func eventsAreHandedOutWithoutALock() throws {
    let held = Mutex<AnswerReader<ChatAnswer>?>(nil)
    let begun = Mutex<[Bool]>([])
    let reader = AnswerReader<ChatAnswer>(Self.asked) { _ in
      let hasBegun = held.withLock { $0 }?.hasBegun
      begun.withLock { $0.append(hasBegun ?? false) }
    }
    held.withLock { $0 = reader }
    var head = ResponseHead(status: 200, url: "http://server/chat/completions")
    head.mediaType = "text/event-stream"
    try reader.receive(head)
    let good = Array((Self.event("a") + Self.event("b")).utf8)
    try reader.receive(good.span.bytes)
    let first = begun.withLock { $0.count }
    #expect(first > 0)
    let bad = Array((Self.event("c") + "data: [\n\n").utf8)
    #expect(throws: ModelServerError.self) { try reader.receive(bad.span.bytes) }
    #expect(begun.withLock { $0.count } > first)
    #expect(begun.withLock { $0.allSatisfy(\.self) })
    held.withLock { $0 = nil }
  }
}
