import AdapterTraining
import Adapters
import ChatTemplates
import TensorFiles

/// Prompts in a file, one JSON value a line: an object with `prompt` or `messages`, a list of messages, or a text.
///
/// Answers at the end of messages are left out, so that data sets can be asked, too. Blank lines are passed over.
struct PromptFile {
  /// What is asked on one line.
  struct Prompt {
    let messages: [ChatMessage]
    /// The line as an object, which the answer joins.
    let object: JSONObject
  }

  /// As it is called in messages.
  let path: String
  /// Whether it can be read only once.
  let isStream: Bool
  let prompts: [Prompt]
  /// What lines say to a model elsewhere, such as in files to measure on, and nothing reads here.
  private(set) var unread = UnreadKeys()

  /// Reads the file or the pipe at `path`, or for `-` standard input.
  ///
  /// - Throws: `Failure` for the first line that asks nothing.
  init(path: String, _ terminal: Terminal) throws {
    let stream =
      path == "-"
      ? try InputText.standardInput(terminal) : TerminalControl.readStream(at: path)
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

  private static func prompt(_ line: [UInt8], _ place: String) throws -> Prompt {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONDocument(parsing: line).root
    } catch {
      throw Failure(.invalid, "\(place) is not JSON: \(error)")
    }
    switch value {
    case .string(let text): return Prompt(asking: text, ["prompt": value])
    case .array(let list):
      return Prompt(try messages(list, place), ["messages": value])
    case .object(let object):
      if let text = object["prompt"]?.string { return Prompt(asking: text, object) }
      if let list = object["messages"]?.array { return Prompt(try messages(list, place), object) }
      throw Failure(
        .invalid, "\(place) has neither a text called prompt nor a list called messages")
    default:
      throw Failure(
        .invalid,
        "\(place) is \(value.kind)\(remedy: "give an object with prompt or messages, or a text")")
    }
  }

  private static func messages(_ list: [JSONValue], _ place: String) throws -> [ChatMessage] {
    var messages: [ChatMessage] = []
    for (index, value) in list.enumerated() {
      guard let role = value.object?["role"]?.string.flatMap(ChatRole.init(rawValue:)),
        let content = value.object?["content"]?.string
      else {
        throw Failure(
          .invalid,
          "\(place): message \(index + 1) is no object with a role (system, user, assistant or tool) and a text called content"
        )
      }
      messages.append(ChatMessage(role: role, content: content))
    }
    while messages.last?.role == .assistant { messages.removeLast() }
    guard !messages.isEmpty else { throw Failure(.invalid, "\(place) asks nothing") }
    return messages
  }
}

extension PromptFile.Prompt {
  /// Keys that would change the answer where they are read; any others only come along.
  private static let telling: Set = [
    "instructions", "system", "tools", "schema", "response_format", "options",
  ]

  /// The keys of the line that are not read though they tell a model something, each once.
  fileprivate var unread: [String] {
    let messages = object["prompt"]?.string == nil ? object["messages"]?.array ?? [] : []
    let others = messages.compactMap(\.object).flatMap(\.members)
      .filter { !["role", "content"].contains($0.key) && $0.value != .null }
    return object.members.filter { Self.telling.contains($0.key) && $0.value != .null }.map(\.key)
      + Set(others.map { "messages[].\($0.key)" }).sorted()
  }

  fileprivate init(asking text: String, _ object: JSONObject) {
    self.init([ChatMessage(role: .user, content: text)], object)
  }

  fileprivate init(_ messages: [ChatMessage], _ object: JSONObject) {
    (self.messages, self.object) = (messages, object)
  }
}
