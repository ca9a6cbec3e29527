import Adapters
import ChatTemplates
public import Grammars
package import JSON
import SystemFiles

/// A line that a model is measured on: what is asked, and how the answer is judged.
///
/// A line is an example of a data set, whose last answer is the right one, or asks with `prompt` or `messages` and says beside that what is right:
///
/// | Key | |
/// |---|---|
/// | `completion` or `answer` | the right answer, or a list of several that are as good; the loss is that of the first |
/// | `rule` | what the answer has to be like, an ``AnswerRule`` |
/// | `options` | texts to choose from by their likelihood, of which `answer` is one; `{options}` in the prompt stands for them in either order |
/// | `chosen`, `rejected` | a pair of answers, as in sets of preferences; with `{options}` in the prompt the same as two options |
/// | `schema` | a JSON Schema that the answer has to fit |
/// | `tags` | the rule of that name |
/// | `names`, `place`, `thing` | a short play in markup in which they occur |
/// | `own` | an answer of so many words or more must not stand in the prompt as it is |
/// | `instructions`, `tools` | what is said before the message, and names of tools in the `tools.json` beside the file |
/// | `id`, `task`, `group` | what the line is called, what it belongs to, and which lines ask the same in other words |
public struct EvaluationExample: Sendable {
  /// Where the line is.
  public let file: String
  /// From 1.
  public let line: Int
  /// What the line is called, if it is.
  public internal(set) var id: String?
  /// What the line belongs to; its file's name where it does not say.
  public internal(set) var task: String
  /// Lines with the same ask the same.
  var group: String?
  /// What is asked: all messages before the answer.
  ///
  /// None in a text of which only the loss is measured.
  public internal(set) var messages: [TrainingMessage] = []
  /// Definitions of tools that may be called.
  package internal(set) var tools: [JSONValue] = []
  /// The right answer, if there is one.
  package internal(set) var expected: String?
  /// Further right answers, as good as the expected one.
  package internal(set) var others: [String] = []
  /// What is foretold, for the loss: the chat with the right answer, or a text.
  package internal(set) var whole: TrainingExample?
  /// What the answer has to be like.
  public internal(set) var rule: AnswerRule?
  /// The rule as the line has it, for people.
  package internal(set) var wanted: String?
  /// Answers that the likelihood decides between.
  public internal(set) var options: [String] = []
  /// All right answers.
  public var right: [String] { (expected.map { [$0] } ?? []) + others }
  /// What is right, for people: the answer, or several of them, or the rule.
  package var shownRight: String? { right.isEmpty ? wanted : right.joined(separator: " | ") }
  /// Whether they are a chosen and a rejected answer, of which the prompt shows neither.
  var isPair: Bool { whole?.rejected != nil }
  /// What the answer has to fit, as JSON.
  var schema: SchemaCheck?
  /// An answer of so many words or more must not stand in the prompt.
  var own: Int?

  init(file: String, line: Int) {
    (self.file, self.line) = (file, line)
    let name = FilePath.name(of: file)
    task = name.hasSuffix(".jsonl") ? String(name.dropLast(6)) : name
  }

  /// The mark in a prompt that stands for the options.
  static let optionMark = "{options}"

  /// Whether the prompt shows the options, so that their order may sway the answer.
  var showsOptions: Bool { messages.last?.content.contains(Self.optionMark) ?? false }

  /// Whether the model is to answer.
  public var isAsked: Bool { !messages.isEmpty && (options.isEmpty || rule != nil) }

  /// What is asked last, for people; of a text its beginning.
  package var asked: String {
    if let last = messages.last { return shown(last, options).content }
    if case .text(let text)? = whole?.content { return String(text.prefix(400)) }
    return ""
  }

  /// The messages with the options in this order.
  func messages(_ options: [String]) -> [TrainingMessage] {
    guard let last = messages.last else { return [] }
    return messages.dropLast() + [shown(last, options)]
  }

  private func shown(_ message: TrainingMessage, _ options: [String]) -> TrainingMessage {
    guard !options.isEmpty else { return message }
    var message = message
    let list =
      options.count == 2
      ? options.joined(separator: " or ")
      : options.dropLast().joined(separator: ", ") + ", or " + (options.last ?? "")
    message.content = message.content.replacing(Self.optionMark, with: list)
    return message
  }

  /// Whether `answer` is a piece of the prompt that is longer than it may be.
  func isEcho(_ answer: String) -> Bool {
    guard let own, PlainText.words(answer) >= own, let asked = messages.last?.content else {
      return false
    }
    let (normal, plain) = (PlainText.normal(answer), PlainText.plain(asked))
    guard normal.count <= plain.count else { return false }
    return (0...plain.count - normal.count).contains { plain[$0...].starts(with: normal) }
  }
}

/// The lines that a model is measured on.
public struct EvaluationSet: Sendable {
  /// Where the file is, or the folder whose `.jsonl` files are read.
  package let path: String
  /// The lines in their order.
  public let examples: [EvaluationExample]
  /// Keys of the lines of each file that nothing reads; files without are left out.
  package let unread: [(file: String, keys: UnreadKeys)]
  /// SHA-256 of the file, or of all files one after the other.
  package let digest: String

  /// Reads the file at `path`, or all data sets of the folder.
  ///
  /// - Parameters:
  ///   - path: a file, or a folder.
  ///   - instructions: what is said first in chats that have none.
  ///   - schema: what answers to lines without a schema of their own have to fit.
  ///   - isJudged: whether lines that say nothing of the answer are judged by something else.
  /// - Throws: `EvaluationError.line` for the first line that cannot be used, `.data` with all errors of examples, `.empty`.
  public init(
    path: String, instructions: String? = nil, schema: SchemaCheck? = nil, isJudged: Bool = false
  ) throws(EvaluationError) {
    var (examples, found) = ([EvaluationExample](), FindingList())
    var digest = SHA256()
    let files: [String]
    do throws(DataSetError) {
      files = try DataParts.files(at: path)
      for file in files {
        try reading { () throws(FileError) in
          let reader = try FileReader(path: file)
          try reader.forEachPiece(of: 0..<reader.size) { digest.update($0) }
        }
      }
    } catch {
      throw .data(error)
    }
    var unread: [(file: String, keys: UnreadKeys)] = []
    for file in files {
      var reader = EvaluationReader(file: file, isJudged: isJudged)
      examples += try reader.read(&found)
      if !reader.unread.keys.isEmpty { unread.append((file, reader.unread)) }
    }
    if found.named.contains(where: { $0.severity == .error }) {
      if files == [path] { found.addEmptyFile(path, examples: examples.count) }
      throw .data(.refused(DataReport(files: [.init(path: path, examples: examples.count)], found)))
    }
    guard !examples.isEmpty else { throw .empty(path: path) }
    for index in examples.indices {
      if let instructions { examples[index].instruct(instructions) }
      if examples[index].schema == nil, examples[index].isAsked { examples[index].schema = schema }
    }
    self.path = path
    self.examples = examples
    self.unread = unread
    self.digest = digest.finishHex()
  }
}

extension EvaluationExample {
  /// Says `text` first, where nothing is said before the first message.
  mutating func instruct(_ text: String) {
    guard !messages.isEmpty, messages.first?.role != .system else { return }
    let system = TrainingMessage(.system, text)
    messages.insert(system, at: 0)
    if let old = whole, !old.messages.isEmpty {
      whole = TrainingExample(
        .chat([system] + old.messages, tools: old.tools), rejected: old.rejected, line: old.line)
    }
  }
}
