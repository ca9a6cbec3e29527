import JSON

extension InferenceServer {
  /// The routes of OpenAI's Responses interface, of which no response is kept.
  static let responsesRoutes =
    ["/v1/responses", "/responses"].map { path in
      Route(method: "POST", path: path) { server, request throws(ServingError) in
        try server.respond(request)
      }
    } + refusedResponsesRoutes

  private static let refusedResponsesRoutes = [
    ("POST", "/v1/responses/compact"), ("POST", "/responses/compact"), ("GET", "/v1/responses/"),
    ("DELETE", "/v1/responses/"),
  ].map { method, path in
    Route(method: method, path: path) { _, _ throws(ServingError) in
      throw ServingError(
        .notFound, "\(method) \(path) is not supported: no response is kept here.",
        code: "unsupported_route")
    }
  }

  private func respond(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse? {
    let request = try ResponsesRequest(http.body)
    return try http.awaiting(request.isStreamed ? ResponsesStream.form : nil) {
      () throws(ServingError) in
      guard let run = try run(request.generation, model: request.model, http) else { return nil }
      let response = Response(run: run, request: request)
      if request.isStreamed { return .events(ResponsesStream(response)) }
      return try response.whole().map { .json(.object($0)) }
    }
  }
}
