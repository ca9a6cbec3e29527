import FoundationEssentials
import Synchronization

/// What operators are told of a request: who asks for what, and what came of it; nothing that it says.
package final class RequestRecord: Sendable {
  /// What comes to be known on the way.
  struct Facts: Sendable {
    /// The route of the server that answers; nil for none.
    var route: String?
    /// Nil while no answer is sent.
    var status: Int?
    /// Whether all of the answer was sent.
    var isWhole = false
    /// Whether the model did not come to the end of its answer.
    var isGivenUp = false
    /// When the whole request had come.
    var arrival: ContinuousClock.Instant?
    /// The model that answers, by the name that it has here; nil for none.
    var model: String?
    /// The base of that model.
    var base: String?
    /// Whether an activated adapter does not act, as the prompt does not have its invocation.
    var isInactive = false
    /// How long it waited for its place.
    var queue: Duration?
    var usage = GenerationRun.Usage()
    /// From the arrival to the first token.
    var firstToken: Duration?
    /// From the arrival to the end of the answer.
    var answer = Duration.zero
    /// From the end of the head to the end of the answer.
    var whole = Duration.zero
  }

  /// Told with the answer, and on the way from proxy to proxy.
  let identity: String
  let client: String
  let method: String
  let interface: Interface
  let time = Date()
  private let start = ContinuousClock.now
  private let state = Mutex(Facts())

  /// A request whose head has come; `identity` is the one that it says it has.
  init(
    client: String = "", method: String = "-", path: String = "", identity: String? = nil
  ) {
    (self.client, self.method, interface) = (client, method, Interface(path: path))
    self.identity = identity.flatMap { Self.isIdentity($0) ? $0 : nil } ?? RandomID.make()
  }

  var facts: Facts { state.withLock { $0 } }

  /// Longest identity that is taken over.
  private static let limit = 64

  /// Whether a text is one word that cannot be read as anything else.
  private static func isIdentity(_ text: String) -> Bool {
    text.isName(of: 1...limit, with: "-_")
  }

  func note(route: String?) { state.withLock { $0.route = route } }

  func note(status: Int) { state.withLock { $0.status = status } }

  /// The model that answers.
  func note(_ model: ServedModel) { note(model: model.label, base: model.base.name) }

  func note(model: String, base: String) {
    state.withLock { ($0.model, $0.base) = (model, base) }
  }

  /// The base answers alone, as the prompt does not have the invocation of an activated adapter.
  func noteInactive() { state.withLock { $0.isInactive = true } }

  /// Adds the time that it waited for a place.
  func note(queue: Duration) { state.withLock { $0.queue = ($0.queue ?? .zero) + queue } }

  /// The whole request has come.
  func noteArrival() { state.withLock { $0.arrival = .now } }

  /// An answer has come to its end, or was given up, and has taken so much; the first of first tokens counts.
  func note(
    _ usage: GenerationRun.Usage, firstToken: ContinuousClock.Instant?, isGivenUp: Bool
  ) {
    state.withLock { facts in
      facts.usage.add(usage)
      facts.isGivenUp = facts.isGivenUp || isGivenUp
      guard let firstToken, facts.firstToken == nil else { return }
      facts.firstToken = (facts.arrival ?? start).duration(to: firstToken)
    }
  }

  /// The last byte is sent.
  func noteWhole() { state.withLock { $0.isWhole = true } }

  /// Nothing more is sent.
  func noteEnd() {
    let now = ContinuousClock.now
    state.withLock { facts in
      facts.answer = (facts.arrival ?? start).duration(to: now)
      facts.whole = start.duration(to: now)
    }
  }
}
