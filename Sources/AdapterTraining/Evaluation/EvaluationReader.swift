import Adapters
import ChatTemplates
import Grammars
package import JSON
import SystemFiles

/// Reads the lines that a model is measured on.
struct EvaluationReader {
  private let file: String
  /// Whether lines that say nothing of the answer are judged by something else.
  private let isJudged: Bool
  private var parser: ExampleParser
  private var tools: [String: JSONValue]?
  /// Keys that nothing reads.
  private(set) var unread = UnreadKeys()

  init(file: String, isJudged: Bool = false) {
    (self.file, self.isJudged) = (file, isJudged)
    parser = ExampleParser(file: file)
  }

  /// All lines; blank ones are passed over.
  ///
  /// What is wrong with examples of data sets goes to `found`.
  mutating func read(_ found: inout FindingList) throws(EvaluationError) -> [EvaluationExample] {
    var examples: [EvaluationExample] = []
    let reader = try filing { () throws(FileError) in try FileReader(path: file) }
    var lines = LineReader(reader, limit: DataSetReader.lineLimit)
    parser = ExampleParser(file: file, reader)
    while let line = try filing({ () throws(FileError) in try lines.next() }) {
      guard line.isTooLong || line.text.contains(where: { $0 > 0x20 }) else { continue }
      if let example = try example(line, &found) { examples.append(example) }
    }
    return examples
  }

  private func filing<R>(
    _ body: () throws(FileError) -> R
  ) throws(EvaluationError) -> R {
    do throws(FileError) { return try body() } catch { throw .data(.file(error)) }
  }

  private mutating func example(
    _ line: LineReader.Line, _ found: inout FindingList
  ) throws(EvaluationError) -> EvaluationExample? {
    var example = EvaluationExample(file: file, line: line.number)
    let bytes = line.number == 1 && line.text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let document = try? JSONDocument(parsing: Array(line.text.dropFirst(bytes)), limit: .max)
    let object = document.flatMap { PaddedNulls.removed(from: $0.root).object }
    let isPrompt = object.map { Self.isPrompt($0) && !Self.isListed($0) } ?? false
    if let object, isPrompt {
      if let twice = document?.duplicates.first {
        let isAnswer = ["answer", "completion"].contains(twice.path)
        let step = isAnswer ? "give several right answers as a list" : "remove one of them"
        throw problem(example, "the key '\(twice.path)' stands twice\(remedy: step)")
      }
      try read(object, into: &example, line)
    } else {
      let (whole, findings) = parser.parse(line)
      found.add(findings)
      guard let whole else { return nil }
      example.take(whole)
    }
    try judge(object ?? [:], &example)
    let others = unread(object ?? [:], example, isPrompt: isPrompt)
    for key in others { unread.note(key, line: line.number) }
    guard example.whole != nil || example.rule != nil || example.schema != nil || isJudged else {
      throw silent(example, others, object)
    }
    return example
  }

  private func unread(
    _ object: JSONObject, _ example: EvaluationExample, isPrompt: Bool
  ) -> [String] {
    isPrompt
      ? EvaluationKeys.unread(inPrompt: object, isAnswered: example.whole != nil)
      : EvaluationKeys.unread(inExample: object)
  }

  /// What is said of a line that does not tell what is right, with what was probably meant by keys
  /// that are not read.
  private func silent(
    _ example: EvaluationExample, _ unread: [String], _ object: JSONObject?
  ) -> EvaluationError {
    let absent = EvaluationKeys.known.filter { object?[$0] == nil }
    let meant = unread.lazy.compactMap { key in
      EvaluationKeys.meant(by: key, among: absent).map { (key, $0) }
    }.first
    guard let (key, other) = meant else {
      return problem(
        example,
        "says nothing about the answer\(remedy: "give completion, answer, rule, schema or options")"
      )
    }
    return problem(
      example,
      "says nothing about the answer, as '\(String(key.prefix(40)))' is not read\(remedy: "did you mean '\(other)'?")"
    )
  }

  /// Whether a line asks without being an example of a data set.
  private static func isPrompt(_ object: JSONObject) -> Bool {
    if object["prompt"] != nil { return object["completion"].map { $0.array != nil } ?? true }
    let role = object["messages"]?.array?.last?.object?["role"]?.string
    return role.map { $0 != "assistant" } ?? false
  }

