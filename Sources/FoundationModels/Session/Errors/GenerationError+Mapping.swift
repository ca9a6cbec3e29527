import ChatTemplates
import Grammars
import LanguageModels

extension LanguageModelSession.GenerationError {
  /// The error that a session throws for `error`: one of these, where there is one for it.
  static func mapping(_ error: any Error) -> any Error {
    switch error {
    case let failure as ModelFailure: assetsUnavailable(failure.reason)
    case let error as LanguageModelError: mapping(error)
    case let error as GrammarDefect: unsupportedGuide(Context(debugDescription: error.description))
    case ChatDefect.nothingToAnswer, ChatDefect.unsupportedRole: error
    case let error as ChatDefect: assetsUnavailable(error.description)
    default: error
    }
  }

  private static func mapping(_ error: LanguageModelError) -> any Error {
    let context = Context(debugDescription: error.description)
    return switch error {
    case .cancelled: CancellationError()
    case .contextExceeded: Self.exceededContextWindowSize(context)
    case .noTokenAllowed, .grammar: Self.unsupportedGuide(context)
    case .invalidOption: error
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
