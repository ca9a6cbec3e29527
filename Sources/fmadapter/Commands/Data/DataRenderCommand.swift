import AdapterTraining
import SystemFiles
import Tokenization

/// `data render`: what the model sees of examples, and what it learns.
enum DataRenderCommand {
  private static let line = Option(
    "--line", short: "-l", .integer(1...Int.max), "Only the example on this line, from 1")
  private static let json = Flag(
    "--json", "Print one JSON object a line: tokens, mask, text and its parts")

  static let command = Command(
    name: "render",
    summary: "Print examples as the model sees them",
    details: [
      """
      Special tokens are shown by their names and line ends as \\n. Lines that start with > are \
      learnt, all others only come before them; on a terminal they are green too. With --json the \
      mask is 1 for each token that is learnt.
      """
    ],
    examples: [
      Example("fmadapter data render train.jsonl --line 1", "The first example"),
      Example("fmadapter data render train.jsonl --base model.gguf", "All, by another base"),
      Example("fmadapter data render train.jsonl --line 1 --json", "Ids and mask, for a script"),
    ],
    arguments: [DataOptions.file],
    options: [line, ModelOptions.base, AnswerOptions.chatFormat, json],
    knownElsewhereAs: ["show", "preview", "tokenize", "print"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let path = arguments.required(DataOptions.file)
    let base = try await DataOptions.base(invocation)
    let examples =
      try arguments.value(line).map { [try DataSet.example(onLine: $0, of: path)] }
      ?? DataSet(path: path).examples
    for (index, example) in examples.enumerated() {
      try Task.checkCancellation()
      let text = RenderedExample(try base.renderer.render(example), base.tokenizer)
      if arguments.has(json) {
        try terminal.printJSONLine(text.entry)
      } else {
        if index > 0 { terminal.print("") }
        text.lines.forEach(terminal.print)
      }
    }
    return .done
  }
}

/// An example in tokens, to be looked at.
struct RenderedExample {
  let example: TokenizedExample
  private let tokenizer: Tokenizer

  init(_ example: TokenizedExample, _ tokenizer: Tokenizer) {
    self.example = example
    self.tokenizer = tokenizer
  }

  /// What `--json` prints; of a pair the side with the chosen answer, and beside it the other one.
  struct Entry: Encodable {
    /// Tokens, and how they count.
    struct Side: Encodable {
      let tokens: [Token]
      /// 1 for a token that is learnt, 0 for any other.
      let mask: [Int]
      let text: String
      let parts: [Part]
    }

    /// A run of tokens that are all learnt, or all not.
    struct Part: Encodable {
      let text: String
      let learnt: Bool
    }

    let line: Int
    let tokens: [Token]
    let mask: [Int]
    let text: String
    let parts: [Part]
    let rejected: Side?
  }

  var entry: Entry {
    Entry(
      line: example.line, tokens: side.tokens, mask: side.mask, text: side.text,
      parts: side.parts, rejected: other?.side)
  }

  private var side: Entry.Side {
    Entry.Side(
      tokens: example.tokens, mask: example.mask.map { $0 ? 1 : 0 },
      text: text(0..<example.tokens.count),
      parts: parts.map { Entry.Part(text: text($0), learnt: $1) })
  }

  /// That of a pair with the rejected answer.
  private var other: RenderedExample? {
    example.rejected.map { RenderedExample($0, tokenizer) }
  }

  /// A head, then the text; what is learnt stands on lines of its own behind `>`.
  ///
  /// The sides of a pair stand one behind the other.
  var lines: [Line] {
    guard let other else { return lines("") }
    return RenderedExample(example.chosen, tokenizer).lines(", chosen") + other.lines(", rejected")
  }

  private func lines(_ name: String) -> [Line] {
    let head =
      "line \(example.line)\(name): \(Figures.count(example.tokens.count, "token")), "
      + "\(Figures.grouped(example.trainedCount)) learnt"
    return [Line(head, .bold)]
      + parts.flatMap { range, isLearnt in
        broken(text(range)).map { Line((isLearnt ? "> " : "  ") + $0, isLearnt ? .green : .none) }
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
      lines.append(String(part.element))
    }.filter { !$0.isEmpty }
  }
}
