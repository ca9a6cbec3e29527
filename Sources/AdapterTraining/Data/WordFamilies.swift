/// Finds texts that are made alike: near duplicates, and texts of one template.
///
/// Texts are words without case and punctuation, numbers masked, and without sentences that many have beside what they say.
/// Short ones belong together when three quarters of their words are the same and what differs is one place of up to three words,
/// or two words; long ones when they share half of what they say in three words, measured by the smallest hashes of
/// each (Broder 1997). In scripts without spaces letters and signs are words, and the place may be longer. What belongs to the same text belongs together.
/// No text is kept.
struct WordFamilies {
  /// Texts of more words are compared by their sketch alone.
  private static let shortLimit = 32
  /// Texts of fewer words have no sketch.
  private static let longLimit = 12
  private static let sketchSize = 64
  private static let shingle = 3
  /// Longest place that may differ, in words.
  private static let gap = 3
  /// Fewest letters of a template in scripts without spaces.
  private static let letters = 8

  /// Words of all short texts, one behind the other.
  private var words: [UInt64] = []
  private var starts = [0]
  /// Ends of the sentences of each short text, from its start, and the hashes of their words.
  private var sentences: [(end: Int32, hash: UInt64)] = []
  private var sentenceStarts = [0]
  /// The smallest hashes of each long text, rising, and its number.
  private var sketches: [UInt32] = []
  private var sketchStarts = [0]
  private var sketched: [Int32] = []
  /// What each text says as a whole.
  private var wholes: [UInt64] = []
  private var reader = WordReader()

  /// How many texts there are.
  var count: Int { wholes.count }

  /// Takes the next text, in parts that each begin a sentence.
  mutating func add(_ parts: [String]) {
    reader.clear()
    for part in parts {
      reader.take(part)
      reader.finish()
    }
    // Where numbers are most of what is said, they are no places that vary.
    let fixed = reader.words.count { $0 != WordHash.number }
    let isMasked = Self.isTemplate(fixed: fixed, of: reader.words.count)
    let own = isMasked ? reader.words : reader.spelled
    // Texts of signs alone, as of emoji, say nothing in words.
    let said = own.isEmpty ? parts.joined(separator: "\n").utf8.map { UInt64($0) } : own
    wholes.append(said.reduce(0) { WordHash.joined($0, $1) })
    if own.count <= Self.shortLimit {
      words += own
      var start = 0
      // Sentences are of masked words; of others the text is one.
      let ends = own.count == reader.words.count ? reader.sentenceEnds : [own.count]
      for end in ends where end > start {
        let hash = own[start..<end].reduce(0) { WordHash.joined($0, $1) }
        sentences.append((Int32(end), hash))
        start = end
      }
    }
    starts.append(words.count)
    sentenceStarts.append(sentences.count)
    if own.count >= Self.longLimit { addSketch(own) }
  }

  /// Whether what two texts have in common, `fixed` words of `count`, is enough to be their template.
  private static func isTemplate(fixed: Int, of count: Int, least: Int = 3) -> Bool {
    fixed >= least && fixed * 4 >= count * 3
  }

  private mutating func addSketch(_ words: [UInt64]) {
    var hashes: Set<UInt32> = []
    for start in 0...words.count - Self.shingle {
      let hash = words[start..<start + Self.shingle].reduce(0) { WordHash.joined($0, $1) }
      hashes.insert(UInt32(truncatingIfNeeded: WordHash.mixed(hash) >> 32))
    }
    sketches += hashes.sorted().prefix(Self.sketchSize)
    sketchStarts.append(sketches.count)
    sketched.append(Int32(count - 1))
  }
}

extension WordFamilies {
  /// For each text the number of the first one of its family.
  func families() -> [Int] {
    var sets = DisjointSets(count)
    var firsts = FirstNumbers(count)
    for text in 0..<count { sets.join(text, firsts.first(wholes[text], text)) }
    joinShort(&sets)
    joinLong(&sets)
    return (0..<count).map { sets.first($0) }
  }

  /// For each text the number of the first one that says the same, numbers and case apart.
  func likenesses() -> [Int] {
    var firsts = FirstNumbers(count)
    return (0..<count).map { firsts.first(wholes[$0], $0) }
  }

  private func joinShort(_ sets: inout DisjointSets) {
    let (sentences, words) = (sentenceCounts(), commonWords())
    // Nearly all keys come once; only those that came again are kept with a text.
    var (once, again) = (KeyField(), KeyField())
    var line = WordLine()
    for text in 0..<count {
      takeBody(text, sentences, &line)
      forEachKey(line, words) { if once.insert($0) { again.insert($0) } }
    }
    var firsts = FirstNumbers(0)
    for text in 0..<count {
      takeBody(text, sentences, &line)
      forEachKey(line, words) { key in
        guard again.contains(key) else { return }
        let other = firsts.first(key, text)
        if other != text { sets.join(text, other) }
      }
    }
  }

