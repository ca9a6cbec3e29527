import Foundation
import TestSupport
import Testing

@Suite(.waits) struct DiskUsageCommandTests {
  @Test func everyEntryIsListedWithTheSumsBelow() throws {
    let sample = try SampleBase().install()
    try sample.folder.write("x", to: "store/mine")
    let result = try Tool.run("df", store: sample.folder)
    #expect(result.status == 0 && result.errorText.isEmpty)
    let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first?.hasPrefix("KIND     NAME") == true)
    #expect(lines[1].hasPrefix("adapter  fmadapter-echo-ccccccc "))
    #expect(lines[2].hasPrefix("base     sample (ccccccc) "))
    #expect(lines.contains { $0.hasPrefix("other    current ") })
    #expect(lines.contains { $0.hasPrefix("foreign  mine ") })
    #expect(lines.contains { $0.hasPrefix("free ") })
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func figuresAreJSONToo() throws {
    let sample = try SampleBase().install()
    let usage = try Tool.run("df", "--json", store: sample.folder).object()
    #expect((usage["items"] as? [Any])?.count == 4)
    #expect((usage["free"] as? Int ?? 0) > 0)
  }
}
