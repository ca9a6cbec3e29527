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
