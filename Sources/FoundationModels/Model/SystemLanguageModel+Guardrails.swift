extension SystemLanguageModel {
  /// What is to happen with sensitive content.
  ///
  /// There is no model here that could judge content, so nothing is checked under either value, and
  /// `LanguageModelSession.GenerationError.guardrailViolation` is never thrown. Both exist so that code written for
  /// Apple's framework compiles; check what goes in and out yourself where it matters.
  public struct Guardrails: Sendable {
    private let name: String

    /// The value that stands for Apple's checks; checks nothing here.
    public static let `default` = Guardrails(name: "default")
    /// The value that stands for transforming sensitive text without checks; checks nothing here either.
    public static let permissiveContentTransformations = Guardrails(
      name: "permissiveContentTransformations")
  }
}
