/// What the store takes on the disk.
public struct StoreUsage: Sendable, Equatable, Codable {
  /// What something in the store is.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case adapter, base, compiled, partial, ingest, catalogs, other, foreign
  }

  /// Something in the store with its size.
  public struct Item: Sendable, Equatable, Codable {
    /// What it is.
    public let kind: Kind
    /// Its name under its directory.
    public let name: String
    /// Where it is.
    public let path: String
    /// Bytes of all files in it.
    public let size: Int
    /// Bytes that its removal would give back: what is allocated on the disk for files that have no name elsewhere.
    public let reclaimable: Int

    /// Whether another place has names for some of its files too.
    public let isShared: Bool
  }

  /// Path of the store.
  public let root: String
  /// Everything in it, the largest of each kind first.
  public let items: [Item]
  /// Bytes that the whole takes on the disk, every file counted once.
  public let allocated: Int
  /// Bytes that may still be written to its file system.
  public let free: Int
  /// Bytes of its file system.
  public let capacity: Int

  /// Bytes of all items of a kind.
  public func size(of kind: Kind) -> Int {
    items.reduce(0) { $0 + ($1.kind == kind ? $1.size : 0) }
  }
}
