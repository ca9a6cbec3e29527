public import Foundation
public import Observation

/// A language model that runs on this machine: a base, alone or with an adapter.
///
/// What `default` and adapter names stand for is set by ``configuration``. A base is opened when it is first asked for
/// and shared by all models and sessions of the process; its weights are mapped and never changed, so any number of
/// sessions with any adapters run over one at the same time.
///
/// The type is `Observable` as Apple's is, but nothing tells when a base is installed or removed: ask ``availability``
/// again.
public final class SystemLanguageModel: Sendable, Observable {
  let source: ModelSource
  let guardrails: Guardrails
  private let shelf = HeldModel()

  /// The base in use of the store that ``configuration`` names, without an adapter.
  public static let `default` = SystemLanguageModel()

  init(_ source: ModelSource, _ guardrails: Guardrails) {
    self.source = source
    self.guardrails = guardrails
  }

  /// The model for a purpose: the base in use, for ``UseCase/contentTagging`` with an adapter that ``configuration`` names.
  public convenience init(
    useCase: UseCase = .general, guardrails: Guardrails = Guardrails.default
  ) {
    self.init(.configured(useCase), guardrails)
  }

  /// The base that `adapter` was made for, with the adapter.
  public convenience init(adapter: Adapter, guardrails: Guardrails = .default) {
    self.init(.adapter(adapter), guardrails)
  }

  /// The base in a GGUF file, without an adapter: an extension, as Apple's framework has no bases of one's own.
  ///
  /// The file is opened when the model is first used; ``availability`` tells whether it can be.
  public convenience init(base: URL, guardrails: Guardrails = .default) {
    self.init(.file(path: base.path), guardrails)
  }

  /// The open base and adapter, shared with who else uses them.
  ///
  /// - Throws: `ModelFailure`, in which the reason is a sentence.
  func load() throws(ModelFailure) -> LoadedModel { try shelf.load(source) }
}

extension SystemLanguageModel {
  /// What a model is for.
  public struct UseCase: Sendable, Equatable {
    private let name: String

    /// Anything.
    public static let general = UseCase(name: "general")
    /// Tagging text with topics, actions, objects and emotions.
    ///
    /// No base has this built in: it is the adapter that ``Configuration/contentTaggingAdapter`` names, and the model is
    /// not available while that is nil.
    public static let contentTagging = UseCase(name: "contentTagging")
  }
}
