import Testing

@testable import AdapterStore

@Suite struct ServerSentEventsTests {
  /// What the events are when `text` comes in pieces of `size` bytes.
  private func events(_ text: String, _ size: Int) throws -> [String] {
    let bytes = Array(text.utf8)
    var reader = ServerSentEvents()
    var events: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += try reader.append(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    return events.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    ("data: a\n\ndata:b\n\n", ["a", "b"]),
    ("data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
    ("data: a\r\rdata: b\r\r", ["a", "b"]),
    ("data: a\ndata: b\n\n", ["a\nb"]),
    (": comment\nevent: x\nid: 1\ndata: a\n\n", ["a"]),
    ("data\n\n", [""]),
    ("data:  a\n\n", [" a"]),
    ("database: a\n\n", []),
    ("data: ä\u{1F600}\n\n", ["ä\u{1F600}"]),
    ("\n\n\n", []),
    ("data: cut", []),
    ("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", ["a"]),
  ])
  func eventsAreTheSameWhereverTheyAreCut(text: String, expected: [String]) throws {
    for size in 1...8 { #expect(try events(text, size) == expected) }
  }

  /// With a copy of what came before for each, that takes minutes.
  @Test(.timeLimit(.minutes(15))) func anEventMayBeOfAMillionLines() throws {
    let count = 1 << 20
    let lines = Array(String(repeating: "data:a\n", count: count).utf8) + [10]
    var reader = ServerSentEvents()
    var events: [[UInt8]] = []
    for start in stride(from: 0, to: lines.count, by: 1 << 16) {
      events += try reader.append(Array(lines[start..<min(start + 1 << 16, lines.count)]))
    }
    #expect(events.map(\.count) == [2 * count - 1])
    #expect(events[0].starts(with: "a\na\n".utf8))
  }

  @Test func anEventHasALimit() throws {
    var reader = ServerSentEvents()
    let line = [UInt8](repeating: 97, count: ServerSentEvents.limit)
    #expect(try reader.append(line).isEmpty)
    #expect(throws: ServerSentEvents.Endless.self) { try reader.append([97]) }
  }
}
