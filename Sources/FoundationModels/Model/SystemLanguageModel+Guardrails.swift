import Synchronization

extension SystemLanguageModel {
  /// What is to happen with sensitive content.
  ///
  /// Apple's systems judge it with models of their own, which there are none of here: nothing is judged until a program gives checks, which
  /// the library SessionPolicies has.
  public struct Guardrails: Sendable {
    /// Nil for that of the process.
    private let own: (any ContentGuard)?
    private let sparesStrings: Bool

    package init(_ own: (any ContentGuard)?, sparesStrings: Bool = false) {
      (self.own, self.sparesStrings) = (own, sparesStrings)
    }

    /// The checks that the program has set for all models; none unless it did.
    public static let `default` = Guardrails(nil)
    /// The same, but not where the response is a string, so that sensitive text can be worked on; values are checked, as on Apple's systems.
    public static let permissiveContentTransformations = Guardrails(nil, sparesStrings: true)

    private static let shared = Mutex<(any ContentGuard)?>(nil)

    /// Who judges for ``default`` in this process.
    package static var standard: (any ContentGuard)? {
      get { shared.withLock { $0 } }
      set {
        // The one before goes after the lock: it is anybody's.
        _ = shared.withLock { standard in
          defer { standard = newValue }
          return standard
        }
      }
    }

    /// Who judges a request and its answer; nil for nobody.
    func contentGuard(isString: Bool) -> (any ContentGuard)? {
      isString && sparesStrings ? nil : own ?? Self.standard
    }
  }
}
