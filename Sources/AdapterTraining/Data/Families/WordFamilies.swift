import SystemFiles

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
  /// Longest text of which two words may differ.
  private static let pairLimit = 16
  /// Parts that keys are compared in, at most.
  private static let mostParts = 16
  /// Fewest letters of a template in scripts without spaces.
  private static let letters = 8

  /// Of each text the numbers of its words and sentences, both 0 for a long one, then its words, then for each sentence where it
  /// ends, from the start of the text, and the hash of its words.
  private var texts: NumberList
  private var totals = (words: 0, sentences: 0, keys: 0)
  /// The smallest hashes of each long text, rising, two in a number.
  private var sketches: NumberList
  /// For each long text where its sketch begins and how long it is, and its number.
  private var sketched: NumberList
  /// What each text says as a whole.
  private var wholes: NumberList
  private var reader = WordReader()
  let folder: String?

  /// Where there is a `folder`, what is known of very many texts goes into files without names there.
  init(in folder: String? = nil) {
    self.folder = folder
    texts = NumberList(in: folder)
    sketches = NumberList(in: folder)
    sketched = NumberList(in: folder)
    wholes = NumberList(in: folder)
  }

  /// How many texts there are.
  var count: Int { wholes.count }

  /// Takes the next text, in parts that each begin a sentence.
  mutating func add(_ parts: [String]) throws(FileError) {
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
    try wholes.append(said.reduce(0) { WordHash.joined($0, $1) })
    try addShort(own)
    if own.count >= Self.longLimit { try addSketch(own) }
  }

  private mutating func addShort(_ own: [UInt64]) throws(FileError) {
    guard own.count <= Self.shortLimit else { return try texts.append(0) }
    var (start, sentences) = (0, [UInt64]())
    // Sentences are of masked words; of others the text is one.
    let ends = own.count == reader.words.count ? reader.sentenceEnds : [own.count]
    for end in ends where end > start {
      sentences.append(UInt64(end))
      sentences.append(own[start..<end].reduce(0) { WordHash.joined($0, $1) })
      start = end
    }
    let count = own.count
    try texts.append(UInt64(count) | UInt64(sentences.count / 2) << 32)
    try texts.append(own)
    try texts.append(sentences)
    totals.words += count
    totals.sentences += sentences.count / 2
    totals.keys += count * (Self.gap + 1) + (count <= Self.pairLimit ? count * count / 2 : 0)
  }

  /// Whether what two texts have in common, `fixed` words of `count`, is enough to be their template.
  private static func isTemplate(fixed: Int, of count: Int, least: Int = 3) -> Bool {
    fixed >= least && fixed * 4 >= count * 3
  }

  private mutating func addSketch(_ words: [UInt64]) throws(FileError) {
    var hashes: Set<UInt32> = []
    for start in 0...words.count - Self.shingle {
      let hash = words[start..<start + Self.shingle].reduce(0) { WordHash.joined($0, $1) }
      hashes.insert(UInt32(truncatingIfNeeded: WordHash.mixed(hash) >> 32))
    }
    let smallest = hashes.sorted().prefix(Self.sketchSize).map { UInt64($0) }
    try sketched.append(UInt64(sketches.count) << 8 | UInt64(smallest.count))
    try sketched.append(UInt64(count - 1))
    for place in stride(from: 0, to: smallest.count, by: 2) {
      let next = place + 1 < smallest.count ? smallest[place + 1] : 0
      try sketches.append(smallest[place] | next << 32)
    }
  }
}

extension WordFamilies {
  /// For each text the number of the first one of its family.
  func families() throws(FileError) -> [Int32] {
    var sets = DisjointSets(count)
    try joinWholes(&sets)
    try joinShort(&sets)
    try joinLong(&sets)
    return sets.firsts()
  }

  /// For each text the number of the first one that says the same, numbers and case apart.
  func likenesses() throws(FileError) -> [Int32] {
    var sets = DisjointSets(count)
    try joinWholes(&sets)
    return sets.firsts()
  }

  private func joinWholes(_ sets: inout DisjointSets) throws(FileError) {
    var (joiner, reader) = (KeyJoiner(in: folder), wholes.reader())
    for text in 0..<count {
      if let whole = try reader.next() { try joiner.add(whole, text, &sets) }
    }
    try joiner.finish(&sets)
  }