  /// How many texts have each sentence, where any has several.
  private func sentenceCounts() -> [UInt64: Int] {
    guard sentences.count > count else { return [:] }
    return sentences.reduce(into: [:]) { $0[$1.hash, default: 0] += 1 }
  }

  /// Words that stand in more than a fifth of the texts, which hold templates together.
  private func commonWords() -> Set<UInt64> {
    let counts = words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    return Set(counts.filter { $0.value > max(5, count / 5) }.keys)
  }

  /// The words of a short text, without sentences that are far more common than its rarest: greetings, thanks, instructions.
  private func takeBody(_ text: Int, _ counts: [UInt64: Int], _ line: inout WordLine) {
    let range = starts[text]..<starts[text + 1]
    let own = sentenceStarts[text]..<sentenceStarts[text + 1]
    guard own.count > 1, !counts.isEmpty else { return line.take { $0(words[range]) } }
    var rarest = Int.max
    for index in own { rarest = min(rarest, counts[sentences[index].hash] ?? 0) }
    let limit = max(3 * rarest, 5, count / 50)
    line.take { append in
      var start = range.lowerBound
      for index in own {
        let end = range.lowerBound + Int(sentences[index].end)
        if counts[sentences[index].hash] ?? 0 <= limit { append(words[start..<end]) }
        start = end
      }
    }
  }

  /// The text without one place of up to three words, and without two words, each as a key.
  private func forEachKey(
    _ line: borrowing WordLine, _ common: Set<UInt64>, _ take: (UInt64) -> Void
  ) {
    let (count, fixed) = (line.count, line.fixed(0, line.count))
    guard count > 0 else { return }
    take(line.key(without: count..<count, 1))
    guard count > 3 else { return }
    // A word is of several letters or signs in scripts without spaces.
    let (letters, signs) = (line.count(WordHash.isLetter), line.count(WordHash.isSign))
    let least = letters * 2 > count ? Self.letters : 3
    let gap = (letters + signs) * 2 > count ? count / 4 : Self.gap
    for length in 0...gap {
      for place in 0...count - length {
        let left = fixed - line.fixed(place, place + length)
        guard Self.isTemplate(fixed: left, of: max(count, left + 1), least: least) else { continue }
        take(line.key(without: place..<place + length, 2))
      }
    }
    guard count <= 16, Self.isTemplate(fixed: fixed - 2, of: count, least: least) else { return }
    let rare = (0..<count).filter { line.isFixed($0) && !common.contains(line[$0]) }
    for (number, first) in rare.enumerated() {
      for second in rare[(number + 1)...] where second > first + 1 {
        take(line.key(without: first, and: second))
      }
    }
  }

  private func joinLong(_ sets: inout DisjointSets) {
    let frequent = frequentHashes()
    /// The last texts that have a hash among their smallest.
    var buckets: [UInt32: [Int]] = [:]
    for index in sketched.indices {
      let own = sketch(index, frequent)
      for hash in own.prefix(8) {
        var seen = buckets[hash] ?? []
        for other in seen
        where sets.first(Int(sketched[index])) != sets.first(Int(sketched[other]))
          && Self.areAlike(own, sketch(other, frequent))
        {
          sets.join(Int(sketched[index]), Int(sketched[other]))
        }
        if seen.count < 4 { seen.append(index) } else { seen[index % 4] = index }
        buckets[hash] = seen
      }
    }
  }

  private func sketch(_ index: Int, _ frequent: Set<UInt32>) -> [UInt32] {
    sketches[sketchStarts[index]..<sketchStarts[index + 1]].filter { !frequent.contains($0) }
  }

  /// What more than a tenth of many long texts have in common says nothing: instructions stand before everything.
  private func frequentHashes() -> Set<UInt32> {
    guard sketched.count >= 20 else { return [] }
    let counts = sketches.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    return Set(counts.filter { $0.value > max(20, sketched.count / 10) }.keys)
  }

  /// Whether half of the smallest hashes of both are in both.
  private static func areAlike(_ a: [UInt32], _ b: [UInt32]) -> Bool {
    var (i, j, same, all) = (0, 0, 0, 0)
    while i < a.count, j < b.count, all < sketchSize {
      all += 1
      if a[i] == b[j] {
        (i, j, same) = (i + 1, j + 1, same + 1)
      } else if a[i] < b[j] {
        i += 1
      } else {
        j += 1
      }
    }
    all = min(sketchSize, all + a.count - i + b.count - j)
    return same >= 4 && same * 2 >= all
  }
}

