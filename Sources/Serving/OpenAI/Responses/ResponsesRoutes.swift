extension InferenceServer {
  /// The routes of OpenAI's Responses interface.
  static let responsesRoutes: [Route] = []
}
