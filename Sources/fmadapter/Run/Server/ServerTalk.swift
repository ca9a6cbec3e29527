import ChatTemplates
import Chats
import JSON
import SystemFiles

/// A talk with a model of a server: what was said, and how answers are asked for.
final class ServerTalk {
  private let server: ServerConnection
  private let model: String
  /// What each request has beside its messages and tools.
  private let options: JSONObject
  private let opening: [ChatMessage]
  private let tools: [ToolProgram]
  private let rounds: ToolRounds
  private let asks: Bool
  private let terminal: Terminal
  /// What user, model and tools said in turn.
  private(set) var messages: [ChatMessage] = []

  init(
    _ server: ServerConnection, model: String, _ arguments: ParsedArguments,
    tools: [ToolProgram], _ terminal: Terminal
  ) throws {
    (self.server, self.model, self.tools, self.terminal) = (server, model, tools, terminal)
    options = try Self.options(arguments)
    opening =
      arguments.value(AnswerOptions.instructions)
      .map { [ChatMessage(role: .system, content: $0)] } ?? []
    rounds = ToolOptions.rounds(arguments)
    asks = !arguments.has(ToolOptions.yes)
  }

  private static func options(_ arguments: ParsedArguments) throws -> JSONObject {
    func number(_ option: Option<Float>) -> JSONValue? {
      // As typed: 0.8 is none of the numbers that a computer has.
      arguments.value(option).map { .number(JSONNumber(Double("\($0)") ?? 0)) }
    }
    var options: JSONObject = [:]
    options["temperature"] = number(AnswerOptions.temperature)
    options["top_p"] = number(AnswerOptions.topP)
    options["min_p"] = number(AnswerOptions.minP)
    options["repetition_penalty"] = number(AnswerOptions.repetitionPenalty)
    options["top_k"] = arguments.value(AnswerOptions.topK).map { .number(JSONNumber($0)) }
    options["seed"] = try arguments.value(AnswerOptions.seed).map(seed)
    options["max_completion_tokens"] = arguments.value(AnswerOptions.maximumTokens)
      .map { .number(JSONNumber($0)) }
    if let path = arguments.value(AnswerOptions.schema) {
      let schema = try InputText.json(path)
      options["response_format"] = .object([
        "type": .string("json_schema"),
        "json_schema": .object([
          "name": .string("answer"), "strict": .bool(schema.isStrict), "schema": schema,
        ]),
      ])
    }
    return options
  }

  private static func seed(_ seed: UInt64) throws -> JSONValue {
    guard let seed = Int(exactly: seed) else {
      throw Failure(
        .usage, "a server takes no seed above \(Int.max)\(remedy: "take a smaller --seed")")
    }
    return .number(JSONNumber(seed))
  }

  /// Forgets everything but the instructions.
  func reset() { messages = [] }

  /// Takes the last message back, with all that came of it; nil where there is none.
  func takeBack() -> String? {
    guard let place = messages.lastIndex(where: { $0.role == .user }) else { return nil }
    defer { messages.removeSubrange(place...) }
    return messages[place].content
  }

  /// Answers `message` and hands out text and thoughts as they come; an error leaves the talk as it was before.
  ///
  /// Once `isStopped` is true the answer ends where it is. `pause` is called before a tool runs, between two parts of the text.
  func answer(
    _ message: String, isStopped: () -> Bool = { false }, pause: () -> Void = {},
    emit: (ServerAnswer.Part) -> Void
  ) async throws -> ServerAnswer {
    var said = messages + [ChatMessage(role: .user, content: message)]
    var answer = ServerAnswer(model: model, server: server.origin)
    let start = ContinuousClock.now
    var (rounds, runs) = (self.rounds, [ToolProgram.Run]())
    while true {
      if let note = rounds.note { terminal.note(note) }
      do {
        try await server.complete(body(said, rounds)) { answer.take($0).forEach(emit) }
      } catch let error as CancellationError {
        guard isStopped(), !Task.isCancelled else { throw error }
        answer.finish = "interrupted"
      }
      let reply = try answer.endPart()
      guard !reply.toolCalls.isEmpty, answer.finish != "interrupted" else {
        said.append(reply)
        break
      }
      pause()
      rounds.note(reply.toolCalls)
      let results = try run(reply.toolCalls, isStopped)
      runs += results
      said.append(reply)
      said += zip(reply.toolCalls, results).map { ChatMessage(resultOf: $0, content: $1.output) }
    }
    messages = said
    answer.toolCalls = tools.isEmpty ? nil : runs
    answer.seconds = start.duration(to: .now).inSeconds
    return answer
  }

  /// What the tools that were called have put out; a server may name one that was never offered.
  private func run(
    _ calls: [ChatToolCall], _ isStopped: () -> Bool
  ) throws -> [ToolProgram.Run] {
    try calls.flatMap { call in
      guard tools.contains(where: { $0.tool.name == call.name }) else {
        return [
          ToolProgram.Run(
            name: call.name, arguments: call.arguments,
            output: "There is no tool of this name.", status: nil)
        ]
      }
      return try tools.run([call], asks: asks, terminal) { isStopped() || Task.isCancelled }
    }
  }

  private func body(_ messages: [ChatMessage], _ rounds: ToolRounds) -> JSONObject {
    var body: JSONObject = [
      "model": .string(model), "stream": .bool(true),
      "stream_options": .object(["include_usage": .bool(true)]),
      "messages": .array((opening + messages).map { .object($0.serverForm) }),
    ]
    for member in options.members { body[member.key] = member.value }
    guard !tools.isEmpty else { return body }
    body["tools"] = .array(tools.map(\.tool.definition))
    let choice =
      switch rounds.calling {
      case .required: "required"
      case .disallowed: "none"
      default: "auto"
      }
    body["tool_choice"] = .string(choice)
    return body
  }
}

extension ChatMessage {
  /// The message as chat completions have it.
  fileprivate var serverForm: JSONObject {
    var object: JSONObject = ["role": .string(role.rawValue), "content": .string(content)]
    if !toolCalls.isEmpty {
      if content.isEmpty { object["content"] = .null }
      object["tool_calls"] = .array(
        toolCalls.map { call in
          .object([
            "id": .string(call.id), "type": .string("function"),
            "function": .object([
              "name": .string(call.name), "arguments": .string(call.arguments.line),
            ]),
          ])
        })
    }
    if let answeredCall { object["tool_call_id"] = .string(answeredCall.id) }
    return object
  }
}

extension JSONValue {
  /// Whether OpenAI's strict mode takes the schema: all properties of each object are required, and there are no others.
  fileprivate var isStrict: Bool {
    switch self {
    case .object(let object):
      if let properties = object["properties"]?.object {
        let required = object["required"]?.array?.compactMap(\.string) ?? []
        guard Set(properties.keys) == Set(required),
          object["additionalProperties"] == .bool(false)
        else { return false }
      }
      return object.members.allSatisfy { $0.value.isStrict }
    case .array(let values): return values.allSatisfy(\.isStrict)
    default: return true
    }
  }
}