/// A row of words whose parts have hashes at once.
private struct WordLine {
  private var words: [UInt64] = []
  private var hashes: [UInt64] = []
  private var powers: [UInt64] = [1]
  private var fixedBefore: [Int] = []

  /// Takes other words, in the room of those before.
  mutating func take(_ parts: (_ append: (ArraySlice<UInt64>) -> Void) -> Void) {
    words.removeAll(keepingCapacity: true)
    parts { words += $0 }
    hashes.removeAll(keepingCapacity: true)
    fixedBefore.removeAll(keepingCapacity: true)
    var (hash, fixed): (UInt64, Int) = (0, 0)
    hashes.append(hash)
    fixedBefore.append(fixed)
    for word in words {
      hash = WordHash.joined(hash, word)
      fixed += word == WordHash.number ? 0 : 1
      hashes.append(hash)
      fixedBefore.append(fixed)
    }
    while powers.count < hashes.count { powers.append(powers[powers.count - 1] &* WordHash.base) }
  }

  var count: Int { words.count }
  func count(_ isCounted: (UInt64) -> Bool) -> Int { words.count(where: isCounted) }
  subscript(_ place: Int) -> UInt64 { words[place] }
  func isFixed(_ place: Int) -> Bool { self[place] != WordHash.number }
  /// How many words of a part are no numbers.
  func fixed(_ start: Int, _ end: Int) -> Int { fixedBefore[end] - fixedBefore[start] }

  private func part(_ start: Int, _ end: Int) -> UInt64 {
    hashes[end] &- hashes[start] &* powers[end - start]
  }

  func key(without gap: Range<Int>, _ kind: UInt64) -> UInt64 {
    let before = WordHash.mixed(hashes[gap.lowerBound] &+ kind)
    return WordHash.mixed(before &+ part(gap.upperBound, count))
  }

  func key(without first: Int, and second: Int) -> UInt64 {
    let before = WordHash.mixed(hashes[first] &+ 3) &+ part(first + 1, second)
    return WordHash.mixed(WordHash.mixed(before) &+ part(second + 1, count))
  }
}

/// Numbers from 0 in sets that are joined; Tarjan 1975.
private struct DisjointSets {
  private var parents: [Int32]

  init(_ count: Int) { parents = (0..<Int32(count)).map(\.self) }

  /// The smallest number of the set of `number`.
  mutating func first(_ number: Int) -> Int {
    var place = number
    while Int(parents[place]) != place {
      parents[place] = parents[Int(parents[place])]
      place = Int(parents[place])
    }
    return place
  }

  mutating func join(_ a: Int, _ b: Int) {
    let (x, y) = (first(a), first(b))
    if x < y { parents[y] = Int32(x) } else { parents[x] = Int32(y) }
  }
}

/// Which keys came before, and now and then one that only seems to have.
private struct KeyField {
  private var bits = [UInt64](repeating: 0, count: 1 << 18)

  /// Whether the key was there.
  @discardableResult mutating func insert(_ key: UInt64) -> Bool {
    let (word, bit) = (Int(key >> 46), UInt64(1) << (key & 63))
    defer { bits[word] |= bit }
    return bits[word] & bit != 0
  }

  func contains(_ key: UInt64) -> Bool { bits[Int(key >> 46)] & (1 << (key & 63)) != 0 }
}

/// The first number that came with each key.
private struct FirstNumbers {
  private var keys: [UInt64]
  private var numbers: [Int32]
  private var used = 0

  /// Room for about `count` keys; it grows.
  init(_ count: Int) {
    var size = 64
    while size < count * 2 { size *= 2 }
    keys = Array(repeating: 0, count: size)
    numbers = Array(repeating: 0, count: size)
  }

  /// The number that came first with `key`, which is `number` where none did.
  mutating func first(_ key: UInt64, _ number: Int) -> Int {
    if used * 2 >= keys.count { grow() }
    let place = place(key | 1)
    if keys[place] != 0 { return Int(numbers[place]) }
    (keys[place], numbers[place]) = (key | 1, Int32(number))
    used += 1
    return number
  }

  private func place(_ key: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: WordHash.mixed(key)) & (keys.count - 1)
    while keys[place] != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
    return place
  }

  private mutating func grow() {
    let (oldKeys, oldNumbers) = (keys, numbers)
    keys = Array(repeating: 0, count: oldKeys.count * 2)
    numbers = Array(repeating: 0, count: oldKeys.count * 2)
    for (index, key) in oldKeys.enumerated() where key != 0 {
      let place = place(key)
      (keys[place], numbers[place]) = (key, oldNumbers[index])
    }
  }
}
