import ChatTemplates
import SystemFiles

/// Examples that are made alike, by what is asked in them: near duplicates and fillings of one template are a family.
///
/// What is measured on an example says little when its family was learnt, so that families stand whole on one side of a
/// split. Holds hashes of words, and no text. Nothing depends on the order of the examples but the numbers.
public struct ExampleFamilies: Sendable {
  /// What was found.
  public struct Summary: Sendable, Equatable {
    /// How many families there are; an example that is like no other is one by itself.
    public let count: Int
    /// Different examples in the largest family.
    public let largest: Int
    /// Lines of two of them in their file, from 1; nil where no family has two.
    package let lines: [Int]?
    /// The numbers of both, from 0.
    package let examples: [Int]?
    /// Whether families had to be divided by their wordings: one that was too large to stand on one side, or those that an answer
    /// cannot do without.
    package let isDivided: Bool
    /// Where examples have one of a few answers, those that no example has which is held out; nil where there are none.
    package internal(set) var absent: AbsentAnswers?
  }

  /// Answers of a few that are not measured.
  package struct AbsentAnswers: Sendable, Equatable {
    /// How many there are.
    package let count: Int
    /// How many answers there are in all.
    package let total: Int
    /// Line of an example with one of them in its file, from 1.
    package let line: Int
    /// Its number, from 0.
    package let example: Int
  }

  private(set) var texts: WordFamilies
  /// Two numbers of each.
  private(set) var keys: NumberList
  /// Two numbers of each; both 0 where there is no single answer.
  private(set) var answers: NumberList
  private(set) var lines: NumberList

  /// No examples yet.
  public init() { self.init(in: nil) }

  /// Where there is a `folder`, most of what is known of very many examples goes into files without names there.
  init(in folder: String?) {
    texts = WordFamilies(in: folder)
    keys = NumberList(in: folder)
    answers = NumberList(in: folder)
    lines = NumberList(in: folder)
  }

  /// How many examples there are.
  var count: Int { lines.count }

  /// What is kept of an example.
  struct Entry: Sendable {
    fileprivate let key: ContentKey
    fileprivate let answer: ContentKey?
    fileprivate let line: Int
    fileprivate let words: TextWords

    init(_ example: TrainingExample) {
      (key, answer, line) = (example.key, example.answerKey, example.line)
      words = TextWords(example.asked)
    }
  }

  /// Takes the next example.
  public mutating func add(_ example: TrainingExample) {
    Self.inMemory { () throws(FileError) in try insert(Entry(example)) }
  }

  /// As `add`, where there is a folder.
  mutating func insert(_ example: Entry) throws(FileError) {
    try keys.append([example.key.high, example.key.low])
    try answers.append([example.answer?.high ?? 0, example.answer?.low ?? 0])
    try lines.append(UInt64(example.line))
    try texts.add(example.words)
  }

  /// For each example, in the order in which they came, the number of the first one of its family, from 0.
  func families() -> [Int] {
    Self.inMemory { () throws(FileError) in try texts.families() }.map { Int($0) }
  }

  /// What no file is needed for.
  private static func inMemory<R>(_ body: () throws(FileError) -> R) -> R {
    do throws(FileError) { return try body() } catch { preconditionFailure("\(error)") }
  }

  /// Chooses whole families to hold out, so that about `share` of the different examples are in them, above 0 and below 1.
  ///
  /// Where examples have one of a few answers, some of each are held out and some are learnt, as far as an answer has two
  /// families and no more than twice the share is held out.
  /// A family that leaves too few others is divided: by wording, or, where that is one too, by example. Those that are the last
  /// of an answer are, where less than half of the share can be held out without them. Seed and contents decide.
  /// Nil where fewer than two examples differ.
  public func heldOut(share: Double, seed: UInt64) -> (examples: Set<Int>, summary: Summary)? {
    let found = Self.inMemory { () throws(FileError) in
      try choose(share: share, seed: seed)
    }
    guard let (isHeld, summary) = found else { return nil }
    return (Set(isHeld.indices.filter { isHeld[$0] }), summary)
  }

  /// Whether so many different answers of so many examples are the names of classes, and not texts of their own.
  static func areClasses(_ different: Int, of examples: Int) -> Bool {
    examples >= 20 && different > 1 && different <= mostClasses(of: examples)
  }

  /// How many classes so many examples have at most.
  static func mostClasses(of examples: Int) -> Int { examples / 5 }
}

extension TrainingExample {
  /// What is asked, in parts: all messages but the instructions and the last answer; a text as a whole.
  fileprivate var asked: [String] {
    switch content {
    case .text(let text): [text]
    case .chat(let messages, _):
      messages.dropLast().filter { $0.role != .system }.map(\.content)
    }
  }
}

extension ContentKey: Comparable {
  static func < (left: ContentKey, right: ContentKey) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// A number that depends on seed and content alone.
  func lot(_ seed: UInt64) -> UInt64 {
    let bytes = [seed, high, low].flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return ContentKey(bytes).high
  }
}
