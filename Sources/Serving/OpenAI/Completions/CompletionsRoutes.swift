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
    let jobs = try Completions.jobs(request, model)
    let form = request.stream.map { _ in ChatCompletionsStream.form }
    return try http.awaiting(form) { () throws(ServingError) in
      guard let run = try run(jobs, on: model, http) else { return nil }
      let completions = Completions(request, jobs, run)
      if let options = request.stream { return .events(CompletionsStream(completions, options)) }
      return try completions.whole().map { .json(.object($0)) }
    }
  }
}
