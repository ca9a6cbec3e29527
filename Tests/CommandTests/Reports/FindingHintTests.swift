import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite struct FindingHintTests {
  /// A phrase that no library says any more would stay as it is, and nobody would miss the command in it.
  @Test func everyPhraseIsOneThatALibrarySays() throws {
    let sources = Fixtures.repository.appendingPathComponent("Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("fmadapter/") }
    let texts = try paths.map { path in
      try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
        // A long text stands in several literals.
        .replacing(#/"\s*\+ "/#, with: "")
    }
    for (rule, phrases) in FindingHint.phrases {
      for phrase in phrases {
        #expect(texts.contains { $0.contains(phrase.library) }, "\(rule): \(phrase.library)")
      }
    }
  }
}
