import SystemFiles

/// A short text: its number, and of its words and sentences what was kept.
private struct ShortText {
  let number: Int
  let words: ArraySlice<UInt64>
  let sentences: ArraySlice<UInt64>

  var sentenceHashes: [UInt64] {
    stride(from: sentences.startIndex + 1, to: sentences.endIndex, by: 2).map { sentences[$0] }
  }
}

/// What many short texts have.
struct CommonParts {
  /// How many texts have each sentence, where any has several.
  let sentences: KeyTable?
  /// Words that hold templates together.
  let words: KeyTable
}

/// Keys of some short texts, and a number for each of them, or for each text.
private struct KeyBlock {
  var keys: [UInt64] = []
  var numbers: [Int32] = []
}

extension WordFamilies {
  /// Parts that keys are compared in, at most.
  private static let mostParts = 16
  /// Of so many texts one has its keys counted.
  private static let sample = 16

  /// Nearly all keys come once; only those that seem to come again are kept with a text.
  ///
  /// Where there are many, a part of them at a time.
  func joinShort(_ common: CommonParts, _ sets: inout DisjointSets) throws(FileError) {
    let recurring = try recurringParts(common)
    let room = KeyField.room(texts: count)
    let keys = try Self.sample * keyCount(recurring, common)
    let parts = UInt64(min(max(4 * keys / room, 1), Self.mostParts))
    for part in 0..<parts {
      let isOwn = { (key: UInt64) in ((key >> 8 & 0xFFFF) * parts) >> 16 == part }
      var field = KeyField(room: room)
      try forEachKey(recurring, common, isOwn) { field.insert($0.keys) }
      var joiner = KeyJoiner(in: folder)
      try forEachKey(recurring, common, isOwn) { (block) throws(FileError) in
        for (place, recurs) in field.contains(block.keys).enumerated() where recurs {
          try joiner.add(block.keys[place], Int(block.numbers[place]), &sets)
        }
      }
      try joiner.finish(&sets)
    }
  }

  /// What of each short text others may have.
  private func recurringParts(_ common: CommonParts) throws(FileError) -> NumberList {
    var field = KeyField(room: KeyField.room(texts: count))
    func forEachPart(_ take: (KeyBlock) throws(FileError) -> Void) throws(FileError) {
      try forEachBlock(common) { _, line, _, block in
        let hasHalves = TemplateKeys(line).hasPairs
        RecurringParts.append(line, hasHalves: hasHalves, to: &block.keys)
        block.numbers.append(Int32(line.count) << 1 | (hasHalves ? 1 : 0))
      } take: { (block) throws(FileError) in
        try take(block)
      }
    }
    try forEachPart { field.insert($0.keys) }
    var recurring = NumberList(in: folder)
    try forEachPart { (block) throws(FileError) in
      var isKnown = field.contains(block.keys)[...]
      for shape in block.numbers {
        try recurring.append(
          RecurringParts.packed(
            count: Int(shape >> 1), hasHalves: shape & 1 == 1, takingFrom: &isKnown))
      }
    }
    return recurring
  }

  /// How many keys one of ``sample`` short texts have by what of each recurs.
  private func keyCount(
    _ recurring: NumberList, _ common: CommonParts
  ) throws(FileError) -> Int {
    var (short, reader, line, keys) = (ShortTexts(self), recurring.reader(), WordLine(), 0)
    while let text = try short.next(), let packed = try reader.next() {
      guard text.number % Self.sample == 0 else { continue }
      takeBody(text, common.sentences, &line)
      let parts = RecurringParts(packed, count: line.count)
      TemplateKeys(line).forEach(of: line, parts, common: common.words) { _ in keys += 1 }
    }
    return keys
  }

