import FoundationModels

extension FallbackModel.Reason {
  /// Why a model that has thrown `error` would pass a request on; nil for a cancelled task.
  init?(_ error: any Error) {
    switch error {
    case is CancellationError: return nil
    case let error as LanguageModelSession.GenerationError: self = Self.reason(error)
    case let error as LanguageModelError: self = Self.reason(error)
    case is SystemLanguageModel.Error, is PrivateCloudComputeLanguageModel.Error:
      self = .unavailable
    case let error as any FallbackReasoning: self = error.fallbackReason
    default: self = .error
    }
  }

  private static func reason(_ error: LanguageModelSession.GenerationError) -> Self {
    switch error {
    case .exceededContextWindowSize: .tooLong
    case .assetsUnavailable, .rateLimited, .concurrentRequests: .unavailable
    case .unsupportedLanguageOrLocale: .language
    case .unsupportedGuide: .capability
    case .guardrailViolation, .decodingFailure, .refusal: .error
    }
  }

  private static func reason(_ error: LanguageModelError) -> Self {
    switch error {
    case .contextSizeExceeded: .tooLong
    case .rateLimited, .timeout: .unavailable
    case .unsupportedLanguageOrLocale: .language
    case .unsupportedCapability, .unsupportedGenerationGuide, .unsupportedTranscriptContent:
      .capability
    case .guardrailViolation, .refusal: .error
    }
  }
}

/// An error of an executor that says what it means to a list of models.
public protocol FallbackReasoning: Error {
  /// Why the model would pass the request on.
  var fallbackReason: FallbackModel.Reason { get }
}
