import Adapters
import Foundation
import JSON
import Testing

@testable import fmadapter

/// What errors are to a program that uses the libraries: `localizedDescription` is the problem itself, and no remedy is an
/// option of the command, which such a program does not have.
@Suite struct LocalizedErrorTests {
  /// Those that no hostile text gets into.
  static let others: [any Error] = [
    AdapterIdentifier.Defect.prefix, AdapterIdentifier.Defect.tail, AdapterIdentifier.Defect.length,
    AdapterIdentifier.Defect.characters,
  ]

  @Test(arguments: (HostileErrors.all + others).indices)
  func foundationSaysWhatIsWrong(_ index: Int) throws {
    let error = (HostileErrors.all + Self.others)[index]
    // They are of the command, and never leave it.
    if error is Failure || error is UsageError { return }
    let localized = try #require(error as? any LocalizedError, "\(String(reflecting: error))")
    #expect(localized.errorDescription?.isEmpty == false)
    #expect(error.localizedDescription == localized.errorDescription)
    for text in [localized.errorDescription, localized.recoverySuggestion].compactMap(\.self) {
      // A whole command can be run, whoever reads of it.
      let words = text.replacing(/'fmadapter [^']*'/, with: "")
      #expect(!words.contains(/(?:^|[\s'(])--[a-z]/), "\(text)")
    }
  }

  @Test func aPlaceIsPartOfIt() {
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array("{\n} x".utf8))
    }
    #expect(error?.localizedDescription == "line 2, byte 4: something follows the value")
  }

  /// Every error that the sources declare as public.
  @Test func everyPublicErrorIsKnownToFoundation() throws {
    let declaration = /(?m)^ *public (?:enum|struct) (\w+): ([^{]*\bError\b[^{]*) \{/
    let sources = try SourceText.files().map(\.text)
    let found = sources.flatMap { $0.matches(of: declaration) }
    #expect(found.count > 30)
    for match in found where !match.output.2.contains("LocalizedError") {
      let name = match.output.1
      let conformance = try Regex(
        "extension (?:\\w+\\.)*\(name): (?:ExplainedError|LocalizedError|FormatDefect)")
      #expect(sources.contains { $0.contains(conformance) }, "\(name)")
    }
  }
}