  /// Whether a pair has messages where it could have texts.
  private static func isListed(_ object: JSONObject) -> Bool {
    object["rejected"] != nil
      && ["prompt", "chosen", "rejected"].contains { object[$0]?.array != nil }
  }

  private func problem(_ example: EvaluationExample, _ text: ErrorText) -> EvaluationError {
    .line(path: example.file, line: example.line, problem: text)
  }

  private mutating func read(
    _ object: JSONObject, into example: inout EvaluationExample, _ line: LineReader.Line
  ) throws(EvaluationError) {
    if let prompt = object["prompt"] {
      guard let text = prompt.string else {
        throw problem(example, "the prompt is \(prompt.kind), not a text")
      }
      example.messages = [TrainingMessage(.user, text)]
    } else {
      example.messages = try messages(object["messages"]?.array ?? [], example)
    }
    if let instructions = object["instructions"] {
      guard let text = instructions.string else {
        throw problem(example, "the instructions are \(instructions.kind), not a text")
      }
      example.instruct(text)
    }
    example.tools = try tools(object["tools"], example)
    if let answer = object["answer"] ?? object["completion"] ?? object["chosen"] {
      try take(answer, into: &example)
    }
    example.options = try options(object, example)
    if let answer = example.expected {
      let said = example.messages(example.options) + [TrainingMessage(.assistant, answer)]
      let rejected = example.showsOptions ? nil : object["rejected"]?.string
      example.whole = TrainingExample(
        .chat(said, tools: example.tools),
        rejected: rejected.map { TrainingMessage(.assistant, $0) }, line: line.number)
    }
  }

  /// Takes the right answer, or several that are as good.
  private func take(
    _ answer: JSONValue, into example: inout EvaluationExample
  ) throws(EvaluationError) {
    let texts = (answer.array ?? [answer]).compactMap(\.string)
    guard let first = texts.first, texts.count == answer.array?.count ?? 1 else {
      throw problem(
        example,
        answer.array == nil
          ? "the answer is \(answer.kind), not a text"
          : "the answers are no list of texts")
    }
    (example.expected, example.others) = (first, Array(texts.dropFirst()))
  }

  private func messages(
    _ list: [JSONValue], _ example: EvaluationExample
  ) throws(EvaluationError) -> [TrainingMessage] {
    var defect: String?
    guard let messages = TrainingMessage.plain(list, defect: &defect) else {
      throw problem(example, "\(defect ?? "")")
    }
    return messages
  }

  private func options(
    _ object: JSONObject, _ example: EvaluationExample
  ) throws(EvaluationError) -> [String] {
    var options: [String] = []
    if let other = object["rejected"] {
      guard let chosen = object["chosen"]?.string, let rejected = other.string else {
        throw problem(example, "chosen and rejected have to be two texts")
      }
      options = [chosen, rejected]
    } else if let value = object["options"] {
      options = value.array?.compactMap(\.string) ?? []
      guard options.count > 1, options.count == value.array?.count else {
        throw problem(example, "the options are no list of two texts or more")
      }
    } else {
      return []
    }
    guard Set(options).count == options.count else {
      throw problem(example, "two of the options are the same")
    }
    guard example.expected != nil, example.right.allSatisfy(options.contains) else {
      throw problem(
        example, "the answer is none of the options\(remedy: "give answer as one of them")")
    }
    return options
  }

  /// Definitions of tools: objects as they are, names as `tools.json` beside the file has them.
  private mutating func tools(
    _ value: JSONValue?, _ example: EvaluationExample
  ) throws(EvaluationError) -> [JSONValue] {
    var definitions: [JSONValue] = []
    if let value, value.array == nil {
      throw problem(example, "the tools are \(value.kind), not a list")
    }
    for tool in value?.array ?? [] {
      if tool.object != nil {
        definitions.append(tool)
        continue
      }
      if tools == nil { tools = try describedTools(example) }
      guard let name = tool.string, let definition = tools?[name] else {
        throw problem(
          example,
          "there is no tool \(tool.line)\(remedy: "describe it in the file tools.json beside this one")"
        )
      }
      definitions.append(definition)
    }
    return definitions
  }

