public import Adapters

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
  public internal(set) var facts: AdapterStatus
  /// Why its publisher has withdrawn this version, by what catalogs said last: empty when that is not said, nil where it is not
  /// withdrawn.
  public internal(set) var yanked: String?

  /// The version that it came as, or else the one that the package states; 0.0.0 when neither says.
  public var version: AdapterVersion { receipt?.version ?? metadata.version }
}

/// An adapter in the store that cannot be read.
package struct UnreadableAdapter: Sendable, Equatable {
  package let identifier: AdapterIdentifier
  /// Why it cannot be read, and what to do.
  package let error: StoreError
}

/// Something in the store that cannot be used; it never stops anything else.
public struct StoreProblem: Sendable, Equatable, Codable {
  /// Stable name of what is wrong, such as `adapter.misplaced`.
  public let rule: String
  /// What it is about.
  public let path: String
  /// One sentence that says what is wrong.
  public let message: String
  /// One sentence that says what to do.
  public let remedy: String
}
