/// What the verification of one entry found.
public struct EntryVerification: Sendable, Equatable, Codable {
  /// The adapter or base.
  public let entry: StoreEntry
  /// Bytes that were read.
  public let bytes: Int
  /// Everything that is wrong, by file; empty when every byte is the recorded one.
  public let damage: [Damage]

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
