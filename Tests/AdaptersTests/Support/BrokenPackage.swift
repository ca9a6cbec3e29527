import Adapters
import Testing

/// One way to be wrong: a change to the sample package, and all that the check has to say about it.
struct BrokenPackage: Sendable, CustomTestStringConvertible {
  let id: String
  /// Findings as `severity rule place: message`, in order.
  let findings: [String]
  let exitCode: Int32
  let base: BaseContract?
  let bend: @Sendable (inout SamplePackage) -> Void

  init(
    _ id: String, _ findings: [String], exit: Int32 = 4,
    base: BaseContract? = SamplePackage.contract,
    bend: @escaping @Sendable (inout SamplePackage) -> Void
  ) {
    self.id = id
    self.findings = findings
    self.exitCode = exit
    self.base = base
    self.bend = bend
  }

  var testDescription: String { id }

  static let all = folder + metadata + settings + container + weights + identity
}

extension Finding {
  /// Form of the expectations.
  var line: String { "\(severity.rawValue) \(rule) \(place): \(message)" }
}
