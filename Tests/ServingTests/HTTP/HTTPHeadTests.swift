import TestSupport
import Testing

@testable import Serving

@Suite struct HTTPHeadTests {
  private func head(_ text: String) throws(HTTPHead.Defect) -> HTTPHead {
    try HTTPHead(Array(text.utf8)[...])
  }

  @Test func aHeadIsRead() throws {
    let head = try head(
      "POST /v1/a?b=/c HTTP/1.1\r\nHost: x\r\nX-Thing: \t two words \r\ncontent-length: 12")
    #expect(head.method == "POST" && head.path == "/v1/a" && head.isPersistent)
    #expect(head["x-thing"] == "two words" && head["host"] == "x" && head["y"] == nil)
    #expect(head.body == .bytes(12))
    let old = try self.head("GET / HTTP/1.0")
    #expect(!old.isPersistent && old.body == .none)
    #expect(
      try self.head("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: CHUNKED").body == .chunks)
  }

  @Test(
    arguments: [
      ("", .line("it has to have three parts")), ("GET /", .line("it has to have three parts")),
      ("GET  / HTTP/1.1", .line("it has to have three parts")),
      ("get / HTTP/1.1", .line("the method is none")),
      ("GET http://x/ HTTP/1.1", .line("the target is not a path")),
      ("GET /\u{7F} HTTP/1.1", .line("one has a control character")),
      ("GET /a\0b HTTP/1.1", .line("one has a control character")),
      ("GET / HTTP/1.1\nHost: x", .line("one ends without a carriage return")),
      ("GET / HTTP/1.1\r\nHost: x\rY: z", .line("one has a control character")),
      ("GET / HTTP/1.1\r\nHost: x\r", .line("one has a control character")),
      ("GET / HTTP/2.0\r\nHost: x", .version), ("GET / HTTP/1.1", .host),
      ("GET / HTTP/1.1\r\nHost: x\r\nHost: x", .host),
      (
        "GET / HTTP/1.1\r\nHost : x",
        .field("one has no name, or a name that none may have")
      ),
      (
        "GET / HTTP/1.1\r\nHost: x\r\n folded",
        .field("one has no name, or a name that none may have")
      ),
      ("GET / HTTP/1.1\r\nHost: x\r\n: y", .field("one has no name, or a name that none may have")),
      ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", .length),
      ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1", .length),
      ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1", .length),
      ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999999", .length),
      ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip", .coding),
      ("GET / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked", .coding),
      ("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c", .upgrade),
      ("GET / HTTP/1.1\r\nHost: x\r\nExpect: a miracle", .expectation),
    ] as [(String, HTTPHead.Defect)])
  func whatIsNotHTTPIsRefused(_ text: String, _ defect: HTTPHead.Defect) {
    #expect(throws: defect) { try head(text) }
  }

  /// Bytes of others never end the server.
  @Test func anyBytesAreReadOrRefused() {
    var random = SeededGenerator(seed: 48)
    let sound = Array("POST /v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: 12".utf8)
    for _ in 0..<5000 {
      var bytes = sound
      for _ in 0..<Int(random.next() % 4 + 1) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      if let head = try? HTTPHead(bytes[...]) {
        #expect(head.path.hasPrefix("/") && head.fields.allSatisfy { !$0.name.isEmpty })
      }
    }
  }
}
