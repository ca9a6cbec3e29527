// What browsers ask, and are told, before a page of an allowed site reads an answer.
//
// Source: WHATWG Fetch, "HTTP-CORS protocol".
extension RequestGuard {
  /// Whether `text` names a site as browsers do: scheme, name and maybe port, in lowercase, and nothing behind.
  package static func isOrigin(_ text: String) -> Bool {
    guard let end = text.firstRange(of: "://"), text == text.lowercased() else { return false }
    let (scheme, host) = (text[..<end.lowerBound], text[end.upperBound...])
    return !scheme.isEmpty && scheme.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      && !host.hasSuffix(".") && name(ofHost: String(host)) != nil
  }

  /// Whether a browser asks for a page of an allowed site what it may send.
  func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == "OPTIONS" && request["access-control-request-method"] != nil
      && request["origin"].map(origins.contains) ?? false
  }

  /// The answer to that: any fields may be sent, as no key is known to the browser but by the page.
  func preflight(_ request: HTTPRequest, methods: [String]) -> HTTPResponse {
    var fields = fields(for: request)
    fields.append(("Access-Control-Allow-Methods", methods.joined(separator: ", ")))
    // The request's own field, which has been read strictly.
    if let names = request["access-control-request-headers"] {
      fields.append(("Access-Control-Allow-Headers", names))
    }
    fields.append(("Access-Control-Max-Age", "600"))
    return HTTPResponse(200, fields, .bytes([]))
  }

  /// Lets the page that `request` is from read the answer, where its site is allowed.
  func fields(for request: HTTPRequest) -> [(name: String, value: String)] {
    guard !origins.isEmpty else { return [] }
    // Caches keep an answer for each site.
    guard let origin = request["origin"], origins.contains(origin) else {
      return [("Vary", "Origin")]
    }
    return [
      ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "*"),
      ("Vary", "Origin"),
    ]
  }
}
