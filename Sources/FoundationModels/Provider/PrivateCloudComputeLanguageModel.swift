public import Foundation
public import Observation

/// Apple's model in Apple's data centres, which no other system can reach: it is never available here, and says so.
///
/// The type exists so that code written for OS 27 compiles, and so that its own check for availability, or a fall-back, takes another model.
public final class PrivateCloudComputeLanguageModel: Sendable, Observable {
  /// The model.
  public init() {}

  /// Always unavailable.
  public var availability: Availability { .unavailable(.deviceNotEligible) }

  /// False.
  public var isAvailable: Bool { false }

  /// What was used up: nothing.
  public var quotaUsage: QuotaUsage {
    QuotaUsage(status: .belowLimit(QuotaUsage.Status.BelowLimit(isApproachingLimit: false)))
  }

  /// No context.
  ///
  /// - Throws: ``Error/serviceUnavailable(_:)``, always.
  public var contextSize: Int {
    get async throws { throw Self.unreachable }
  }

  /// None.
  public var supportedLanguages: Set<Locale.Language> { [] }

  /// False.
  public func supportsLocale(_ locale: Locale = Locale.current) -> Bool { false }

  fileprivate static let unreachable = Error.serviceUnavailable(
    Error.ServiceUnavailable(
      debugDescription:
        "Private Cloud Compute can be reached from Apple's systems only; use another model."))
}

extension PrivateCloudComputeLanguageModel {
  /// Whether the model can be used.
  @frozen
  public enum Availability: Equatable, Sendable {
    /// Why the model cannot be used.
    public enum UnavailableReason: Hashable, Sendable {
      /// The machine may not use it: the reason here.
      case deviceNotEligible
      /// The system is not ready. Not given here.
      case systemNotReady
    }

    /// It can. Not given here.
    case available
    /// It cannot.
    case unavailable(UnavailableReason)
  }

  /// Why there is no answer.
  public enum Error: LocalizedError, CustomDebugStringConvertible, Sendable {
    /// The network failed. Not thrown here.
    case networkFailure(NetworkFailure)
    /// Too much was asked. Not thrown here.
    case quotaLimitReached(QuotaLimitReached)
    /// The service cannot be used: what every request ends in here.
    case serviceUnavailable(ServiceUnavailable)

    /// What is known of the network.
    public struct NetworkFailure: Sendable {
      /// What is wrong, for developers.
      public var debugDescription: String

      /// A network that failed.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What is known of a limit.
    public struct QuotaLimitReached: Sendable {
      /// How the limit could be raised.
      public var limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion?
      /// When there may be requests again.
      public var resetDate: Date?
      /// What is wrong, for developers.
      public var debugDescription: String

      /// A limit that is reached.
      public init(
        limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion? = nil,
        resetDate: Date? = nil, debugDescription: String
      ) {
        self.limitIncreaseSuggestion = limitIncreaseSuggestion
        (self.resetDate, self.debugDescription) = (resetDate, debugDescription)
      }
    }

    /// What is known of the service.
    public struct ServiceUnavailable: Sendable {
      /// What is wrong, for developers.
      public var debugDescription: String

      /// A service that cannot be used.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// One sentence for people, and the details.
    public var errorDescription: String? {
      "Private Cloud Compute cannot be used. \(debugDescription)"
    }

    /// What is wrong in detail, for developers.
    public var debugDescription: String {
      switch self {
      case .networkFailure(let error): error.debugDescription
      case .quotaLimitReached(let error): error.debugDescription
      case .serviceUnavailable(let error): error.debugDescription
      }
    }

    /// What is wrong in detail, for developers.
    public var failureReason: String? { debugDescription }
  }

  /// What was used up of what is allowed.
  public struct QuotaUsage: Sendable {
    /// How far it is.
    public var status: Status
    /// How the limit could be raised.
    public var limitIncreaseSuggestion: LimitIncreaseSuggestion?
    /// When the counting begins anew.
    public var resetDate: Date?

    /// Whether nothing more is allowed.
    public var isLimitReached: Bool {
      if case .limitReached = status { true } else { false }
    }

    /// How far it is.
    public enum Status: Sendable {
      /// More is allowed.
      case belowLimit(BelowLimit)
      /// Nothing more is allowed.
      case limitReached(LimitReached)

      /// What is known below the limit.
      public struct BelowLimit: Sendable {
        /// Whether there is little left.
        public var isApproachingLimit: Bool
      }

      /// What is known at the limit: nothing.
      public struct LimitReached: Sendable {}
    }

    /// How a limit could be raised: in a window of Apple's systems, which there is none of here.
    public struct LimitIncreaseSuggestion: Sendable {
      /// Does nothing.
      public func show() {}
    }
  }
}

extension PrivateCloudComputeLanguageModel: LanguageModel {
  /// What the model could do, so that a request reaches the error that says why it does not.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration, .toolCalling, .reasoning, .vision])
  }

  /// Nothing.
  public var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  /// Answers no request.
  public struct Executor: LanguageModelExecutor {
    /// Whose work it would do.
    public typealias Model = PrivateCloudComputeLanguageModel

    /// Nothing.
    public struct Configuration: Hashable, Sendable {}

    /// An executor.
    public init(configuration: Configuration) {}

    /// Does nothing.
    public func prewarm(model: Model, transcript: Transcript) {}

    /// Answers nothing.
    ///
    /// - Throws: ``Error/serviceUnavailable(_:)``, always.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: PrivateCloudComputeLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws { throw Model.unreachable }
  }
}
