import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct InfoCommandTests {
  @Test func theWholePreview() throws {
    let result = try Tool.run("info", SamplePackage.source.path).expectSuccess()
    #expect(
      result.output == (try Fixtures.bytes("CommandTests", "info-tiny.txt")), "\(result.text)")
  }

  @Test func barsAreASCIIWhereTheLocaleIs() throws {
    let result = try Tool.run("info", SamplePackage.source.path, environment: ["LANG": "C"])
    #expect(result.output.allSatisfy { $0 < 0x80 })
    #expect(result.text.contains("ffn_gate     @@@@@"))
  }

  @Test func narrowTerminalsGetNarrowLines() throws {
    let result = try Tool.run("info", SamplePackage.source.path, environment: ["COLUMNS": "40"])
    let long = result.text.split(separator: "\n").filter { $0.cellWidth > 40 }
    // A signature is one word of 40 digits.
    #expect(long.allSatisfy { $0.contains("808de18c9c13f789b90640c7fa5f5dda1b81a1b9") })
  }

  @Test func everythingIsJSONToo() throws {
    let info = try Tool.run("info", "--json", SamplePackage.source.path).object()
    #expect(info["rank"] as? Int == 8)
    #expect(info["parameterCount"] as? Int == 47_488)
    #expect((info["layerNorms"] as? [Double])?.count == 5)
    #expect((info["files"] as? [[String: Any]])?.count == 2)
  }

  @Test func aBrokenPackageIsRefused() throws {
    let package = try SamplePackage()
    try package.cut(to: 100)
    let result = try Tool.run("info", package.path).expectStatus(4)
    #expect(result.output.isEmpty)
  }
}
