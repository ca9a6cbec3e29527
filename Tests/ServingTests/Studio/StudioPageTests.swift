import Foundation
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct StudioPageTests {
  @Test func itIsSmallAndWhole() throws {
    let folder = Fixtures.repository.appendingPathComponent("Sources/CFMStudio/Page")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(StudioPage.files.map(\.name).sorted() == names)
    for file in StudioPage.files {
      let bytes = try Array(Data(contentsOf: folder.appendingPathComponent(file.name)))
      let isWhole = file.bytes == bytes
      #expect(isWhole, "\(file.name)")
    }
    #expect(StudioPage.files.reduce(0) { $0 + $1.bytes.count } <= 150_000)
  }

  /// What the page's policy refuses would fail in browsers alone, so that it is looked for here, too.
  @Test func itAsksNobodyElseAndMakesNoMarkup() throws {
    for file in StudioPage.files {
      let text = String(decoding: file.bytes, as: UTF8.self)
        .replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
      #expect(text.firstMatch(of: /https?:\/\/[A-Za-z0-9]/) == nil, "\(file.name)")
      for word in [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
        " style=", "onclick=\"",
      ] {
        #expect(!text.contains(word), "\(file.name): \(word)")
      }
    }
  }

  @Test func browsersGetItAndProgramsGetWhatTheyLookFor() async throws {
    var guarding = RequestGuard()
    guarding.setKeys("key")
    try await ServedStore(guarding, adapters: []).serving { port in
      let page = try TestAnswer.of(
        "GET", "/", fields: ["Accept: text/html,application/xhtml+xml"], port: port)
      #expect(page.status == 200 && page.body.hasPrefix("<!doctype html>"))
      let policy = try #require(
        page.head.split(separator: "\r\n").first { $0.hasPrefix("Content-Security-Policy: ") })
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("data:"))
      #expect(page.head.contains("Referrer-Policy: no-referrer"))
      #expect(page.head.contains("X-Content-Type-Options: nosniff"))
      #expect(try TestAnswer.of("GET", "/", port: port).body == "Ollama is running")
      let script = try TestAnswer.of("GET", "/studio/page/app.js", port: port)
      #expect(script.head.contains("Content-Type: text/javascript"))
      for name in ["none.js", "", "..%2Fapp.js", "../app.js"] {
        let answer = try TestAnswer.of("GET", "/studio/page/\(name)", port: port)
        #expect([401, 404].contains(answer.status), "\(name)")
      }
    }
  }
}
