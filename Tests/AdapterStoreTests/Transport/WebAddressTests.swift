import Testing

@testable import AdapterStore

@Suite struct WebAddressTests {
  @Test(arguments: [
    ("https://Example.com/a?secret=1", "https://example.com", "https://example.com/a"),
    ("https://example.com:443/", "https://example.com", "https://example.com/"),
    ("https://example.com:8443/b", "https://example.com:8443", "https://example.com:8443/b"),
    ("http://[::1]:80/", "http://[::1]", "http://[::1]/"),
  ])
  func tellsOrigins(text: String, origin: String, shown: String) {
    #expect(WebAddress(text)?.origin == origin)
    #expect(WebAddress(text)?.shown == shown)
  }

  @Test(arguments: [
    "", "example.com/x", "/path", "https://", "https://a b/", "https://a\r\nb/", "https://h:99999/",
    "https://h/\u{7F}", "http//x",
  ])
  func refusesWhatIsNoAddress(text: String) {
    #expect(WebAddress(text) == nil)
  }

  @Test(arguments: [
    ("https://example.com/", true, true), ("http://example.com/", false, true),
    ("http://127.0.0.1/", true, true), ("http://127.8.9.10:81/", true, true),
    ("http://localhost/", true, true), ("http://[::1]/", true, true),
    ("http://127.0.0.1.example.com/", false, true), ("http://localhost.example.com/", false, true),
    ("http://128.0.0.1/", false, true), ("http://0.0.0.0/", false, true),
    ("http://2130706433/", true, true), ("file:///etc/passwd", false, false),
    ("ftp://127.0.0.1/", false, false), ("gopher://127.0.0.1/", false, false),
    ("https://me:secret@example.com/", false, false), ("https://me@example.com/", false, false),
  ])
  func mayBeFetched(text: String, usually: Bool, withHTTP: Bool) {
    var policy = TransportPolicy()
    #expect((WebAddress(text)?.refusal(policy) == nil) == usually)
    policy.allowsHTTP = true
    #expect((WebAddress(text)?.refusal(policy) == nil) == withHTTP)
  }

  @Test func oldLibrariesAreNamed() {
    #expect(CurlLibrary.defect(version: "7.85.0", number: 0x075500) == nil)
    #expect(
      CurlLibrary.defect(version: "7.84.0", number: 0x075400)
        == "libcurl 7.84.0 is too old: 7.85 or later is needed; update the package libcurl4")
    #expect(CurlLibrary.defect == nil)
  }
}
