import Kernels
import SystemFiles

/// Finds texts that are made alike: near duplicates, and texts of one template.
///
/// Texts are words without case and punctuation, numbers masked, and without sentences that many have beside what they say.
/// Short ones belong together when three quarters of their words are the same and what differs is one place of up to three words,
/// or two words; long ones when they share half of what they say in three words, measured by the smallest hashes of
/// each (Broder 1997). In scripts without spaces letters and signs are words, and the place may be longer. What belongs to the same text belongs together.
/// No text is kept.
struct WordFamilies {
  /// Of each text the numbers of its words and sentences, both 0 for a long one, then its words, then for each sentence where it
  /// ends, from the start of the text, and the hash of its words.
  private(set) var texts: NumberList
  private(set) var sentenceCount = 0
  /// The smallest hashes of each long text, rising, two in a number.
  private(set) var sketches: NumberList
  /// For each text where its sketch begins, and how many hashes it has: 0 for a short one.
  private(set) var sketched: NumberList
  private(set) var longCount = 0
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
    try sketched.append(UInt64(sketches.count) << 8 | UInt64(text.sketch.count))
    if !text.sketch.isEmpty { longCount += 1 }
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
    var common: Result<CommonParts, FileError>?
    var smallest: Result<SmallestHashes, FileError>?
    WorkerPool.shared(threads: nil).perform(2) { index, _ in
      if index == 0 {
        common = Result { () throws(FileError) in
          try joinWholes(&sets)
          return try commonParts()
        }
      } else {
        smallest = Result { () throws(FileError) in try smallestHashes() }
      }
    }
    if let common { try joinShort(common.get(), &sets) }
    if let smallest { try joinLong(smallest.get(), &sets) }
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
}
