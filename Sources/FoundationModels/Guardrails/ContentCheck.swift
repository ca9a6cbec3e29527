import Synchronization

/// Judges what a model reads and what it says: an extension.
///
/// Nothing of this kind comes with the package but ``TermList`` and ``ContentClassifier``, and no check is in use until a program says so, by
/// ``SystemLanguageModel/Guardrails``.
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

/// A text that is to be judged: an extension.
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

/// What a check says of a text: an extension.
public enum ContentVerdict: Sendable, Equatable {
  /// It may pass.
  case pass
  /// It may not, for this reason, which is for developers: the response ends in `guardrailViolation`.
  case violation(String)
  /// It is not to be answered, and this is said to the person: the response ends in `refusal` with the explanation.
  case refusal(String)
}

extension SystemLanguageModel {
  /// What is to happen with sensitive content.
  ///
  /// Apple's systems judge it with models of their own, which there are none of here: ``default`` stands for ``defaultChecks``, and these are none
  /// until a program sets them. With checks, instructions, prompts and the output of tools are judged before the first token, and responses before
  /// anybody sees them.
  public struct Guardrails: Sendable {
    /// Nil for those of the process.
    private let own: [any ContentCheck]?
    private let sparesStrings: Bool

    private init(_ own: [any ContentCheck]?, sparesStrings: Bool = false) {
      (self.own, self.sparesStrings) = (own, sparesStrings)
    }

    /// The checks of the process, ``defaultChecks``.
    public static let `default` = Guardrails(nil)
    /// The same, but not where the response is a string, so that sensitive text can be worked on; values are checked, as on Apple's systems.
    public static let permissiveContentTransformations = Guardrails(nil, sparesStrings: true)

    /// Checks of one's own, in this order: an extension.
    public init(checks: [any ContentCheck]) { self.init(checks, sparesStrings: false) }

    /// Checks of one's own, but not where the response is a string: an extension.
    public static func permissiveContentTransformations(
      checks: [any ContentCheck]
    ) -> Guardrails {
      Guardrails(checks, sparesStrings: true)
    }

    private static let standard = Mutex<[any ContentCheck]>([])

    /// What ``default`` stands for in this process; none unless set: an extension.
    public static var defaultChecks: [any ContentCheck] {
      get { standard.withLock { $0 } }
      set {
        // Those before go after the lock: they are anybody's.
        _ = standard.withLock { checks in
          defer { checks = newValue }
          return checks
        }
      }
    }

    /// The checks of a request; none for those that a check itself makes.
    func checks(isString: Bool) -> [any ContentCheck] {
      if isString && sparesStrings || GuardedRequest.isJudging { return [] }
      return own ?? Self.defaultChecks
    }
  }
}
