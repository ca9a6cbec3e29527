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

  /// The name with what tells it from others of that name, such as `sample (0123456)`.
  package var title: String { Self.title(name, signed: signature) }

  static func title(_ name: String, signed signature: String) -> String {
    "\(name) (\(signature.prefix(7)))"
  }

  /// The name in a title; any other text as it is.
  static func name(inTitle title: String) -> String {
    title.hasSuffix(")") ? String(title.dropLast(" (0123456)".count)) : title
  }
}

/// How a base comes into the store.
public enum BaseTransfer: String, Sendable {
  /// A copy of its own, read-only.
  case copy
  /// A second name for the same file where the file system can, else a copy; the user's file has to stay unchanged.
  case link
}
