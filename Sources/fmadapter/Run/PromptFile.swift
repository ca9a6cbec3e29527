import AdapterTraining
import ChatTemplates
import JSON
import SystemFiles

/// Prompts in a file, one JSON value a line: an object with `prompt` or `messages`, a list of messages, or a text.
///
/// Answers at the end of messages are left out, so that data sets can be asked, too. Blank lines are passed over.
struct PromptFile {
  /// What is asked on one line.
  struct Prompt {
    let messages: [ChatMessage]
    /// What is asked, where it has calls of tools, or tools; nil where the messages say it all.
    let chat: AskedChat?
    /// The line as an object, which the answer joins.
    let object: JSONObject
  }

  /// As it is called in messages.
  let path: String
  /// Whether it can be read only once.
  let isStream: Bool
  private(set) var prompts: [Prompt]
  /// How many prompts of the file stand before them.
  private(set) var first = 0
  /// What lines say to a model elsewhere, such as in files to measure on, and nothing reads here.
  private(set) var unread = UnreadKeys()

  /// Reads the file or the pipe at `path`, or for `-` standard input.
  ///
  /// - Throws: `Failure` for the first line that asks nothing.
  init(path: String, _ terminal: Terminal) throws {
    let stream =
      path == "-"
      ? try InputText.standardInput(terminal) : try InputText.stream(path)
    try self.init(
      stream ?? InputText.file(path), isStream: stream != nil,
      named: path == "-" ? "standard input" : path)
  }

  /// - Throws: `Failure` for the first line that asks nothing.
  init(_ bytes: [UInt8], isStream: Bool = false, named path: String) throws {
    (self.path, self.isStream) = (path, isStream)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var prompts: [Prompt] = []
    for (index, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      let prompt = try Self.prompt(Array(line), "\(path): line \(index + 1)")
      for key in prompt.unread { unread.note(key, line: index + 1) }
      prompts.append(prompt)
    }
    guard !prompts.isEmpty else { throw Failure(.invalid, "\(path): there is no prompt in it") }
    self.prompts = prompts
  }

  /// Keeps the prompts of a shard alone, which may be none.
  mutating func keep(_ shard: Shard) {
    let range = shard.range(of: prompts.count)
    (prompts, first) = (Array(prompts[range]), first + range.lowerBound)
  }

  private static let lists: ErrorText =
    "\(remedy: "'jq -c .[]' puts all of a list on lines of their own, for --input -")"

  private static func prompt(_ line: [UInt8], _ place: String) throws -> Prompt {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONDocument(parsing: line).root
    } catch {
      // JSON of several lines, or a text.
      let begins = line.first { $0 > 0x20 }.map { Array("[{".utf8).contains($0) } ?? false
      throw Failure(
        .invalid,
        "\(place) is not JSON: \(error)"
          + (begins ? lists : "\(remedy: "'jq -R .' makes JSON of plain lines, for --input -")"))
    }
    switch value {
    case .string(let text): return Prompt(asking: text, ["prompt": value])
    case .array(let list):
      if list.first?.object?["prompt"] != nil {
        throw Failure(.invalid, "\(place) is a list of prompts" + lists)
      }
      return try Prompt(asking: list, ["messages": value], place)
    case .object(let object):
      if let text = object["prompt"]?.string { return Prompt(asking: text, object) }
      if let list = object["messages"]?.array { return try Prompt(asking: list, object, place) }
      throw Failure(
        .invalid, "\(place) has neither a text called prompt nor a list called messages")
    default:
      throw Failure(
        .invalid,
        "\(place) is \(value.kind)\(remedy: "give an object with prompt or messages, or a text")")
    }
  }
}

extension PromptFile.Prompt {
  /// Whether `row` is an answer to it, or to one that asks the same.
  func isAsked(by row: JSONObject) -> Bool {
    ["prompt", "messages"].allSatisfy { object[$0] == row[$0] }
  }

  /// Keys that would change the answer where they are read; any others only come along.
  private static let telling: Set = [
    "instructions", "system", "tools", "schema", "response_format", "options",
  ]

  /// Keys of messages that data sets know, and that are read as there.
  private static let known = Set(ChatMessage.thoughtKeys).union([
    "tools", "tool_calls", "tool_call_id", "response_format",
  ])

  /// The keys of the line that are not read though they tell a model something, each once.
  fileprivate var unread: [String] {
    let messages = object["prompt"]?.string == nil ? object["messages"]?.array ?? [] : []
    let others = messages.compactMap(\.object).flatMap { message in
      // The name of a tool stands on its result.
      let known = Self.known.union(message["role"] == .string("tool") ? ["name"] : [])
      return message.members.filter {
        !["role", "content"].contains($0.key) && !known.contains($0.key) && !$0.value.saysNothing
      }
    }
    let readsTools = !messages.isEmpty && Self.tools(object) != nil
    return object.members.filter {
      Self.telling.contains($0.key) && !$0.value.saysNothing
        && !(readsTools && $0.key == "tools")
    }.map(\.key)
      + Set(others.map { "messages[].\($0.key)" }).sorted()
  }

  /// Definitions of tools beside the messages; nil where there are only names, or none.
  private static func tools(_ object: JSONObject) -> JSONValue? {
    guard let tools = object["tools"], let list = tools.list, !list.isEmpty,
      list.allSatisfy({ $0.object != nil })
    else { return nil }
    return tools
  }

  fileprivate init(asking text: String, _ object: JSONObject) {
    self.init(
      messages: [ChatMessage(role: .user, content: text)], chat: nil, object: object)
  }

  /// A line with `messages`, whose answers at the end are left out.
  fileprivate init(asking messages: [JSONValue], _ object: JSONObject, _ place: String) throws {
    let isAnswer = { (value: JSONValue) in value.object?["role"]?.string == "assistant" }
    let asked = messages.reversed().drop(while: isAnswer).reversed()
    let tools = Self.tools(object)
    let isKnown = { (member: JSONObject.Member) in
      Self.known.contains(member.key) && !member.value.saysNothing
    }
    let saysMore = asked.compactMap(\.object).flatMap(\.members).contains(where: isKnown)
    guard tools != nil || saysMore, !asked.isEmpty else {
      self.init(messages: try Self.plain(messages, place), chat: nil, object: object)
      return
    }
    var defect: String?
    guard let chat = AskedChat(Array(asked), tools: tools, defect: &defect) else {
      throw Failure(.invalid, "\(place): \(defect ?? "asks nothing")")
    }
    self.init(
      messages: chat.messages.map(\.said), chat: chat.hasTools ? chat : nil, object: object)
  }

  private static func plain(_ list: [JSONValue], _ place: String) throws -> [ChatMessage] {
    var defect: String?
    guard var messages = TrainingMessage.plain(list, defect: &defect)?.map(\.said) else {
      throw Failure(.invalid, "\(place): \(defect ?? "")")
    }
    while messages.last?.role == .assistant { messages.removeLast() }
    guard !messages.isEmpty else { throw Failure(.invalid, "\(place) asks nothing") }
    return messages
  }
}
