import FoundationModels
import TestSupport
import Testing

// The documentation shows these lines.
// docs:begin
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
// docs:end
// docs:begin
func lines(of request: URLRequest) async throws -> [Substring] {
  let (data, _) = try await URLSession.shared.data(for: request)
  return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
}
// docs:end
// docs:begin
func show(_ text: String) {
  print(text, terminator: "")
  fflush(nil)
}
// docs:end
// docs:begin
#if canImport(os)
  import os
#else
  struct Logger {
    init(subsystem: String, category: String) {}
    func info(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
  }
#endif
// docs:end

@Suite struct BringYourCodeTests {
  @Test func theModuleHasTheVersionOfOS27() {
    #if canImport(FoundationModels, _version: 2)
      let isNew = true
    #else
      let isNew = false
    #endif
    #expect(isNew)
  }

  @Test func theLinesOfThePageWork() async throws {
    let text = try #require(URL(string: "data:text/plain,one%0Atwo%0D%0Athree"))
    #expect(try await lines(of: URLRequest(url: text)) == ["one", "two", "three"])
    show("")
    Logger(subsystem: "org.fmadapter", category: "tests").info("A line of a log.")
  }
}
