import TestSupport
import Testing

extension ProcessResult {
  /// The result of a command that has to succeed; where it has not, what it said is in the test's issue.
  @discardableResult
  func expectSuccess(_ location: SourceLocation = #_sourceLocation) -> ProcessResult {
    expectStatus(0, location)
  }

  /// The result of a command that has to end with an exit code.
  @discardableResult
  func expectStatus(
    _ code: Int32, _ location: SourceLocation = #_sourceLocation
  ) -> ProcessResult {
    #expect(status == code, "\(errorText)", sourceLocation: location)
    return self
  }
}
