public import Adapters

/// A base in the store.
public struct InstalledBase: Sendable, Equatable {
  /// What the user calls it.
  public let name: String
  /// Path of the model.
  public let path: String
  /// What adapters have to fit, its signature included.
  public let contract: BaseContract
  /// Source, digests and time.
  public let receipt: Receipt
  /// Whether it is the base in use.
  public let isCurrent: Bool

  /// 40 lowercase hexadecimal digits.
  public var signature: String { contract.signature }
}

/// How a base comes into the store.
public enum BaseTransfer: String, Sendable {
  /// A copy of its own, read-only.
  case copy
  /// A second name for the same file where the file system can, else a copy; the user's file has to stay unchanged.
  case link
}
