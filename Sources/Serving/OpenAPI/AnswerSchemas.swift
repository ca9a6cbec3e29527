import JSON

/// What routes answer, by their paths.
enum AnswerSchemas {
  struct Answer {
    let summary: String
    /// The types that the answer may have, with the schema of each.
    let content: [(type: String, schema: JSONObject)]
  }

  /// Nil where a route has no answer but that it is not supported.
  static func answer(of route: InferenceServer.Route) -> Answer? {
    answers["\(route.method) \(route.path)"] ?? answers[route.path]
  }

  private static let json = "application/json"
  private static let (text, integer, number, flag) = (
    JSONObject.schema("string"), JSONObject.schema("integer"), JSONObject.schema("number"),
    JSONObject.schema("boolean")
  )
  private static let (list, object) = (JSONObject.schema("array"), JSONObject.schema("object"))

  /// An object that has these fields at least.
  private static func object(_ fields: [(String, JSONObject)]) -> JSONObject {
    var properties: JSONObject = [:]
    for (key, schema) in fields { properties[key] = .object(schema) }
    return .schema(
      "object",
      [
        "properties": .object(properties), "required": .array(fields.map { .string($0.0) }),
      ])
  }

  private static func array(of schema: JSONObject) -> JSONObject {
    .schema("array", ["items": .object(schema)])
  }

  private static func word(_ word: String) -> JSONObject { ["const": .string(word)] }

  /// An answer that is a JSON value, or else comes in pieces of another type.
  private static func answer(
    _ summary: String, _ schema: JSONObject, stream: String? = nil
  ) -> Answer {
    Answer(
      summary: summary,
      content: [(json, schema)] + (stream.map { [($0, JSONObject())] } ?? []))
  }

  private static let events = "text/event-stream"

  private static let usage = object([
    ("prompt_tokens", integer), ("completion_tokens", integer), ("total_tokens", integer),
  ])

  private static func completion(_ kind: String, _ choice: [(String, JSONObject)]) -> JSONObject {
    object([
      ("id", text), ("object", word(kind)), ("created", integer), ("model", text),
      ("system_fingerprint", text),
      (
        "choices",
        array(of: object([("index", integer), ("finish_reason", text)] + choice))
      ), ("usage", usage),
    ])
  }

  private static let chat = answer(
    "Answer a chat.",
    completion("chat.completion", [("message", object([("role", word("assistant"))]))]),
    stream: events)

  private static let response = answer(
    "Answer a chat or a text, in items.",
    object([
      ("id", text), ("object", word("response")), ("created_at", integer), ("status", text),
      ("model", text), ("output", array(of: object([("type", text), ("id", text)]))),
      ("usage", object([("input_tokens", integer), ("output_tokens", integer)])),
    ]), stream: events)

  private static let card = object([
    ("id", text), ("object", word("model")), ("created", integer), ("owned_by", text),
  ])

  private static let lines = "application/x-ndjson"

  private static let answers: [String: Answer] = [
    "/health": answer("Whether the server answers.", object([("status", text)])),
    "/metrics": Answer(summary: "Counts for Prometheus.", content: [("text/plain", text)]),
    "/openapi.json": answer(
      "This description.", object([("openapi", text), ("paths", object)])),
    "/v1/models": answer(
      "The models that there are.", object([("object", word("list")), ("data", array(of: card))])),
    "/v1/models/": answer("A model.", card),
    "/v1/chat/completions": chat, "/chat/completions": chat,
    "/v1/completions": answer(
      "Continue texts.", completion("text_completion", [("text", text)]), stream: events),
    "/v1/responses": response, "/responses": response,
    "/v1/messages": answer(
      "Answer a chat, in blocks.",
      object([
        ("id", text), ("type", word("message")), ("role", word("assistant")), ("model", text),
        ("content", array(of: object([("type", text)]))), ("stop_reason", text),
        ("usage", object([("input_tokens", integer), ("output_tokens", integer)])),
      ]), stream: events),
    "/v1/messages/count_tokens": answer(
      "The tokens of a chat.", object([("input_tokens", integer)])),
    "/": Answer(summary: "Whether Ollama's interface is there.", content: [("text/plain", text)]),
    "/api/version": answer("A version of Ollama.", object([("version", text)])),
    "/api/tags": answer("The models that there are.", object([("models", list)])),
    "/api/ps": answer("The models that are open.", object([("models", list)])),
    "/api/show": answer("A model.", object([("details", object), ("model_info", object)])),
    "/api/chat": answer(
      "Answer a chat.",
      object([("model", text), ("created_at", text), ("message", object), ("done", flag)]),
      stream: lines),
    "/api/generate": answer(
      "Answer a text.",
      object([("model", text), ("created_at", text), ("response", text), ("done", flag)]),
      stream: lines),
    "/tokenize": answer("The tokens of a text or a chat.", object([("tokens", list)])),
    "/detokenize": answer(
      "The text of tokens.", object([("content", text), ("prompt", text)])),
    "/v1/load_lora_adapter": Answer(
      summary: "Load an adapter from a folder.", content: [("text/plain", text)]),
    "/v1/unload_lora_adapter": Answer(
      summary: "Let go of an adapter that was loaded.", content: [("text/plain", text)]),
    "GET /lora-adapters": answer(
      "The adapters by number, with the strengths that a base has.",
      array(of: object([("id", integer), ("path", text), ("scale", number)]))),
    "POST /lora-adapters": answer(
      "Set the strengths that a base has.", object([("success", flag)])),
  ]

  /// How errors look.
  static func error(_ interface: Interface) -> JSONObject {
    switch interface {
    case .openAI: object([("error", object([("message", text), ("type", text)]))])
    case .anthropic:
      object([("type", word("error")), ("error", object([("type", text), ("message", text)]))])
    case .ollama: object([("error", text)])
    }
  }
}
