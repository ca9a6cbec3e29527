import SystemFiles

/// What is known of the bytes of a partial download: which have come, and the digests of whole chunks.
///
/// Kept as lines that are only ever appended, without waiting for the disk: `+ <from> <to>` for bytes that were
/// written, `= <chunk> <digest>` for a chunk of 8 MiB that is complete. What a torn or lost line would have told
/// is merely not known.
struct PartialJournal: Sendable, Equatable {
  var received = ByteRanges()
  var chunks: [Int: String] = [:]

  static func line(received range: Range<Int>) -> String {
    "+ \(range.lowerBound) \(range.upperBound)\n"
  }

  static func line(chunk index: Int, _ digest: String) -> String { "= \(index) \(digest)\n" }

  /// Reads the journal's text; lines that cannot be read end it.
  init(reading bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 3, let number = Int(words[1]), number >= 0 else { return }
      if words[0] == "+", let end = Int(words[2]), end >= number, end <= 1 << 50 {
        received.insert(number..<end)
      } else if words[0] == "=", isSHA256(String(words[2])), number <= 1 << 27 {
        chunks[number] = String(words[2])
      } else {
        return
      }
    }
  }

  init() {}

  /// All of it, as briefly as it can be said.
  var text: String {
    received.ranges.map(Self.line(received:)).joined()
      + chunks.sorted { $0.key < $1.key }.map { Self.line(chunk: $0.key, $0.value) }.joined()
  }
}

extension PartialJournal {
  /// What of it is true of the file `copy`.
  ///
  /// A chunk with a digest is read and compared. Bytes of the others are believed only where the running system is
  /// still the one that took them, and only from the start of the chunk on, so that a digest can go on from there.
  func verified(
    _ copy: String, _ state: PartialState, boot: String
  ) throws(FileError) -> PartialJournal {
    let reader = try FileReader(path: copy)
    let end = min(reader.size, state.total ?? .max)
    var result = PartialJournal()
    for start in stride(from: 0, to: end, by: FileRecord.chunkSize) {
      let index = start / FileRecord.chunkSize
      let chunk = start..<min(start + FileRecord.chunkSize, state.total ?? .max)
      if let digest = chunks[index] {
        guard chunk.upperBound <= end, received.contains(chunk),
          try reader.sha256(chunk) == digest
        else { continue }
        result.chunks[index] = digest
        result.received.insert(chunk)
      } else if state.boot == boot {
        let known = min(received.end(from: start), end, chunk.upperBound)
        // A whole chunk has a digest unless its line was lost; then it is not worth the doubt.
        if known < chunk.upperBound { result.received.insert(start..<known) }
      }
    }
    return result
  }
}

/// A set of byte offsets, as ranges in order that neither overlap nor touch.
struct ByteRanges: Sendable, Equatable {
  private(set) var ranges: [Range<Int>] = []

  /// Number of bytes in the set.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Adds the bytes of `range`.
  mutating func insert(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    // Those from `first` to before `end` overlap or touch it.
    let first = firstIndex { $0.upperBound >= range.lowerBound }
    let end = firstIndex { $0.lowerBound > range.upperBound }
    let touching = ranges[first..<end]
    let lower = touching.first.map { min($0.lowerBound, range.lowerBound) } ?? range.lowerBound
    let upper = touching.last.map { max($0.upperBound, range.upperBound) } ?? range.upperBound
    ranges.replaceSubrange(first..<end, with: [lower..<upper])
  }

  /// The first range of which `holds` is true, as it is of all behind it.
  private func firstIndex(where holds: (Range<Int>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Whether all of `range` is in the set.
  func contains(_ range: Range<Int>) -> Bool {
    range.isEmpty
      || ranges.contains {
        $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound
      }
  }

  /// The bytes of `whole` that are not in the set.
  func missing(in whole: Range<Int>) -> [Range<Int>] {
    var missing: [Range<Int>] = []
    var next = whole.lowerBound
    for range in ranges where range.lowerBound < whole.upperBound {
      if range.lowerBound > next { missing.append(next..<range.lowerBound) }
      next = max(next, range.upperBound)
    }
    if next < whole.upperBound { missing.append(next..<whole.upperBound) }
    return missing
  }

  /// End of the run of bytes in the set that starts at `offset`; `offset` itself when it is not in the set.
  func end(from offset: Int) -> Int {
    ranges.first { $0.contains(offset) }?.upperBound ?? offset
  }
}
