public import Adapters

/// How an installation ended.
public enum InstallOutcome: String, Sendable, Codable {
  /// It was not there before.
  case installed
  /// It took the place of other content with the same identifier.
  case replaced
  /// The same content was there already, and nothing was copied.
  case alreadyInstalled
}

/// What an installation of an adapter came to.
public struct AdapterInstallation: Sendable {
  /// The adapter as it is in the store now.
  public internal(set) var adapter: InstalledAdapter
  /// How it ended.
  public let outcome: InstallOutcome
  /// The version that it took the place of, where there was one.
  public var replaced: AdapterVersion?
  /// What the check of the package found: warnings at most.
  public let report: CheckReport
}
