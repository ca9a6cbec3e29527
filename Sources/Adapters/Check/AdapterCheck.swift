/// Holds a package against every rule of the format and reports all that it finds.
///
/// Reading goes on after an error wherever the rest can still be read. Nothing is ever written or removed.
/// Rules: the format's own reference, Apple's exporter and coremltools' blob storage.
public enum AdapterCheck {
  /// How much is looked at.
  public enum Depth: Sendable {
    /// Every rule.
    case complete
    /// What decides whether the adapter may be used: all but the norms, which only lead to warnings.
    case usability
  }

  /// Checks the package at `path`, and against `base` if one is stated.
  ///
  /// - Throws: `AdapterError.notFound` or `.file` when there is nothing to look at. A bad package is no error
  ///   here but a report.
  public static func run(
    package path: String, for base: BaseContract? = nil, depth: Depth = .complete
  ) throws(AdapterError) -> CheckReport {
    try examine(path, base: base, depth: depth).report
  }

  /// The report together with what was read; nil instead of the latter when there is no folder.
  static func examine(
    _ path: String, base: BaseContract?, depth: Depth
  ) throws(AdapterError) -> (report: CheckReport, package: PackageReading?) {
    guard let folder = try PackageFolder(listing: path) else {
      return (CheckReport(package: path, findings: [PackageNameRule.notAFolder(path)]), nil)
    }
    let package = PackageReading(folder, base: base, norms: depth == .complete)
    return (CheckReport(package: path, findings: PackageRules.findings(in: package)), package)
  }
}
