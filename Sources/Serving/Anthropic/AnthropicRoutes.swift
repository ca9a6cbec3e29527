import JSON

extension InferenceServer {
  /// The routes of Anthropic's interface.
  static let anthropicRoutes = [
    Route(method: "POST", path: "/v1/messages") { server, request throws(ServingError) in
      try server.answerMessages(request)
    },
    Route(method: "POST", path: "/v1/messages/count_tokens") {
      server, request throws(ServingError) in
      try server.countTokens(request)
    },
  ]

  private func answerMessages(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse? {
    let request = try AnthropicRequest(http.body)
    return try http.awaiting(request.isStream ? AnthropicStream.form : nil) {
      () throws(ServingError) in
      guard let run = try run(request.generation, model: request.model, http) else { return nil }
      let message = AnthropicMessage(run: run, request: request)
      if request.isStream { return .events(AnthropicStream(message)) }
      return try message.whole().map { .json(.object($0)) }
    }
  }

  private func countTokens(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let request = try AnthropicRequest(http.body, isCounted: true)
    let model = try models.model(named: request.model)
    let prompt = try GenerationPrompt(request.generation, model, isCounted: true)
    return .json(.object(["input_tokens": .integer(prompt.tokens.count)]))
  }
}
