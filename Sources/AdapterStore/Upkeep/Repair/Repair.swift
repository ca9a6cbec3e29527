/// What the repair of one entry came to.
public struct RepairResult: Sendable, Equatable, Codable {
  /// The adapter or base.
  public let entry: StoreEntry
  /// Whether every byte is the recorded one now.
  public let isRepaired: Bool
  /// Bytes that came from elsewhere: damaged parts alone.
  public let fetched: Int
  /// Where they came from: addresses and paths.
  public let sources: [String]
  /// Why it could not be repaired; a sentence.
  public let reason: String?
}

/// Where the right bytes of a file may be had.
struct RepairSource: Sendable {
  /// A path or an address.
  let place: String
  /// The bytes of a range, to be compared with their digest by whoever asks.
  let read: @Sendable (Range<Int>) async throws(StoreError) -> [UInt8]
}
