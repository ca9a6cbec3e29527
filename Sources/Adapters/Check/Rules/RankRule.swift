/// The rank is one that an adapter can have.
enum RankRule {
  // The upper end bounds what the statistics of a hostile file cost; real ranks end at a few hundred.
  static let range = 1...4096

  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    guard let number = metadata.object?["loraRank"]?.number, number.isInteger,
      metadata.rank == nil
    else { return [] }
    return [
      Finding(
        "metadata.rank", at: metadata.place("loraRank"),
        "The rank \(number.text.prefix(20)) is outside 1 to \(range.upperBound).",
        remedy: "Write the rank that the adapter was trained with.")
    ]
  }
}
