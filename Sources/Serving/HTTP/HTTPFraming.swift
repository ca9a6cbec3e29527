/// How an answer is written to one request.
struct HTTPFraming: Sendable {
  /// Whether other requests may follow over the connection.
  var keeps = false
  /// Whether pieces say how long they are; else the end of the connection ends the answer.
  var isChunked = false
  var hidesBody = false
  let record: RequestRecord

  /// The head of an answer, and nothing of its body.
  func head(_ response: HTTPResponse) -> [UInt8] {
    var head = "HTTP/1.1 \(response.status) \(Self.reasons[response.status] ?? "Other")\r\n"
    for field in response.fields { head += "\(field.name): \(field.value)\r\n" }
    head += "\(record.interface.identityField): \(record.identity)\r\n"
    if record.facts.isInactive { head += "X-Adapter-Active: false\r\n" }
    if !keeps { head += "Connection: close\r\n" }
    switch response.body {
    case .bytes(let bytes): head += "Content-Length: \(bytes.count)\r\n"
    case .stream: if isChunked { head += "Transfer-Encoding: chunked\r\n" }
    }
    return Array("\(head)\r\n".utf8)
  }

  /// A piece of a stream.
  func framed(_ piece: [UInt8]) -> [UInt8] {
    guard isChunked else { return piece }
    return Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A]
  }

  /// What stands behind the last piece.
  var end: [UInt8] { isChunked ? Array("0\r\n\r\n".utf8) : [] }

  /// RFC 9110, section 15.
  private static let reasons = [
    200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 413: "Content Too Large",
    415: "Unsupported Media Type", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error",
    501: "Not Implemented", 503: "Service Unavailable",
  ]
}
