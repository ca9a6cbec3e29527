public import Adapters

/// A fact about an installed adapter; several hold at once.
public enum AdapterFact: String, Sendable, Codable, CaseIterable {
  /// It is in the store.
  case installed
  /// It is for the base in use.
  case fitsCurrentBase
  /// No installed base has its signature.
  case obsolete
}

/// An adapter in the store.
public struct InstalledAdapter: Sendable, Equatable {
  /// Its name in the store.
  public let identifier: AdapterIdentifier
  /// Path of the package folder.
  public let path: String
  /// What the package says about itself.
  public let metadata: AdapterMetadata
  /// Source, digests and time; nil when the receipt is missing or cannot be read.
  public let receipt: Receipt?
  /// What holds for it now.
  public let facts: Set<AdapterFact>
}

/// Something in the store that cannot be used; it never stops anything else.
public struct StoreProblem: Sendable, Equatable, Codable {
  /// What it is about.
  public let path: String
  /// One sentence that says what is wrong.
  public let message: String
  /// One sentence that says what to do.
  public let remedy: String
}
