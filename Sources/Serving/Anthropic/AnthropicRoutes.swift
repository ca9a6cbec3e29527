extension InferenceServer {
  /// The routes of Anthropic's interface.
  static let anthropicRoutes: [Route] = []
}
