import TestSupport
import Testing

extension ProcessResult {
  /// The result of a command that has to succeed, and to say `texts`; where it has not, what it said is in the test's issue.
  @discardableResult
  func expectSuccess(
    saying texts: String..., location: SourceLocation = #_sourceLocation
  ) -> ProcessResult {
    expect(0, texts, location)
  }

  /// The result of a command that has to end with an exit code, and to say `texts`.
  @discardableResult
  func expectStatus(
    _ code: Int32, saying texts: String..., location: SourceLocation = #_sourceLocation
  ) -> ProcessResult {
    expect(code, texts, location)
  }

  /// Expects a command to end with an exit code, and to say no more than `error`.
  @discardableResult
  func expectStatus(
    _ code: Int32, error: String, location: SourceLocation = #_sourceLocation
  ) -> ProcessResult {
    #expect(errorText == "fmadapter: error: \(error)\n", sourceLocation: location)
    return expect(code, [], location)
  }

  /// Expects a command to say `texts`, however it ends.
  func expect(saying texts: String..., location: SourceLocation = #_sourceLocation) {
    expect(status, texts, location)
  }

  @discardableResult
  private func expect(
    _ code: Int32, _ texts: [String], _ location: SourceLocation
  ) -> ProcessResult {
    #expect(status == code, "\(errorText)", sourceLocation: location)
    for text in texts { #expect(errorText.contains(text), sourceLocation: location) }
    return self
  }
}
