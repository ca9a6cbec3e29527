/// Facts about an adapter; several hold at once.
///
/// The raw bits are stable. The first seven facts are those of Apple's `AssetPack.Status`, of which bits 0, 2 and 6 are
/// known to be the same there; the eighth is this package's own.
public struct AdapterStatus: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int

  /// A set with these bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// A catalog offers it, as far as the store's copies of the catalogs say.
  public static let downloadAvailable = AdapterStatus(rawValue: 1 << 0)
  /// A catalog offers a newer release than the one that is here, and `update` would bring it.
  public static let updateAvailable = AdapterStatus(rawValue: 1 << 1)
  /// What is here is the newest release that a catalog offers, or newer.
  public static let upToDate = AdapterStatus(rawValue: 1 << 2)
  /// What is here is older than a release in a catalog, or is not what a catalog now has as the same version.
  public static let outOfDate = AdapterStatus(rawValue: 1 << 3)
  /// It is here, and no installed base has its signature.
  public static let obsolete = AdapterStatus(rawValue: 1 << 4)
  /// This process is bringing it at the moment, or has paused doing so.
  public static let downloading = AdapterStatus(rawValue: 1 << 5)
  /// It is in the store, whole.
  public static let downloaded = AdapterStatus(rawValue: 1 << 6)
  /// It is here and for the base in use.
  public static let fitsCurrentBase = AdapterStatus(rawValue: 1 << 7)

  /// Every fact with its name, by bit.
  private static let all: [(AdapterStatus, String)] = [
    (.downloadAvailable, "downloadAvailable"), (.updateAvailable, "updateAvailable"),
    (.upToDate, "upToDate"), (.outOfDate, "outOfDate"), (.obsolete, "obsolete"),
    (.downloading, "downloading"), (.downloaded, "downloaded"),
    (.fitsCurrentBase, "fitsCurrentBase"),
  ]

  /// Names of the facts that hold, in the order of their bits.
  public var names: [String] { Self.all.filter { contains($0.0) }.map(\.1) }
}

extension AdapterStatus: CustomStringConvertible {
  /// The facts' names in brackets.
  public var description: String { "[\(names.joined(separator: ", "))]" }
}
