import Testing

@testable import AdapterTraining

/// Records of which more are converted than are read at once.
@Suite struct ConversionBlockTests {
  private static let text = (1...1_500).map { number in
    let answer = number % 7 == 0 ? "" : "\(number)"
    return #"{"question": "Q\#(number)", "answer": "\#(answer)"}"#
  }.joined(separator: "\n")
  private static let right = (1...1_500).filter { $0 % 7 > 0 }

  /// What is converted of a text without what is wrong, and what is thrown.
  private func converted(
    _ text: String, skips: Bool = true
  ) throws -> (lines: [String], error: DataSetError?) {
    var (conversion, lines) = (DataConversion(), [String]())
    conversion.skips = skips
    do throws(DataSetError) {
      let result = try conversion.run(Array(text.utf8), named: "a.json") {
        lines.append(String(decoding: $0, as: UTF8.self))
      }
      #expect(result.examples == lines.count && result.skipped == 214)
      return (lines, nil)
    } catch {
      return (lines, error)
    }
  }

  @Test func recordsStayInTheirOrder() throws {
    let (lines, error) = try converted(Self.text)
    #expect(error == nil && lines.count == Self.right.count)
    #expect(zip(Self.right, lines).allSatisfy { $1.contains(#""\#($0)""#) })
  }

  @Test func allThatIsWrongIsSaidInItsOrder() throws {
    guard case .refused(let report) = try converted(Self.text, skips: false).error else {
      Issue.record("the records are not refused")
      return
    }
    #expect(report.findings.map(\.place.line) == (1...214).map { 7 * $0 })
  }

  @Test func allRecordsBeforeABrokenOneAreHandedOut() throws {
    let (lines, error) = try converted(Self.text + "\n]")
    #expect(
      error == .objects(path: "a.json", line: 1_501, problem: "found ']', expected an object"))
    #expect(lines.count == Self.right.count)
  }
}
