import AdapterTraining
import ChatTemplates
import Chats
import JSON
import LanguageModels
import SystemFiles

/// One answer of a model, as text and as figures.
struct Answer: Encodable {
  enum Finish: String, Encodable {
    /// The model ended it.
    case stop
    /// The limit of tokens was reached.
    case length
    /// The context is full.
    case context
    /// The person stopped it.
    case interrupted
    /// The same words came again and again.
    case loop
  }

  let text: String
  /// What the model thought before; nil where it did not.
  let thoughts: String?
  let finish: Finish
  /// What it went round in; nil where it ended otherwise.
  let loop: LoopWatch.Loop?
  /// All tokens of the prompt, also those that an earlier answer had read.
  let promptTokens: Int
  let generatedTokens: Int
  /// Seconds from the start to the first token.
  let timeToFirstToken: Double?
  let prefillTokensPerSecond: Double?
  let decodeTokensPerSecond: Double?
  /// Passes over the base after the prompt's.
  let passes: Int
  /// Tokens that were proposed to passes, and those of them that came.
  let proposedTokens: Int
  let acceptedTokens: Int
  /// The same by where they were from, and by their place behind what was known.
  let proposals: [String: Proposals]
  /// With which the same options give the same text.
  let seed: JSONSeed
  /// 0 where the likeliest tokens were taken, whatever the seed.
  let temperature: Double
  /// 8 hexadecimal digits that change when any bit of the last logits does.
  let logitsHash: String?
  /// Tools that ran before the answer; nil where there were none to call.
  let toolCalls: [ToolProgram.Run]?
  /// Why the model had to answer, where it could have called more tools; nil where it chose to.
  let toolsEnded: ToolRounds.End?
  /// Turns of the chat that were forgotten before; nil where there were none.
  var forgottenTurns: Int?

  struct Proposals: Encodable {
    let proposed: [Int]
    let accepted: [Int]

    /// By where the tokens were from.
    static func by(_ counts: [ProposalSource: ProposalCounts]) -> [String: Proposals] {
      counts.reduce(into: [:]) { proposals, source in
        proposals[source.key.rawValue] = Proposals(
          proposed: source.value.proposed, accepted: source.value.accepted)
      }
    }
  }

  init(
    _ turn: ChatTurn, _ statistics: GenerationStatistics, temperature: Double, isFull: Bool,
    toolCalls: [ToolProgram.Run]? = nil
  ) {
    (self.toolCalls, self.temperature) = (toolCalls, Float(temperature).asWritten)
    toolsEnded = turn.rounds.end
    text = turn.text
    thoughts = turn.answer.thought.isEmpty ? nil : turn.answer.thought
    finish =
      switch statistics.finish {
      case .stopToken: .stop
      case .length: .length
      case nil: turn.isLooping ? .loop : isFull ? .context : .interrupted
      }
    loop = finish == .loop ? turn.answer.loop : nil
    promptTokens = turn.prompt.count
    generatedTokens = statistics.generatedTokens
    timeToFirstToken = statistics.timeToFirstToken?.inSeconds
    prefillTokensPerSecond = statistics.prefillTokensPerSecond
    decodeTokensPerSecond = statistics.decodeTokensPerSecond
    passes = statistics.decodePasses
    proposedTokens = statistics.proposedTokens
    acceptedTokens = statistics.acceptedTokens
    proposals = Proposals.by(statistics.proposals)
    seed = JSONSeed(statistics.seed)
    logitsHash = statistics.logitsHash.map { Figures.hex($0, 8) }
  }

  /// The figures on one line.
  var summary: String {
    var parts = [Figures.count(generatedTokens, "token")]
    if let timeToFirstToken { parts.append("first after \(Figures.fixed(timeToFirstToken, 3)) s") }
    if let decodeTokensPerSecond {
      parts.append("\(Figures.fixed(decodeTokensPerSecond, 1)) tokens/s")
    }
    if proposedTokens > 0 {
      let (right, all) = (Figures.grouped(acceptedTokens), Figures.grouped(proposedTokens))
      parts.append("\(right) of \(all) guesses right")
    }
    if temperature > 0 { parts.append("seed \(seed.value)") }
    switch finish {
    case .stop: break
    case .length: parts.append("ended by --max-tokens")
    case .context: parts.append("ended by the end of the context")
    case .interrupted: parts.append("interrupted")
    case .loop:
      let run = Figures.count(loop?.tokens ?? 0, "token")
      parts.append("ended in a loop: the same \(run) \(Figures.grouped(loop?.times ?? 0)) times")
    }
    return parts.joined(separator: ", ")
  }

