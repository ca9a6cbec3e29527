extension InferenceServer {
  /// The routes of Ollama's interface.
  static let ollamaRoutes: [Route] = []
}
