import LanguageModels

extension LanguageModelSession.GenerationError {
  /// The error that a session throws for `error`: one of these, where there is one for it.
  static func mapping(_ error: any Error) -> any Error {
    switch error {
    case let failure as ModelFailure: assetsUnavailable(failure.reason)
    case let error as LanguageModelError: mapping(error)
    default: error
    }
  }

  private static func mapping(_ error: LanguageModelError) -> any Error {
    let context = Context(debugDescription: error.description)
    return switch error {
    case .cancelled: CancellationError()
    case .contextExceeded: Self.exceededContextWindowSize(context)
    case .noTokenAllowed, .grammar: Self.unsupportedGuide(context)
    case .invalidOption, .chat(.nothingToAnswer), .chat(.unsupportedRole): error
    default: Self.assetsUnavailable(context)
    }
  }

  static func assetsUnavailable(_ text: String) -> Self {
    .assetsUnavailable(Context(debugDescription: text))
  }
}

extension SystemLanguageModel {
  /// The open model, with the error that a session would throw.
  func opened() throws(LanguageModelSession.GenerationError) -> LoadedModel {
    do throws(ModelFailure) {
      return try load()
    } catch {
      throw .assetsUnavailable(error.reason)
    }
  }
}