  /// What leads out of what has ended it.
  func hint(inChat: Bool) -> String? {
    guard finish == .loop else { return nil }
    return inChat
      ? "/set repetition-penalty 1.1 or /set temperature 0.7, and then /retry, may lead out of the loop."
      : "--repetition-penalty 1.1 or --temperature 0.7 may lead out of the loop; --allow-loops lets it go on."
  }
}

/// Generated text as it comes: on a terminal its words stay whole at the edge; elsewhere it is printed as it is, by whole lines, as
/// other programs may write to the same pipe or file.
struct AnswerText {
  private let terminal: Terminal
  /// The word that has begun, as nobody knows yet whether it fits the line; elsewhere the line.
  private var word = ""
  private var column = 0

  init(_ terminal: Terminal) { self.terminal = terminal }

  mutating func append(_ text: String) {
    guard let columns = terminal.answerColumns else { return appendLines(of: text) }
    var shown = ""
    for character in text.streamable {
      switch character {
      case "\n":
        shown += place(columns) + "\n"
        column = 0
      case " ", "\t":
        shown += place(columns)
        let next = character == " " ? column + 1 : (column / 8 + 1) * 8
        // What would stand at the edge is the break itself.
        shown += next < columns ? String(character) : "\n"
        column = next < columns ? next : 0
      default:
        word.append(character)
        // Scripts without spaces break anywhere; so does a word that is longer than a line.
        let isWhole = character.cellWidth == 2 || character.unicodeScalars.allSatisfy(\.isUnspaced)
        if isWhole || word.cellWidth >= columns { shown += place(columns) }
      }
    }
    terminal.stream(shown)
  }

  private mutating func appendLines(of text: String) {
    guard let end = text.lastIndex(where: \.isNewline) else { return word += text }
    terminal.stream(word + text[...end])
    word = String(text[text.index(after: end)...])
  }

  /// Ends the text and its line, so that nothing is glued to it.
  mutating func finish() {
    let rest = place(terminal.answerColumns ?? .max)
    terminal.stream(rest + "\n")
    column = 0
  }

  /// The word, on a line where it fits.
  private mutating func place(_ columns: Int) -> String {
    let width = word.cellWidth
    let breaks = column > 0 && column + width > columns
    defer { word = "" }
    column = breaks ? width : column + width
    return (breaks ? "\n" : "") + word
  }
}

/// Thoughts on standard error, line by line as they are whole.
struct ThoughtLines {
  private let terminal: Terminal
  private var line = ""

  init(_ terminal: Terminal) { self.terminal = terminal }

  mutating func append(_ text: String) {
    line += text
    while let end = line.firstIndex(of: "\n") {
      terminal.note(Line(String(line[..<end]), .dim))
      line = String(line[line.index(after: end)...])
    }
  }

  mutating func finish() {
    if !line.isEmpty { terminal.note(Line(line, .dim)) }
    line = ""
  }
}

/// An answer on standard output, on lines of its own whatever comes of it, and thoughts beside it.
struct AnswerLines {
  private var text: AnswerText
  private var thoughts: ThoughtLines
  private var hasBegun = false

  init(_ terminal: Terminal) {
    (text, thoughts) = (AnswerText(terminal), ThoughtLines(terminal))
  }

  mutating func append(thought part: String) { thoughts.append(part) }

  mutating func append(_ part: String) {
    thoughts.finish()
    hasBegun = true
    text.append(part)
  }

  /// Ends the line of what has come: a call stands between two texts.
  mutating func pause() {
    if hasBegun { text.finish() }
    hasBegun = false
  }

  /// The answer is whole; an empty one is an empty line.
  mutating func end() {
    thoughts.finish()
    hasBegun = true
  }
}

extension Conversation {
  /// Answers `message` on standard output, on lines of its own whatever comes of it; thoughts are said beside it.
  func answer(
    _ message: String, to terminal: Terminal, isStopped: () -> Bool = { false },
    forget: (Forgotten) -> Void = { _ in }
  ) throws -> Answer {
    var lines = AnswerLines(terminal)
    defer { lines.pause() }
    let answer = try answer(
      message, isStopped: isStopped, forget: forget, pause: { lines.pause() }
    ) {
      switch $0 {
      case .thought(let part): lines.append(thought: part)
      case .answer(let part): lines.append(part)
      }
    }
    lines.end()
    return answer
  }
}
