import Testing

@testable import AdapterStore

@Suite struct HeaderFieldsTests {
  @Test(
    arguments: [
      ("bytes 0-99/1000", 0..<100, 1000), ("BYTES 5-5/6", 5..<6, 6), ("bytes 7-9/*", 7..<10, nil),
    ] as [(String, Range<Int>, Int?)])
  func readsRanges(text: String, bytes: Range<Int>, total: Int?) {
    #expect(ContentRange(text) == ContentRange(bytes: bytes, total: total))
  }

  @Test(arguments: [
    "", "bytes", "bytes 0-99", "bytes 99-0/1000", "bytes 0-99/99", "bytes -5/10", "bytes 5-/10",
    "bytes +1-2/10", "bytes 0-0x9/10", "bytes */10", "lines 0-99/1000", "bytes 0-99/1000/1",
    "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes 1 - 2/9",
  ])
  func refusesRanges(text: String) {
    #expect(ContentRange(text) == nil)
  }

  @Test(
    arguments: [
      ("0", 0), ("120", 120), ("86400", 3600), ("99999999999999999999999", 3600),
      ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
      ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1994 08:49:36 GMT", 0),
      ("Sun, 06 Nov 2094 08:49:37 GMT", 3600),
    ] as [(String, Double)])
  func readsRetryAfter(text: String, seconds: Double) {
    #expect(HeaderFields.seconds(text, now: 784_111_777) == seconds)
  }

  @Test(arguments: [
    "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 Nov 99999 08:49:37 GMT",
  ])
  func refusesRetryAfter(text: String) {
    #expect(HeaderFields.seconds(text, now: 784_111_777) == nil)
  }

  @Test(arguments: [
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
    ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799),
    ("Sat, 21 Nov 2026 05:11:28 GMT", 1_795_237_888),
  ])
  func readsDates(text: String, seconds: Int) {
    #expect(HTTPDate.parse(text) == seconds)
  }

  @Test(
    arguments: [
      ("\"abc\"", "\"abc\"", "\"abc\""), ("W/\"abc\"", "W/\"abc\"", nil), ("abc", nil, nil),
      ("\"a\"b\"", nil, nil), ("\"", nil, nil), ("\"\"", "\"\"", "\"\""), ("\"a b\"", nil, nil),
    ] as [(String, String?, String?)])
  func readsTags(text: String, tag: String?, strong: String?) {
    let head = head(["ETag: \(text)"])
    #expect(head.entityTag == tag)
    #expect(head.strongTag == strong)
  }

  @Test func readsAWholeHead() {
    let head = head([
      "HTTP/1.1 103 Early Hints", "ETag: \"early\"", "HTTP/2 206", "content-length:  12 ",
      "Content-Type: Text/HTML; charset=x", "Accept-Ranges: bytes", "Content-Encoding: identity",
    ])
    var expected = ResponseHead(status: 206, url: "u")
    expected.contentLength = 12
    expected.mediaType = "text/html"
    expected.acceptsRanges = true
    #expect(head == expected)
  }

  @Test(arguments: [
    ["Content-Length: 1", "Content-Length: 2"], ["Content-Length: +1"], ["Content-Length: 1, 1"],
    ["Content-Length: 99999999999999999999"],
  ])
  func aLengthThatContradictsItselfIsNone(lines: [String]) {
    #expect(head(lines).contentLength == nil)
  }

  @Test(arguments: ["gzip", "br", "GZIP", "identity, gzip"])
  func tellsEncodings(value: String) {
    #expect(head(["Content-Encoding: \(value)"]).contentEncoding == value.lowercased())
  }

  private func head(_ lines: [String]) -> ResponseHead {
    var fields = HeaderFields()
    for line in lines { fields.append(line + "\r\n") }
    return fields.head(url: "u", now: 0)
  }
}
