/// Judges what a model reads and what it says.
///
/// Nothing of this kind comes with the package but ``TermList`` and ``ContentClassifier``, and no check is in use until a program says so, by
/// `SystemLanguageModel.Guardrails`.
public protocol ContentCheck: Sendable {
  /// What the check is called where it refuses something; the type's name unless given.
  var name: String { get }
  /// What it judges; everything unless given.
  var sources: Set<CheckedContent.Source> { get }
  /// Whether it can judge a response of which more may come; false unless given.
  ///
  /// A stream whose checks all can is handed out sentence by sentence, any other when all of it is judged.
  var judgesParts: Bool { get }

  /// Judges one text.
  ///
  /// - Throws: Anything; what cannot be judged does not pass, and the response ends in the error.
  func verdict(on content: CheckedContent) async throws -> ContentVerdict
}

extension ContentCheck {
  /// The name of the type.
  public var name: String { "\(Self.self)" }

  /// Everything.
  public var sources: Set<CheckedContent.Source> { Set(CheckedContent.Source.allCases) }

  /// False.
  public var judgesParts: Bool { false }
}

/// A text that is to be judged.
public struct CheckedContent: Sendable {
  /// Whose text it is.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// The developer's.
    case instructions
    /// A person's.
    case prompt
    /// What a tool has put out.
    case toolOutput
    /// The model's, calls of tools among it.
    case response
  }

  /// Whose text it is.
  public let source: Source
  /// The text from its beginning; values and arguments of calls are JSON.
  public let text: String
  /// Whether all of it is there.
  public let isWhole: Bool

  /// A text of somebody.
  public init(_ source: Source, _ text: String, isWhole: Bool = true) {
    (self.source, self.text, self.isWhole) = (source, text, isWhole)
  }
}

/// What a check says of a text.
public enum ContentVerdict: Sendable, Equatable {
  /// It may pass.
  case pass
  /// It may not, for this reason, which is for developers: the response ends in `guardrailViolation`.
  case violation(String)
  /// It is not to be answered, and this is said to the person: the response ends in `refusal` with the explanation.
  case refusal(String)
}
