import JSON

extension HTTPResponse {
  /// A value as JSON.
  static func json(
    _ value: JSONValue, status: Int = 200, _ fields: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    HTTPResponse(
      status, [("Content-Type", "application/json")] + fields, .bytes(Array(value.line.utf8)))
  }

  /// A text.
  static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> HTTPResponse {
    HTTPResponse(200, [("Content-Type", type)], .bytes(Array(text.utf8)))
  }

  /// Events that are sent as they come (WHATWG HTML, server-sent events).
  static func events(_ stream: any HTTPStream) -> HTTPResponse {
    pieces(stream, type: "text/event-stream")
  }

  /// Objects of JSON that are sent as they come, each on a line.
  static func lines(_ stream: any HTTPStream) -> HTTPResponse {
    pieces(stream, type: "application/x-ndjson")
  }

  /// Nothing on the way is to keep them back.
  private static func pieces(_ stream: any HTTPStream, type: String) -> HTTPResponse {
    HTTPResponse(
      200, [("Content-Type", type), ("Cache-Control", "no-cache"), ("X-Accel-Buffering", "no")],
      .stream(stream))
  }
}

extension JSONValue {
  static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  /// A text, or null.
  static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
}
