/// Which of very many keys may come again, in a few bits for each: all that do, and few others.
///
/// Two Bloom filters, the second of what the first had seen before.
struct RecurringKeys {
  /// Examples without errors of each set, in the order of the sets.
  private(set) var examples: [Int] = []
  private var seen: BitFilter
  private var again: BitFilter

  /// Room for about so many keys; more are taken, and then more of them seem to come again.
  init(expecting count: Int) {
    (seen, again) = (BitFilter(keys: count), BitFilter(keys: count / 4))
  }

  /// Goes on with a part of the set of this number.
  mutating func start(_ set: Int) {
    while examples.count <= set { examples.append(0) }
  }

  /// Notes all that an example of the last set is known by, or could contradict.
  mutating func note(_ keys: RepeatedExamples.Keys, mirrored: ContentKey?) {
    examples[examples.count - 1] += 1
    for key in [keys.example, keys.prompt, mirrored] {
      if let key, seen.insert(key) { _ = again.insert(key) }
    }
  }

  /// False only for a key that was noted once, or never.
  func mayRecur(_ key: ContentKey) -> Bool { again.contains(key) }
}

/// A set of keys that also takes some for its own that are not.
struct BitFilter {
  private var words: [UInt64]

  /// With 16 bits a key and three places for each, one of 200 others seems to be there.
  private static let (bitsPerKey, places) = (16, 3)
  /// 256 MiB.
  private static let mostBits = 1 << 31

  init(keys: Int) {
    let bits = max(64, min(keys, Self.mostBits / Self.bitsPerKey) * Self.bitsPerKey)
    words = [UInt64](repeating: 0, count: bits / 64)
  }

  /// Whether it seemed to be there already.
  mutating func insert(_ key: ContentKey) -> Bool {
    var wasThere = true
    for place in 0..<Self.places {
      let (word, bit) = position(key, place)
      wasThere = wasThere && words[word] & bit != 0
      words[word] |= bit
    }
    return wasThere
  }

  func contains(_ key: ContentKey) -> Bool {
    (0..<Self.places).allSatisfy { place in
      let (word, bit) = position(key, place)
      return words[word] & bit != 0
    }
  }

  private func position(_ key: ContentKey, _ place: Int) -> (word: Int, bit: UInt64) {
    let hash = key.high &+ UInt64(place) &* (key.low | 1)
    let index = hash.multipliedFullWidth(by: UInt64(words.count) * 64).high
    return (Int(index / 64), 1 << (index % 64))
  }
}
