import FoundationEssentials
import JSON
import Synchronization

extension InferenceServer {
  /// The routes of OpenAI's interface, with the short names that llama.cpp's server has for them.
  static let openAIRoutes =
    [
      Route(method: "GET", path: "/v1/models") { server, _ throws(ServingError) in
        try server.listModels()
      },
      Route(method: "GET", path: "/v1/models/") { server, request throws(ServingError) in
        try server.model(String(request.path.dropFirst("/v1/models/".count)))
      },
      Route(method: "POST", path: "/v1/chat/completions") { server, request throws(ServingError) in
        try server.complete(request)
      },
      Route(method: "POST", path: "/chat/completions") { server, request throws(ServingError) in
        try server.complete(request)
      },
    ] + refusedRoutes

  /// Routes that clients try, and that are not here.
  private static let refusedRoutes = [
    "/v1/embeddings", "/v1/audio/speech", "/v1/audio/transcriptions", "/v1/images/generations",
    "/v1/files", "/v1/batches",
  ].map { path in
    Route(method: "POST", path: path) { _, _ throws(ServingError) in
      throw ServingError(
        .notFound, "\(path) is not supported: the models here write text.",
        code: "unsupported_route")
    }
  }

  private func complete(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse? {
    let request = try ChatCompletionsRequest(http.body, answerLimit: models.options.answerLimit)
    let form = request.stream.map { _ in ChatCompletionsStream.form }
    return try http.awaiting(form) { () throws(ServingError) in
      guard
        let run = try run(request.generation, model: request.model, count: request.count, http)
      else { return nil }
      let completions = ChatCompletions(run, likeliest: request.generation.likeliest)
      if let options = request.stream {
        return .events(ChatCompletionsStream(completions, options))
      }
      return try completions.whole().map { .json(.object($0)) }
    }
  }

  /// The base first, then what is installed; OpenAI's and Anthropic's clients both read it.
  private func listModels() throws(ServingError) -> HTTPResponse {
    try listed("/v1/models") { () throws(ServingError) in list(try models.cards()) }
  }

  private func list(_ models: [ModelCard]) -> JSONValue {
    let cards = models.map(card)
    let ids = cards.compactMap { $0["id"] }
    return .object([
      "object": .string("list"), "data": .array(cards.map { .object($0) }),
      "has_more": .bool(false), "first_id": ids.first ?? .null, "last_id": ids.last ?? .null,
    ])
  }

  private func model(_ name: String) throws(ServingError) -> HTTPResponse {
    guard let found = try models.cards().first(where: { $0.name == name }) else {
      throw ServedModels.missing(name)
    }
    return .json(.object(card(found)))
  }

  private func card(_ card: ModelCard) -> JSONObject {
    let date = card.installed.formatted(.iso8601)
    return [
      "id": .string(card.name), "object": .string("model"),
      "created": .integer(Int(card.installed.timeIntervalSince1970)),
      "owned_by": .string("fmadapter"), "root": .string(card.identity),
      "parent": .text(card.parent), "max_model_len": .integer(models.base.contextLength),
      "type": .string("model"), "display_name": .string(card.name), "created_at": .string(date),
    ]
  }
}
