import ChatTemplates
import Chats
public import FoundationModels

/// What a session does with a conversation that outgrows the context of its model.
///
/// What goes is taken out of the session's transcript, turn by turn: a prompt with the calls, the outputs and the response that it led
/// to. Instructions, tools and the turn that is being answered always stay. For a model of this machine all is counted exactly
/// before it answers, with room for the response: its maximum number of tokens, or a quarter of the context without one, but
/// never more than half. Other models do not count; for them turns go when the model says that there are too many.
///
/// After a cut the conversation takes three quarters of what it may take, so that the next prompts cost their own tokens only. When a
/// response ends in an error, what went for it comes back with it.
public struct ContextPolicy: Sendable {
  enum Kind: Sendable {
    case rule(ContextRule)
    case summary(ModelLink?, asking: String, maximumTokens: Int?)
    case custom(@Sendable (Overflow) async throws -> [Transcript.Entry])
  }

  let kind: Kind
  /// Is told of each cut, before the model is asked; nil for nobody.
  public var onCut: (@Sendable (Cut) -> Void)?

  private init(_ kind: Kind) { self.kind = kind }

  /// The oldest turns go.
  public static var dropOldest: ContextPolicy { ContextPolicy(.rule(.dropOldest)) }

  /// Never more than the last `turns` turns before a prompt stay, 0 or more; fewer where there is no room for them.
  public static func keepLast(_ turns: Int) -> ContextPolicy {
    precondition(turns >= 0, "fewer than no turns")
    return ContextPolicy(.rule(.keepLast(turns)))
  }

  /// The oldest turns go, and what the session's model makes of them stands in their place.
  ///
  /// That is a turn of its own: a prompt that is `prompt`, and the summary as its response, whose metadata has the identities of what
  /// it stands for under `summaryOf`. Keys and values of what is summed up are used again. Where the model has nothing to say,
  /// the turns just go. Without a `prompt` the model is asked for a few sentences with names, numbers and decisions; without
  /// `maximumTokens`, 1 or more, a summary may take an eighth of the context, and what the model likes where that is not known.
  public static func summarize(asking prompt: String? = nil, maximumTokens: Int? = nil)
    -> ContextPolicy
  {
    ContextPolicy(
      .summary(nil, asking: prompt ?? ContextRule.summaryRequest, maximumTokens: maximumTokens))
  }

  /// As ``summarize(asking:maximumTokens:)``, by another model than the session's.
  public static func summarize(
    by model: some LanguageModel, asking prompt: String? = nil, maximumTokens: Int? = nil
  ) -> ContextPolicy {
    ContextPolicy(
      .summary(
        ModelLink(model), asking: prompt ?? ContextRule.summaryRequest,
        maximumTokens: maximumTokens))
  }

  /// What `cut` returns stands in the place of all turns before the one that is being answered.
  ///
  /// It is asked when there is no room, and once for each request. What it throws ends the response.
  public static func custom(
    _ cut: @escaping @Sendable (Overflow) async throws -> [Transcript.Entry]
  ) -> ContextPolicy { ContextPolicy(.custom(cut)) }

  /// The policy with somebody who is told of each cut.
  public func onCut(_ body: @escaping @Sendable (Cut) -> Void) -> ContextPolicy {
    var policy = self
    policy.onCut = body
    return policy
  }
}

extension ContextPolicy {
  /// That a conversation was made shorter.
  public struct Cut: Sendable {
    /// What has gone from the transcript, in its order.
    public let dropped: [Transcript.Entry]
    /// What stands in its place: a summary, or what a custom policy has made.
    public let added: [Transcript.Entry]
    /// Tokens of the conversation before and after, without room for the response; nil where the model does not count.
    public let tokenCounts: (before: Int, after: Int)?
  }

  /// A conversation that has no room in its context.
  public struct Overflow {
    /// The turns before the one that is being answered, the oldest first.
    public let turns: [[Transcript.Entry]]
    /// The turn that is being answered, which stays.
    public let current: [Transcript.Entry]
    /// Tokens that the context holds; nil where the model does not count.
    public let contextSize: Int?
    /// Tokens that are to be left for the response; nil where the model does not count.
    public let room: Int?
    private let conversation: GrowingConversation

    init(_ conversation: GrowingConversation, _ measure: ContextMeasure?) {
      (turns, current) = (conversation.turns, conversation.current)
      (contextSize, room) = (measure?.limit, measure?.room)
      self.conversation = conversation
    }

    /// Tokens of the conversation, instructions, tools and the current turn among them, if `entries` stood in the place of all turns; nil
    /// where the model does not count.
    public func tokenCount(with entries: [Transcript.Entry]) async throws -> Int? {
      try await conversation.measure(entries)?.tokens
    }
  }
}

extension LanguageModelSession {
  /// What becomes of a conversation that outgrows the context, from the next prompt on; nil to end the response in an error.
  public var contextPolicy: ContextPolicy? {
    get { contextReducer as? ContextPolicy }
    set { contextReducer = newValue }
  }
}
