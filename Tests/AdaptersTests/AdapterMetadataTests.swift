import TestSupport
import Testing

@testable import Adapters

@Suite struct AdapterMetadataTests {
  @Test func theFixtureRoundTripsToTheByte() throws {
    let bytes = try Fixtures.bytes("AdaptersTests", "afm-tiny.fmadapter/metadata.json")
    let metadata = try AdapterMetadata(parsing: bytes, file: "metadata.json")
    #expect(Array(metadata.text.utf8) == bytes)
    #expect(metadata.adapterIdentifier.name == "tiny_1")
    #expect(metadata.adapterIdentifier.signaturePrefix == "808de18")
    #expect(metadata.loraRank == 8)
    #expect(metadata.speculativeDecodingDraftTokenCount == 5)
    // Its creatorDefined.alpha is the author's own key; Apple's rule gives the same 16.
    #expect(metadata.statedSettings == nil)
    #expect(metadata.settings == .apple)
  }

  /// Looked for one by one, the lines of so many would take minutes.
  @Test func manyUnknownKeysHaveTheirLinesAtOnce() {
    let keys = (0..<60_000).map { "\"k\($0)\": 1" }.joined(separator: ",\n")
    let findings = MetadataKeysRule.findings(in: MetadataReading(Array("{\(keys)}".utf8)))
    let unknown = findings.filter { $0.rule == "metadata.unknown" }
    #expect(unknown.map(\.place.line) == (1...60_000).map(\.self))
  }

  @Test func unknownKeysSurviveWithTheirNumbers() throws {
    let text = """
      {"future": {"n": 123456789012345678901234567890, "f": 1.50, "i": 3, "e": 1e2, "list": [null]},
       "loraRank": 2, "baseModelSignature": "\(SamplePackage.signature)",
       "adapterIdentifier": "fmadapter-x-0123456",
       "creatorDefined": {"fmadapter": {"formatVersion": 1, "alpha": 4, "targets": ["attn_q"],
                                        "sampling": {"topK": 40, "temperature": 0.70, "next": 1},
                                        "invocationTokens": [3, 1], "new": 0.10}, "né": "日本"}}
      """
    var metadata = try AdapterMetadata(parsing: Array(text.utf8), file: "metadata.json")
    #expect(metadata.author == nil && metadata.license == nil)
    var settings = try #require(metadata.statedSettings)
    #expect(settings.alpha == 4 && settings.targets == [.query])
    let sampling: [SamplingSettings.Value: Double] = [.topK: 40, .temperature: 0.7]
    #expect(settings.sampling == SamplingSettings { sampling[$0] })
    #expect(settings.invocation == [3, 1])
    settings.invocation?.append(4)
    settings.weightsSHA256 = String(repeating: "0", count: 64)
    metadata.statedSettings = settings
    let digest = settings.weightsSHA256 ?? ""
    #expect(
      metadata.text == """
        {
            "adapterIdentifier": "fmadapter-x-0123456",
            "baseModelSignature": "\(SamplePackage.signature)",
            "creatorDefined": {
                "fmadapter": {
                    "alpha": 4,
                    "formatVersion": 1,
                    "invocationTokens": [
                        3,
                        1,
                        4
                    ],
                    "new": 0.10,
                    "sampling": {
                        "next": 1,
                        "temperature": 0.70,
                        "topK": 40
                    },
                    "targets": [
                        "attn_q"
                    ],
                    "weightsSHA256": "\(digest)"
                },
                "né": "日本"
            },
            "future": {
                "e": 1e2,
                "f": 1.50,
                "i": 3,
                "list": [
                    null
                ],
                "n": 123456789012345678901234567890
            },
            "loraRank": 2
        }
        """)
  }

  @Test func whatIsMadeInCodeIsHeldAgainstTheRules() throws {
    let metadata = try AdapterMetadata(
      name: "demo", baseModelSignature: SamplePackage.signature, loraRank: 4)
    #expect(metadata.adapterIdentifier.description == "fmadapter-demo-0123456")
    #expect(metadata.text.hasSuffix("\"speculativeDecodingDraftTokenCount\": 5\n}"))
    let error = #expect(throws: AdapterError.self) {
      try AdapterMetadata(name: "de-mo", baseModelSignature: "12", loraRank: 0)
    }
    guard case .invalidMetadata(_, let findings) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      findings.map(\.rule) == ["metadata.identifier", "metadata.signature", "metadata.rank"])
  }

  @Test func settingsCanBeRemoved() throws {
    var metadata = try AdapterMetadata(
      name: "demo", baseModelSignature: SamplePackage.signature, loraRank: 4)
    metadata.statedSettings = AdapterSettings(alpha: 8, targets: [.down, .query])
    #expect(metadata.settings.alpha == 8)
    #expect(metadata.text.contains("\"alpha\": 8.0"))
    metadata.statedSettings = nil
    #expect(metadata.creatorDefined == [:])
  }
}

@Suite struct AdapterIdentifierTests {
  @Test(arguments: [
    ("fmadapter-a-0123456", "a", "0123456"),
    ("fmadapter-translation_en_zh_CN-9799725", "translation_en_zh_CN", "9799725"),
    ("fmadapter-" + String(repeating: "x", count: 237) + "-abcdef0", nil, "abcdef0"),
  ])
  func aGoodOneIsTakenApart(_ text: String, _ name: String?, _ prefix: String) throws {
    let identifier = try AdapterIdentifier(text)
    #expect(identifier.description == text)
    if let name { #expect(identifier.name == name) }
    #expect(identifier.signaturePrefix == prefix)
  }

  @Test(arguments: [
    ("", AdapterIdentifier.Defect.prefix), ("adapter-a-0123456", .prefix),
    ("FMADAPTER-a-0123456", .prefix), ("fmadapter-0123456", .tail), ("fmadapter-a", .tail),
    ("fmadapter-a-012345", .tail), ("fmadapter-a-01234567", .tail), ("fmadapter-a-012345G", .tail),
    ("fmadapter-a-012345A", .tail), ("fmadapter--0123456", .length),
    ("fmadapter-" + String(repeating: "x", count: 238) + "-abcdef0", .length),
    ("fmadapter-a b-0123456", .characters), ("fmadapter-a.b-0123456", .characters),
    ("fmadapter-a/b-0123456", .characters), ("fmadapter-ä-0123456", .characters),
    ("fmadapter-a\0-0123456", .characters),
  ])
  func aBadOneNamesItsDefect(_ text: String, _ defect: AdapterIdentifier.Defect) {
    #expect(throws: defect) { try AdapterIdentifier(text) }
  }
}
