import ChatTemplates
import FoundationEssentials
import JSON
import LanguageModels
import Tokenization

/// What answers of Ollama's interface and their streams have in common.
struct OllamaAnswer {
  let run: GenerationRun
  let kind: OllamaRequest.Kind
  /// When the request came.
  let start: ContinuousClock.Instant
  /// Until the model was there and the request had its place.
  private let loading: Duration
  private let logs: TokenLogs?

  init(_ run: GenerationRun, _ request: OllamaRequest, since start: ContinuousClock.Instant) {
    (self.run, kind, self.start, loading) = (run, request.kind, start, .now - start)
    logs = request.generation?.likeliest.map { _ in
      TokenLogs(tokenizer: run.model.base.tokenizer)
    }
  }

  /// An object of an answer, of which these parts are there.
  static func object(
    _ kind: OllamaRequest.Kind, model: String, text: String = "", thought: String = "",
    calls: [ChatToolCall] = [], done: Bool = false
  ) -> JSONObject {
    var object: JSONObject = ["model": .string(model), "created_at": .string(date(Date()))]
    var said: JSONObject = kind == .chat ? ["role": .string("assistant")] : [:]
    said[kind == .chat ? "content" : "response"] = .string(text)
    if !thought.isEmpty { said["thinking"] = .string(thought) }
    if !calls.isEmpty {
      said["tool_calls"] = .array(calls.enumerated().map { call($1, index: $0) })
    }
    switch kind {
    case .chat: object["message"] = .object(said)
    case .generate: for member in said.members { object[member.key] = member.value }
    }
    object["done"] = .bool(done)
    return object
  }

  private static func call(_ call: ChatToolCall, index: Int) -> JSONValue {
    let function: JSONObject = [
      "index": .integer(index), "name": .string(call.name), "arguments": call.arguments,
    ]
    return .object(["id": .string("call_\(RandomID.make())"), "function": .object(function)])
  }

  /// The answer to a request that asks for none.
  static func empty(_ request: OllamaRequest) -> JSONObject {
    var object = object(request.kind, model: request.model, done: true)
    object["done_reason"] = .string(request.unloads ? "unload" : "load")
    return object
  }

  static func date(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  func object(_ piece: Generation.Piece, calls: [ChatToolCall] = []) -> JSONObject {
    var object = Self.object(
      kind, model: run.model.name, text: piece.text, thought: piece.thought, calls: calls)
    if let logs, !piece.reports.isEmpty { object["logprobs"] = .array(logs.tokens(piece.reports)) }
    return object
  }

  /// Adds what is known once an answer has ended.
  func finish(_ object: inout JSONObject, _ end: Generation.End) {
    let statistics = run.statistics
    object["done"] = .bool(true)
    object["done_reason"] = .string(end == .length ? "length" : "stop")
    object["total_duration"] = Self.nanoseconds(.now - start)
    object["load_duration"] = Self.nanoseconds(loading)
    object["prompt_eval_count"] = .integer(run.usage.prompt)
    object["prompt_eval_duration"] = Self.nanoseconds(statistics.prefillTime)
    object["eval_count"] = .integer(run.usage.generated)
    object["eval_duration"] = Self.nanoseconds(statistics.decodeTime)
  }

  private static func nanoseconds(_ time: Duration) -> JSONValue {
    let (seconds, attoseconds) = time.components
    return .integer(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  /// All of the answer, once it has come; nil where the client has gone.
  func whole() throws(ServingError) -> JSONObject? {
    var all = Generation.Piece()
    while let piece = try run.next() { all.append(piece) }
    guard let end = run.end else { return nil }
    var object = object(all, calls: end.calls)
    finish(&object, end)
    return object
  }
}
