public import FoundationModels

extension SystemLanguageModel.Guardrails {
  /// Checks of one's own, in this order.
  public init(checks: [any ContentCheck]) { self.init(ContentChecks(checks: checks)) }

  /// Checks of one's own, but not where the response is a string.
  public static func permissiveContentTransformations(checks: [any ContentCheck]) -> Self {
    Self(ContentChecks(checks: checks), sparesStrings: true)
  }

  /// What `default` stands for in this process; none unless set.
  public static var defaultChecks: [any ContentCheck] {
    get { (standard as? ContentChecks)?.checks ?? [] }
    set { standard = ContentChecks(checks: newValue) }
  }
}

/// Checks that judge every request to a model, but those that a check itself makes.
struct ContentChecks: ContentGuard {
  /// Whether a check is at work.
  @TaskLocal static var isJudging = false

  let checks: [any ContentCheck]

  func answer(
    _ request: LanguageModelExecutorGenerationRequest, by model: SystemLanguageModel,
    into channel: LanguageModelExecutorGenerationChannel,
    _ generate:
      @escaping @Sendable (LanguageModelExecutorGenerationChannel) async throws -> Void
  ) async throws {
    guard !checks.isEmpty, !Self.isJudging else { return try await generate(channel) }
    let guarded = GuardedRequest(
      checks: checks, passed: request.passed, model: ObjectIdentifier(model))
    try await guarded.admit(request.transcript)
    try await guarded.answer(into: channel, generate)
  }
}
