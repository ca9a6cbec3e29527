import AdapterTraining
import Tokenization

/// An example in tokens, to be looked at.
struct RenderedExample {
  let example: TokenizedExample
  private let tokenizer: Tokenizer

  init(_ example: TokenizedExample, _ tokenizer: Tokenizer) {
    self.example = example
    self.tokenizer = tokenizer
  }

  /// What `--json` prints.
  struct Entry: Encodable {
    let line: Int
    let tokens: [Token]
    /// 1 for a token that is learnt, 0 for any other.
    let mask: [Int]
    let text: String
  }

  var entry: Entry {
    Entry(
      line: example.line, tokens: example.tokens, mask: example.mask.map { $0 ? 1 : 0 },
      text: text(0..<example.tokens.count))
  }

  /// A head, then the text; what is learnt stands on lines of its own behind `>`.
  func lines(_ style: TextStyle) -> [String] {
    let head =
      "line \(example.line): \(Figures.count(example.tokens.count, "token")), "
      + "\(Figures.grouped(example.trainedCount)) learnt"
    return [style.bold(head)]
      + parts.flatMap { range, isLearnt in
        broken(text(range)).map { isLearnt ? style.green("> " + $0) : "  " + $0 }
      }
  }

  /// The tokens in runs that are learnt, and runs that are not.
  private var parts: [(range: Range<Int>, isLearnt: Bool)] {
    var parts: [(Range<Int>, Bool)] = []
    var start = 0
    for range in example.trained {
      parts += [(start..<range.lowerBound, false), (range, true)]
      start = range.upperBound
    }
    return (parts + [(start..<example.tokens.count, false)]).filter { !$0.0.isEmpty }
  }

  /// The text of tokens as it is, special ones by their names.
  private func text(_ range: Range<Int>) -> String {
    tokenizer.decode(Array(example.tokens[range]), special: true, isStart: false)
  }

  /// Lines that end where the text does, with that end to be seen.
  private func broken(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().reduce(
      into: [String]()
    ) { lines, part in
      if part.offset > 0, let last = lines.popLast() { lines.append(last + "\\n") }
      lines.append(String(part.element).printable)
    }.filter { !$0.isEmpty }
  }
}
