import JSON

extension InferenceServer {
  /// The routes of OpenAI's older interface, which continues texts.
  static let completionsRoutes = [
    Route(method: "POST", path: "/v1/completions") { server, request throws(ServingError) in
      try server.goOn(request)
    }
  ]

  private func goOn(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse? {
    let request = try CompletionsRequest(http.body, answerLimit: models.options.answerLimit)
    let model = try models.model(named: request.model, lora: request.generations.first?.lora)
    let completions = try Completions(request, model) { generation, prompt throws(ServingError) in
      try self.run(generation, prompt, model, count: request.count, http)
    }
    guard let completions else { return nil }
    if let options = request.stream { return .events(CompletionsStream(completions, options)) }
    return try completions.whole().map { .json(.object($0)) }
  }
}