  /// Hands out those keys of short texts that others may have, by what of each recurs, and that are `own`.
  private func forEachKey(
    _ recurring: NumberList, _ common: CommonParts, _ isOwn: (_ key: UInt64) -> Bool,
    _ take: (KeyBlock) throws(FileError) -> Void
  ) throws(FileError) {
    try forEachBlock(common, recurring) { number, line, packed, block in
      let parts = RecurringParts(packed, count: line.count)
      TemplateKeys(line).forEach(of: line, parts, common: common.words) { key in
        guard isOwn(key) else { return }
        block.keys.append(key)
        block.numbers.append(Int32(number))
      }
    } take: { (block) throws(FileError) in
      try take(block)
    }
  }

  /// Hands out, in the order of the texts, blocks to which `add` adds of each short text, with a number of the list `beside` them.
  private func forEachBlock(
    _ common: CommonParts, _ beside: NumberList? = nil,
    add: (_ number: Int, _ line: borrowing WordLine, _ beside: UInt64, inout KeyBlock) -> Void,
    take: (KeyBlock) throws(FileError) -> Void
  ) throws(FileError) {
    var (short, numbers) = (ShortTexts(self), beside?.reader())
    try BlockPipeline.run(share: 256) { () throws(FileError) in
      var texts: [(text: ShortText, beside: UInt64)] = []
      while texts.count < 4096, let text = try short.next() {
        texts.append((text, try numbers?.next() ?? 0))
      }
      return texts
    } each: { (texts) throws(FileError) in
      texts
    } make: { texts in
      var (line, block) = (WordLine(), KeyBlock())
      for (text, beside) in texts {
        takeBody(text, common.sentences, &line)
        add(text.number, line, beside, &block)
      }
      return block
    } take: { (blocks) throws(FileError) in
      for block in blocks { try take(block) }
    }
  }

  /// How many texts have each sentence, as far as that matters, where any has several; and the words that stand in more than a
  /// fifth of the texts, which hold templates together.
  ///
  /// A sentence that fewer than one of 150 have is never left out, and no reason to keep others, so that it need not be counted.
  func commonParts() throws(FileError) -> CommonParts {
    let hasSentences = sentenceCount > count
    var (sentences, words) = (FrequentValues(), FrequentValues())
    var short = ShortTexts(self)
    while let text = try short.next() {
      for word in text.words { words.add(word) }
      if hasSentences { text.sentenceHashes.forEach { sentences.add($0) } }
    }
    if !sentences.isExact || !words.isExact {
      sentences.recount()
      words.recount()
      short = ShortTexts(self)
      while let text = try short.next() {
        for word in text.words { words.count(word) }
        if hasSentences { text.sentenceHashes.forEach { sentences.count($0) } }
      }
    }
    return CommonParts(
      sentences: hasSentences ? sentences.counts : nil,
      words: words.values(above: max(5, count / 5)))
  }

  /// The words of a short text, without sentences that are far more common than its rarest: greetings, thanks, instructions.
  private func takeBody(_ text: ShortText, _ counts: KeyTable?, _ line: inout WordLine) {
    guard text.sentences.count > 2, let counts else { return line.take { $0(text.words) } }
    let counted = text.sentenceHashes.map { Int(counts[$0] ?? 0) }
    let limit = max(3 * (counted.min() ?? 0), 5, count / 50)
    line.take { append in
      var start = text.words.startIndex
      for (index, count) in counted.enumerated() {
        let place = text.sentences.startIndex + 2 * index
        let end = text.words.startIndex + Int(text.sentences[place])
        if count <= limit { append(text.words[start..<end]) }
        start = end
      }
    }
  }
}

/// The short texts one after the other.
private struct ShortTexts {
  private var reader: NumberList.Reader
  private let count: Int
  private var number = 0

  init(_ families: WordFamilies) {
    (reader, count) = (families.texts.reader(), families.count)
  }

  /// The next one; nil at the end.
  mutating func next() throws(FileError) -> ShortText? {
    while number < count {
      defer { number += 1 }
      let head = try reader.next() ?? 0
      guard head > 0 else { continue }
      let words = Int(head & 0xFFFF_FFFF)
      let own = try reader.next(words + 2 * Int(head >> 32))
      let start = own.startIndex + words
      return ShortText(number: number, words: own[..<start], sentences: own[start...])
    }
    return nil
  }
}