  /// Nearly all keys come once; only those that seem to come again are kept with a text.
  ///
  /// Where there are many, a part of them at a time.
  private func joinShort(_ sets: inout DisjointSets) throws(FileError) {
    let (sentences, words) = try frequent()
    var line = WordLine()
    let bits = KeyField.bits(texts: count)
    let parts = UInt64(min(max(4 * totals.keys / bits, 1), Self.mostParts))
    for part in 0..<parts {
      let isOwn = { (key: UInt64) in ((key >> 8 & 0xFFFF) * parts) >> 16 == part }
      var (once, again) = (KeyField(bits), KeyField(bits))
      try forEachShort { (_, text, ends) throws(FileError) in
        takeBody(text, ends, sentences, &line)
        try forEachKey(line, words) { (key) throws(FileError) in
          if isOwn(key), once.insert(key) { again.insert(key) }
        }
      }
      var joiner = KeyJoiner(in: folder)
      try forEachShort { (number, text, ends) throws(FileError) in
        takeBody(text, ends, sentences, &line)
        try forEachKey(line, words) { (key) throws(FileError) in
          if isOwn(key), again.contains(key) { try joiner.add(key, number, &sets) }
        }
      }
      try joiner.finish(&sets)
    }
  }

  /// Hands out the short texts: their numbers, words and sentences.
  private func forEachShort(
    _ body: (
      _ number: Int, _ words: ArraySlice<UInt64>, _ sentences: ArraySlice<UInt64>
    ) throws(FileError) -> Void
  ) throws(FileError) {
    var reader = texts.reader()
    for number in 0..<count {
      let head = try reader.next() ?? 0
      guard head > 0 else { continue }
      let words = Int(head & 0xFFFF_FFFF)
      let own = try reader.next(words + 2 * Int(head >> 32))
      let start = own.startIndex + words
      try body(number, own[..<start], own[start...])
    }
  }

  /// How many texts have each sentence, as far as that matters, where any has several; and the words that stand in more than a
  /// fifth of the texts, which hold templates together.
  ///
  /// A sentence that fewer than one of 150 have is never left out, and no reason to keep others, so that it need not be counted.
  private func frequent() throws(FileError) -> (sentences: [UInt64: Int]?, words: Set<UInt64>) {
    let hasSentences = totals.sentences > count
    var (sentences, words) = (FrequentValues(), FrequentValues())
    try forEachShort { (_, text, ends) throws(FileError) in
      for word in text { words.add(word) }
      if hasSentences { Self.hashes(ends).forEach { sentences.add($0) } }
    }
    if !sentences.isExact || !words.isExact {
      sentences.recount()
      words.recount()
      try forEachShort { (_, text, ends) throws(FileError) in
        for word in text { words.count(word) }
        if hasSentences { Self.hashes(ends).forEach { sentences.count($0) } }
      }
    }
    let common = words.counts.filter { $0.value > max(5, count / 5) }.keys
    return (hasSentences ? sentences.counts : nil, Set(common))
  }

  private static func hashes(_ sentences: ArraySlice<UInt64>) -> [UInt64] {
    stride(from: sentences.startIndex + 1, to: sentences.endIndex, by: 2).map { sentences[$0] }
  }

  /// The words of a short text, without sentences that are far more common than its rarest: greetings, thanks, instructions.
  private func takeBody(
    _ words: ArraySlice<UInt64>, _ sentences: ArraySlice<UInt64>, _ counts: [UInt64: Int]?,
    _ line: inout WordLine
  ) {
    guard sentences.count > 2, let counts else { return line.take { $0(words) } }
    let hashes = Self.hashes(sentences)
    let rarest = hashes.map { counts[$0] ?? 0 }.min() ?? 0
    let limit = max(3 * rarest, 5, count / 50)
    line.take { append in
      var start = words.startIndex
      for (index, hash) in hashes.enumerated() {
        let end = words.startIndex + Int(sentences[sentences.startIndex + 2 * index])
        if counts[hash] ?? 0 <= limit { append(words[start..<end]) }
        start = end
      }
    }
  }

