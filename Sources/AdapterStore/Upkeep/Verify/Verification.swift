/// What the verification of one entry found.
public struct EntryVerification: Sendable, Equatable, Codable {
  /// The adapter or base.
  public let entry: StoreEntry
  /// Bytes that were read.
  public let bytes: Int
  /// Paths of the files that nothing vouched for when they were fetched: they are what came, whatever that was.
  public let unverified: [String]
  /// Everything that is wrong, by file; empty when every byte is the recorded one.
  public let damage: [Damage]

  init(entry: StoreEntry, bytes: Int, unverified: [String] = [], damage: [Damage]) {
    self.entry = entry
    self.bytes = bytes
    self.unverified = unverified
    self.damage = damage
  }

  /// Whether every byte is the recorded one.
  public var isIntact: Bool { damage.isEmpty }
}

/// How far a verification is.
public struct VerifyProgress: Sendable, Equatable {
  /// Identifier or signature of the entry that is being read.
  public let entry: String
  /// Bytes read so far.
  public let done: Int
  /// Bytes of all files.
  public let total: Int
}
