public import Foundation
public import FoundationModels

/// Several models, of which the first one answers that can.
///
/// A model passes a request on only for the reasons that its choice names, and only while nothing of its answer has come. That it did is told to
/// ``onPassing``, and stands in the transcript: the metadata of a response, and of each call, has `answeredBy` with the name of the choice, and
/// `passedOn` with a line for each one before it.
public struct FallbackModel: LanguageModel {
  /// One of the models.
  public struct Choice: Sendable {
    /// What the choice is called, in the transcript too.
    public let name: String
    /// The model.
    public let model: any LanguageModel
    /// Why the model may pass a request on to the next one.
    public let reasons: Set<Reason>
    let link: ModelLink

    /// A model that passes requests on for these reasons; for any of them unless told otherwise.
    public init(
      _ name: String, _ model: some LanguageModel,
      passesOn reasons: Set<Reason> = Set(Reason.allCases)
    ) {
      (self.name, self.model, self.reasons) = (name, model, reasons)
      link = ModelLink(model)
    }
  }

  /// Why a model passes a request on.
  public enum Reason: String, Sendable, CaseIterable {
    /// It is not there: no base, no server, no key, too many requests, or no answer in time.
    case unavailable
    /// The conversation is too long for it.
    case tooLong
    /// It does not know the language: its own error, or `SystemLanguageModel.supportsLocale(_:)` for the locale of the list.
    case language
    /// It cannot do what is asked for: tools, a schema, images, or a level of reasoning.
    case capability
    /// Anything else but a cancelled task, such as an answer that is no value of the schema.
    case error
  }

  /// That a model has passed a request on.
  public struct Passing: Sendable {
    /// The identity of the request.
    public let request: UUID
    /// The choice that has passed it on.
    public let from: String
    /// The choice that it was passed on to.
    public let to: String
    /// Why.
    public let reason: Reason
    /// What the model has thrown.
    public let error: any Error
  }

  /// The models, first the one that is asked first.
  public let choices: [Choice]
  /// The language of the people that the list is for; nil to leave that to the models.
  public let locale: Locale?
  /// Is told of each request that is passed on, before the next model is asked.
  public let onPassing: @Sendable (Passing) -> Void
  private let identity = Identity()

  /// A list of at least one model; their names have to differ.
  public init(
    _ choices: [Choice], locale: Locale? = nil,
    onPassing: @escaping @Sendable (Passing) -> Void = { _ in }
  ) {
    precondition(!choices.isEmpty, "there is no model in the list")
    precondition(Set(choices.map(\.name)).count == choices.count, "two choices have one name")
    (self.choices, self.locale, self.onPassing) = (choices, locale, onPassing)
  }

  /// What any of the models can do.
  public var capabilities: LanguageModelCapabilities {
    let all: [LanguageModelCapabilities.Capability] = [
      .vision, .guidedGeneration, .reasoning, .toolCalling,
    ]
    return LanguageModelCapabilities(
      all.filter { capability in choices.contains { $0.model.capabilities.contains(capability) } })
  }

  /// The list itself.
  public var executorConfiguration: Executor.Configuration {
    Executor.Configuration(identity: identity)
  }

  final class Identity: Sendable {}

  /// Asks one model after the other.
  public struct Executor: LanguageModelExecutor {
    /// Whose work it does.
    public typealias Model = FallbackModel

    /// A list.
    public struct Configuration: Hashable, Sendable {
      let identity: Identity

      /// Whether both are of the same list.
      public static func == (left: Self, right: Self) -> Bool { left.identity === right.identity }

      /// Feeds the identity of the list to `hasher`.
      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
    }

    /// An executor; one is as good as another.
    public init(configuration: Configuration) {}

    /// Lets the first model get ready.
    public func prewarm(model: FallbackModel, transcript: Transcript) {
      model.choices[0].link.prewarmExecutor(transcript)
    }

    /// Asks one model after the other until one answers.
    ///
    /// - Throws: What the last model that was asked throws.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: FallbackModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      var passings: [FallbackModel.Passing] = []
      for (index, choice) in model.choices.enumerated() {
        let answer = SignedAnswer(choice.name, passings, channel)
        do {
          try model.check(choice)
          try await choice.link.respond(to: request, answer.channel)
          return answer.sign()
        } catch {
          guard !Task.isCancelled, let reason = FallbackModel.Reason(error),
            choice.reasons.contains(reason), !answer.hasBegun, index + 1 < model.choices.count
          else {
            answer.tellUsage()
            try Task.checkCancellation()
            throw error
          }
          let passing = FallbackModel.Passing(
            request: request.id, from: choice.name, to: model.choices[index + 1].name,
            reason: reason, error: error)
          passings.append(passing)
          model.onPassing(passing)
        }
      }
    }
  }

  /// - Throws: `unsupportedLanguageOrLocale` where the model says that it does not speak the language of the list.
  private func check(_ choice: Choice) throws {
    guard let locale, let model = choice.model as? SystemLanguageModel,
      choice.reasons.contains(.language), model.isAvailable, !model.supportsLocale(locale),
      let code = locale.language.languageCode
    else { return }
    throw LanguageModelError.unsupportedLanguageOrLocale(
      LanguageModelError.UnsupportedLanguageOrLocale(
        languageCode: code,
        debugDescription: "The base does not state the language '\(code.identifier)'."))
  }
}
