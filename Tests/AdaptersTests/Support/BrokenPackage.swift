import JSON
import TestSupport
import Testing

@testable import Adapters

/// One way to be wrong: a change to the sample package, and all that the check has to say about it.
struct BrokenPackage: Sendable, CustomTestStringConvertible {
  let id: String
  /// Findings as `severity rule place: message`, in order.
  let findings: [String]
  /// What the errors say of the package; nil where it is accepted.
  let category: Finding.Category?
  let base: BaseContract?
  let bend: @Sendable (inout SamplePackage) -> Void

  init(
    _ id: String, _ findings: [String], category: Finding.Category? = .package,
    base: BaseContract? = SamplePackage.contract,
    bend: @escaping @Sendable (inout SamplePackage) -> Void
  ) {
    self.id = id
    self.findings = findings
    self.category = category
    self.base = base
    self.bend = bend
  }

  var testDescription: String { id }

  /// The base with its file, which is written into `directory`.
  func base(in directory: TemporaryDirectory) throws -> BaseContract? {
    var base = base
    base?.path = try SampleDraft(width: 8).write(to: directory.path("base.gguf"))
    return base
  }

  static let all = folder + draft + metadata + settings + container + weights + identity
}

extension Finding {
  /// Form of the expectations.
  var line: String { "\(severity.rawValue) \(rule) \(place): \(message)" }
}