  /// The tools of the file beside this one, by their names; none where there is no such file.
  private func describedTools(
    _ example: EvaluationExample
  ) throws(EvaluationError) -> [String: JSONValue] {
    let path = FilePath.join(FilePath.parent(of: file), "tools.json")
    guard FileSystem.kind(of: path) != nil else { return [:] }
    let bytes: [UInt8]
    do { bytes = try FileSystem.read(path, limit: 8 << 20) } catch { throw .data(.file(error)) }
    guard let list = (try? JSONDocument(parsing: bytes))?.root.array else {
      throw problem(
        example, "the file tools.json beside this one is no JSON list of tools\(remedy: "mend it")")
    }
    return list.reduce(into: [:]) { tools, tool in
      if let name = tool.object?.toolFunction["name"]?.string { tools[name] = tool }
    }
  }

  /// What the line says of how the answer is judged.
  private func judge(
    _ object: JSONObject, _ example: inout EvaluationExample
  ) throws(EvaluationError) {
    example.id = object["id"]?.text
    example.task = object["task"]?.text ?? example.task
    example.group = object["group"]?.text
    example.own = object["own"]?.integer
    do throws(RuleDefect) {
      // What else is called so belongs to a line whose answer is known otherwise.
      let asks = example.whole == nil
      let rules = try [
        object["rule"].map(AnswerRule.init(_:)),
        object["tags"].flatMap { value throws(RuleDefect) in
          asks ? try AnswerRule(.object(["tags": value])) : nil
        },
        asks ? AnswerRule(play: object) : nil,
      ].compactMap(\.self)
      if !rules.isEmpty {
        example.rule = AnswerRule(checks: rules.flatMap(\.checks))
        let keys = asks ? ["rule", "tags", "names", "place", "thing"] : ["rule"]
        let shown = keys.compactMap { key in
          object[key].map { JSONObject.Member(key: key, value: $0) }
        }
        let isPlain = shown.count == 1 && shown[0].key == "rule"
        example.wanted = isPlain ? shown[0].value.line : JSONValue.object(JSONObject(shown)).line
      }
    } catch {
      throw problem(example, error.text)
    }
    if let schema = object["schema"] {
      guard schema.object != nil else {
        // What else is called so belongs to a line whose answer is known otherwise.
        if example.whole != nil { return }
        throw problem(example, "the schema is \(schema.kind), not an object")
      }
      do throws(GrammarDefect) {
        example.schema = try SchemaCheck(schema)
      } catch {
        throw problem(example, "\(error)")
      }
    }
  }
}

extension AnswerRule {
  /// A short play in which `names`, `place` and `thing` occur; nil where a line does not ask for one.
  fileprivate init?(play object: JSONObject) {
    guard let list = object["names"]?.array, let place = object["place"]?.string,
      let thing = object["thing"]?.string
    else { return nil }
    checks = [.play(names: list.compactMap(\.string), place: place, thing: thing)]
  }
}

extension EvaluationExample {
  /// Takes the last answer of a data set's example as the right one.
  fileprivate mutating func take(_ example: TrainingExample) {
    whole = example
    guard case .chat(var said, let tools) = example.content, var last = said.popLast() else {
      return
    }
    // The last answer is measured, even where training leaves it out.
    last.isLearnt = true
    whole = TrainingExample(
      .chat(said + [last], tools: tools), rejected: example.rejected, line: example.line)
    messages = said
    self.tools = tools
    expected = last.shown
    if let rejected = example.rejected { options = [last, rejected].map(\.shown) }
    let format = messages.last { $0.responseFormat != nil }?.responseFormat
    schema = format.flatMap { try? SchemaCheck($0.schema) }
  }
}

extension TrainingMessage {
  /// The text with the calls of tools behind it.
  fileprivate var shown: String {
    toolCalls.map { content + AnswerRule.callText($0) } ?? content
  }
}

extension AnswerRule {
  /// Calls of tools as they stand in answers that are judged.
  package static func callText(_ calls: JSONValue) -> String {
    "```function\n\(calls.line)```"
  }
}
