import SystemFiles

/// Finds texts that are made alike: near duplicates, and texts of one template.
///
/// Texts are words without case and punctuation, numbers masked, and without sentences that many have beside what they say.
/// Short ones belong together when three quarters of their words are the same and what differs is one place of up to three words,
/// or two words; long ones when they share half of what they say in three words, measured by the smallest hashes of
/// each (Broder 1997). In scripts without spaces letters and signs are words, and the place may be longer. What belongs to the same text belongs together.
/// No text is kept.
struct WordFamilies {
  /// Parts that keys are compared in, at most.
  private static let mostParts = 16
  /// Of each text the numbers of its words and sentences, both 0 for a long one, then its words, then for each sentence where it
  /// ends, from the start of the text, and the hash of its words.
  private var texts: NumberList
  private var sentenceCount = 0
  /// The smallest hashes of each long text, rising, two in a number.
  private var sketches: NumberList
  /// For each long text where its sketch begins and how long it is, and its number.
  private var sketched: NumberList
  /// What each text says as a whole.
  private var wholes: NumberList
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

  /// Takes the next text.
  mutating func add(_ text: TextWords) throws(FileError) {
    try wholes.append(text.whole)
    try texts.append(UInt64(text.words.count) | UInt64(text.sentences.count / 2) << 32)
    try texts.append(text.words)
    try texts.append(text.sentences)
    sentenceCount += text.sentences.count / 2
    guard !text.sketch.isEmpty else { return }
    try sketched.append(UInt64(sketches.count) << 8 | UInt64(text.sketch.count))
    try sketched.append(UInt64(count - 1))
    for place in stride(from: 0, to: text.sketch.count, by: 2) {
      let next = place + 1 < text.sketch.count ? text.sketch[place + 1] : 0
      try sketches.append(text.sketch[place] | next << 32)
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
    let (recurring, total) = try recurringParts(sentences, words)
    let room = KeyField.room(texts: count)
    let parts = UInt64(min(max(4 * total / room, 1), Self.mostParts))
    for part in 0..<parts {
      let isOwn = { (key: UInt64) in ((key >> 8 & 0xFFFF) * parts) >> 16 == part }
      var field = KeyField(room: room)
      try forEachKey(recurring, sentences, words) { _, key in
        if isOwn(key) { field.insert(key) }
      }
      var joiner = KeyJoiner(in: folder)
      try forEachKey(recurring, sentences, words) { (number, key) throws(FileError) in
        if isOwn(key), field.contains(key) { try joiner.add(key, number, &sets) }
      }
      try joiner.finish(&sets)
    }
  }

  /// What of each short text others may have, and how many keys are left by that.
  private func recurringParts(
    _ sentences: [UInt64: Int]?, _ words: Set<UInt64>
  ) throws(FileError) -> (NumberList, keys: Int) {
    var (field, line) = (KeyField(room: KeyField.room(texts: count)), WordLine())
    try forEachShort { _, text, ends in
      takeBody(text, ends, sentences, &line)
      RecurringParts.note(line, hasHalves: TemplateKeys(line).hasPairs, in: &field)
    }
    var (recurring, total) = (NumberList(in: folder), 0)
    try forEachShort { (_, text, ends) throws(FileError) in
      takeBody(text, ends, sentences, &line)
      let keys = TemplateKeys(line)
      let packed = RecurringParts.packed(line, hasHalves: keys.hasPairs, by: field)
      try recurring.append(packed)
      let parts = RecurringParts(packed, count: line.count)
      try keys.forEach(of: line, parts, common: words) { _ in total += 1 }
    }
    return (recurring, total)
  }

  /// Hands out the keys of short texts that others may have, by what of each recurs.
  private func forEachKey(
    _ recurring: NumberList, _ sentences: [UInt64: Int]?, _ words: Set<UInt64>,
    _ take: (_ text: Int, _ key: UInt64) throws(FileError) -> Void
  ) throws(FileError) {
    var (line, reader) = (WordLine(), recurring.reader())
    try forEachShort { (number, text, ends) throws(FileError) in
      takeBody(text, ends, sentences, &line)
      let parts = RecurringParts(try reader.next() ?? 0, count: line.count)
      try TemplateKeys(line).forEach(of: line, parts, common: words) { (key) throws(FileError) in
        try take(number, key)
      }
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
    let hasSentences = sentenceCount > count
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

  /// A long text is compared with the last few before it that have one of its smallest hashes.
  private func joinLong(_ sets: inout DisjointSets) throws(FileError) {
    let frequent = try frequentHashes()
    var (smallest, reader) = (PairSorter(in: folder), sketched.reader())
    while let head = try reader.next(), let text = try reader.next() {
      for hash in try sketch(head, frequent).prefix(8) {
        try smallest.add(UInt64(hash), UInt64(reader.position / 2 - 1) << 32 | text)
      }
    }
    // Sketches are read when they are first asked for, of a file by chance.
    var (hash, seen) = (UInt64(0), [(entry: UInt64, sketch: [UInt32]?)]())
    try smallest.forEach { (next, entry) throws(FileError) in
      if next != hash { (hash, seen) = (next, []) }
      var own: [UInt32]?
      for place in seen.indices {
        let other = seen[place]
        guard sets.first(Self.text(entry)) != sets.first(Self.text(other.entry)) else { continue }
        let mine = if let own { own } else { try sketch(of: entry, frequent) }
        let others =
          if let sketch = other.sketch { sketch } else { try sketch(of: other.entry, frequent) }
        (own, seen[place].sketch) = (mine, others)
        if TextWords.areAlike(mine, others) { sets.join(Self.text(entry), Self.text(other.entry)) }
      }
      if seen.count < 4 {
        seen.append((entry, own))
      } else {
        seen[Int(entry >> 32) % 4] = (entry, own)
      }
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
}
