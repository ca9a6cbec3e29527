import Adapters
import Foundation
import Testing

/// Cases of semver.org: rule 11's examples, and the texts that the suggested expression is tested with.
@Suite struct AdapterVersionTests {
  static let ascending = [
    "0.0.0-0", "0.0.0", "0.0.4", "0.9.9", "1.0.0-0A.is.legal", "1.0.0-alpha", "1.0.0-alpha.1",
    "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
    "1.2.3----R-S.12.9.1--.12", "1.2.3----RC-SNAPSHOT.12.9.1--.12", "1.2.3-SNAPSHOT-123",
    "1.2.3", "1.9.0", "1.10.0", "1.11.0", "2.0.0", "2.1.0", "2.1.1", "10.2.3",
    "99999999999999999999999.999999999999999999.99999999999999999",
    "100000000000000000000000.0.0",
  ]

  @Test func precedenceIsTotal() throws {
    let versions = try Self.ascending.map { try #require(AdapterVersion($0), "\($0)") }
    for (i, left) in versions.enumerated() {
      for (j, right) in versions.enumerated() {
        #expect((left < right) == (i < j), "\(left) and \(right)")
        #expect((left == right) == (i == j), "\(left) and \(right)")
      }
    }
    #expect(versions.reversed().sorted().map(\.description) == Self.ascending)
  }

  @Test func buildMetadataDoesNotCount() throws {
    let plain = try #require(AdapterVersion("1.0.0-beta"))
    let built = try #require(AdapterVersion("1.0.0-beta+exp.sha.5114f85"))
    #expect(plain == built && plain.hashValue == built.hashValue)
    #expect(!(plain < built) && !(built < plain))
    #expect(built.description == "1.0.0-beta+exp.sha.5114f85")
  }

  @Test(
    arguments: [
      "1.1.2-prerelease+meta", "1.1.2+meta", "1.1.2+meta-valid", "1.0.0-alpha0.valid",
      "1.0.0-alpha.0valid", "1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay",
      "1.0.0-rc.1+build.123", "1.0.0+0.build.1-rc.10000aaa-kk-0.1", "2.0.1-alpha.1227",
      "1.0.0+001",
    ])
  func valid(_ text: String) throws {
    #expect(AdapterVersion(text)?.description == text)
  }

  @Test(
    arguments: [
      "", "1", "1.2", "1.2.3-0123", "1.2.3-0123.0123", "1.1.2+.123", "+invalid", "-invalid",
      "-invalid+invalid", "alpha", "alpha.beta.1", "1.0.0-alpha_beta", "1.0.0-alpha..", "1.0.0-",
      "1.0.0-alpha..1", "01.1.1", "1.01.1", "1.1.01", "1.2.3.DEV", "1.2-SNAPSHOT",
      "1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788", "1.2-RC-SNAPSHOT", "-1.0.3-gamma+b7718",
      "9.8.7+meta+meta", "9.8.7-whatever+meta+meta", "1.2.3 ", " 1.2.3", "v1.2.3", "1.2.3\n",
      "1.2.３", "1..3", "1.0.0+", "1.0.0-é", "../1.0", "1.0.0/..",
      "1.0.0-" + String(repeating: "a", count: 59),
    ])
  func invalid(_ text: String) {
    #expect(AdapterVersion(text) == nil)
  }

  @Test func itIsAStringInJSON() throws {
    let version = try #require(AdapterVersion("1.2.3-rc.1+a"))
    let data = try JSONEncoder().encode([version])
    #expect(String(decoding: data, as: UTF8.self) == "[\"1.2.3-rc.1+a\"]")
    #expect(try JSONDecoder().decode([AdapterVersion].self, from: data) == [version])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([AdapterVersion].self, from: Data("[\"1.2\"]".utf8))
    }
  }

  @Test func aPackageThatStatesNoneHasTheLowest() throws {
    var metadata = try AdapterMetadata(
      name: "demo", baseModelSignature: String(repeating: "a", count: 40), loraRank: 2)
    #expect(metadata.version.description == "0.0.0")
    metadata.statedSettings = AdapterSettings(alpha: 4, version: AdapterVersion("1.2.0"))
    #expect(metadata.version.description == "1.2.0")
    #expect(metadata.text.contains("\"version\": \"1.2.0\""))
    let again = try AdapterMetadata(parsing: Array(metadata.text.utf8), file: "metadata.json")
    #expect(again.text == metadata.text && again.version == metadata.version)
  }
}