  /// The text without one place of up to three words, and without two words, each as a key.
  private func forEachKey(
    _ line: borrowing WordLine, _ common: Set<UInt64>,
    _ take: (UInt64) throws(FileError) -> Void
  ) throws(FileError) {
    let (count, fixed) = (line.count, line.fixed(0, line.count))
    guard count > 0 else { return }
    try take(line.key(without: count..<count, 1))
    guard count > 3 else { return }
    // A word is of several letters or signs in scripts without spaces.
    let (letters, signs) = (line.count(WordHash.isLetter), line.count(WordHash.isSign))
    let least = letters * 2 > count ? Self.letters : 3
    let gap = (letters + signs) * 2 > count ? count / 4 : Self.gap
    for length in 0...gap {
      for place in 0...count - length {
        let left = fixed - line.fixed(place, place + length)
        guard Self.isTemplate(fixed: left, of: max(count, left + 1), least: least) else { continue }
        try take(line.key(without: place..<place + length, 2))
      }
    }
    guard count <= Self.pairLimit, Self.isTemplate(fixed: fixed - 2, of: count, least: least) else {
      return
    }
    let rare = (0..<count).filter { line.isFixed($0) && !common.contains(line[$0]) }
    for (number, first) in rare.enumerated() {
      for second in rare[(number + 1)...] where second > first + 1 {
        try take(line.key(without: first, and: second))
      }
    }
  }

  /// A long text is compared with the last few before it that have one of its smallest hashes.
  private func joinLong(_ sets: inout DisjointSets) throws(FileError) {
    let frequent = try frequentHashes()
    var (smallest, reader) = (PairSorter(in: folder), sketched.reader())
    while let head = try reader.next(), let text = try reader.next() {
      for hash in try sketch(head, frequent).prefix(8) {
        try smallest.add(UInt64(hash), UInt64(reader.position / 2 - 1) << 32 | text)
      }
    }
    var (hash, seen) = (UInt64(0), [UInt64]())
    try smallest.forEach { (next, entry) throws(FileError) in
      if next != hash { (hash, seen) = (next, []) }
      var own: [UInt32]?
      for other in seen where sets.first(Self.text(entry)) != sets.first(Self.text(other)) {
        let found = if let own { own } else { try sketch(of: entry, frequent) }
        own = found
        if try Self.areAlike(found, sketch(of: other, frequent)) {
          sets.join(Self.text(entry), Self.text(other))
        }
      }
      if seen.count < 4 { seen.append(entry) } else { seen[Int(entry >> 32) % 4] = entry }
    }
  }

  private static func text(_ entry: UInt64) -> Int { Int(entry & 0xFFFF_FFFF) }

  private func sketch(of entry: UInt64, _ frequent: Set<UInt32>) throws(FileError) -> [UInt32] {
    let place = 2 * Int(entry >> 32)
    return try sketch(sketched.read(place..<place + 1)[0], frequent)
  }

  private func sketch(_ head: UInt64, _ frequent: Set<UInt32>) throws(FileError) -> [UInt32] {
    let (start, count) = (Int(head >> 8), Int(head & 0xFF))
    return Self.unpacked(try sketches.read(start..<start + (count + 1) / 2)[...], count)
      .filter { !frequent.contains($0) }
  }

  private static func unpacked(_ numbers: ArraySlice<UInt64>, _ count: Int) -> ArraySlice<UInt32> {
    numbers.flatMap {
      [UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $0 >> 32)]
    }.prefix(count)
  }

  /// What more than a tenth of many long texts have in common says nothing: instructions stand before everything.
  private func frequentHashes() throws(FileError) -> Set<UInt32> {
    let long = sketched.count / 2
    guard long >= 20 else { return [] }
    var values = FrequentValues()
    try forEachHash { values.add($0) }
    if !values.isExact {
      values.recount()
      try forEachHash { values.count($0) }
    }
    let frequent = values.counts.filter { $0.value > max(20, long / 10) }.keys
    return Set(frequent.map { UInt32($0) })
  }

  private func forEachHash(_ body: (UInt64) -> Void) throws(FileError) {
    var (heads, reader) = (sketched.reader(), sketches.reader())
    while let head = try heads.next(), try heads.next() != nil {
      let count = Int(head & 0xFF)
      for hash in Self.unpacked(try reader.next((count + 1) / 2), count) { body(UInt64(hash)) }
    }
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
