import Testing

@testable import Serving

@Suite struct RequestGuardTests {
  private func kind(
    _ guarding: RequestGuard, _ fields: [(name: String, value: String)], _ method: String = "POST"
  ) -> ServingError.Kind? {
    do throws(ServingError) {
      try guarding.check(HTTPRequest(method: method, path: "/", fields: fields), isOpen: false)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test(arguments: [
    ("localhost", true), ("LOCALHOST:8080", true), ("127.0.0.1:1", true), ("127.9.9.9", true),
    ("[::1]:8080", true), ("localhost.", true), ("evil.example", false), ("", false),
    ("127.0.0.1.evil.example", false), ("127.0.0.256", false), ("localhost:x", false),
    ("localhost/x", false), ("user@localhost", false), ("adapters.example", true),
    ("::1", false), ("[::1", false), ("localhost evil", false),
  ])
  func hostsAreThoseOfTheServer(_ host: String, _ isIn: Bool) {
    var guarding = RequestGuard()
    guarding.hosts = ["adapters.example"]
    #expect((kind(guarding, [("host", host)]) == nil) == isIn)
    guarding.hosts = nil
    #expect(kind(guarding, [("host", host)]) == nil)
  }

  @Test func pagesOfOtherSitesAreKeptOut() {
    var guarding = RequestGuard()
    guarding.origins = ["http://localhost:3000"]
    let host = (name: "host", value: "127.0.0.1:8080")
    func kind(_ origin: String, _ type: String?) -> ServingError.Kind? {
      let fields = [host, ("origin", origin)] + (type.map { [("content-type", $0)] } ?? [])
      return self.kind(guarding, fields)
    }
    #expect(kind("https://evil.example", "application/json") == .forbidden)
    #expect(kind("null", "application/json") == .forbidden)
    #expect(kind("http://localhost:3000", "application/json; charset=utf-8") == nil)
    #expect(kind("http://localhost:3000", "text/plain") == .unsupportedMediaType)
    #expect(kind("http://127.0.0.1:8080", "application/json") == nil)
    #expect(kind("http://localhost:3000", nil) == .unsupportedMediaType)
    // Programs send none, and any type.
    #expect(self.kind(guarding, [host]) == nil)
  }

  @Test(arguments: [
    ("http://localhost:3000", true), ("https://app.example", true), ("app://obsidian.md", true),
    ("http://[::1]:80", true), ("foo", false), ("http://localhost:3000/", false), ("null", false),
    ("HTTP://App.Example", false), ("http://", false), ("://a", false), ("http://a b", false),
    ("http://a.", false), ("*", false),
  ])
  func originsAreWrittenAsBrowsersDo(_ text: String, _ isOne: Bool) {
    #expect(RequestGuard.isOrigin(text) == isOne)
  }

  /// What a browser sends before a page of another site sends JSON, and what it lets the page read.
  @Test func browsersLetAllowedPagesReadAnswers() async throws {
    var guarding = RequestGuard()
    guarding.origins = ["http://app.example"]
    let served = try await ServedStore(guarding, adapters: [])
    try await served.serving { port in
      func answer(_ method: String, _ origin: String, _ fields: [String] = []) throws -> TestAnswer
      {
        try TestAnswer.of(
          method, method == "GET" ? "/v1/models" : "/v1/chat/completions",
          fields: ["Origin: \(origin)"] + fields, port: port)
      }
      let asking = [
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization,content-type",
      ]
      let may = try answer("OPTIONS", "http://app.example", asking)
      #expect(may.status == 200 && may.field("access-control-allow-origin") == "http://app.example")
      #expect(may.field("access-control-allow-methods") == "POST" && may.field("vary") == "Origin")
      #expect(may.field("access-control-allow-headers") == "authorization,content-type")
      #expect(try answer("OPTIONS", "http://app.example").status == 405)
      #expect(try answer("OPTIONS", "http://evil.example", asking).status == 403)
      let read = try answer("GET", "http://app.example")
      #expect(
        read.status == 200 && read.field("access-control-allow-origin") == "http://app.example")
      let refused = try answer("POST", "http://app.example", ["Content-Type: application/json"])
      #expect(refused.status == 400 && refused.field("access-control-allow-origin") != nil)
      let other = try TestAnswer.of("GET", "/v1/models", port: port)
      #expect(other.field("access-control-allow-origin") == nil && other.field("vary") == "Origin")
    }
  }

  @Test(
    arguments: [
      ("192.0.2.1", nil, nil, "192.0.2.1"), ("192.0.2.1", "192.0.2.9", nil, "192.0.2.1"),
      ("127.0.0.1", "192.0.2.9", nil, "192.0.2.9"), ("::1", "made up, 192.0.2.9", nil, "192.0.2.9"),
      ("local", "2001:db8::1", nil, "2001:db8::1"), ("local", " , ", nil, "local"),
      ("127.0.0.1", "192.0.2.9", "second", "192.0.2.9 1"), ("local", nil, "first", "local 0"),
      ("local", nil, "third", "local"), ("::ffff:127.0.0.1", "192.0.2.9", nil, "192.0.2.9"),
      ("::ffff:192.0.2.1", "192.0.2.9", nil, "192.0.2.1"),
    ] as [(String, String?, String?, String)])
  func sendersAreToldApart(
    _ client: String, _ forwarded: String?, _ key: String?, _ sender: String
  ) {
    var guarding = RequestGuard()
    guarding.setKeys("first\nsecond")
    var fields = [(name: "x-forwarded-for", value: "198.51.100.7")]
    fields += forwarded.map { [("x-forwarded-for", $0)] } ?? []
    if forwarded == nil { fields = [] }
    fields += key.map { [("x-api-key", $0)] } ?? []
    let request = HTTPRequest(method: "POST", path: "/", fields: fields, client: client)
    #expect(guarding.sender(of: request) == sender)
  }

  @Test func keysAreAskedFor() {
    var guarding = RequestGuard()
    guarding.setKeys("# of the team\nfirst key\r\n\n second \n")
    let host = (name: "host", value: "localhost")
    for (field, value, isIn) in [
      ("authorization", "Bearer first key", true), ("authorization", "bearer second", true),
      ("x-api-key", "second", true), ("x-api-key", "secon", false), ("x-api-key", "", false),
      ("authorization", "Basic second", false), ("x-api-key", "# of the team", false),
    ] {
      #expect((kind(guarding, [host, (field, value)]) == nil) == isIn, "\(field) \(value)")
    }
    #expect(kind(guarding, [host]) == .unauthorized)
    #expect(throws: Never.self) {
      try guarding.check(HTTPRequest(method: "GET", path: "/", fields: [host]), isOpen: true)
    }
  }
}
