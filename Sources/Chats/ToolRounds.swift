public import ChatTemplates

/// How often an assistant has called tools for one prompt, and whether its next answer may call some.
///
/// What is required is one round of calls; then the assistant chooses. It has to answer once there were as many rounds as may be,
/// and when it has called the same twice in a row: what comes of that it knows.
public struct ToolRounds: Sendable, Equatable {
  /// Rounds for one prompt at most, unless something else is said.
  public static let usualLimit = 8
  /// Calls of one answer at most, likewise.
  public static let usualCalls = 8

  /// Why an assistant has to answer.
  public enum End: String, Sendable, Codable {
    /// There were as many rounds as may be.
    case limit
    /// It called the same tools with the same arguments as in the round before.
    case repetition
  }

  /// Rounds at most.
  public let limit: Int
  /// Rounds that there were.
  public private(set) var count = 0
  /// Whether the next answer may call tools.
  public private(set) var calling: ToolCalling
  /// Why it may not, though the first one might; nil where it may, or the first one might not either.
  public private(set) var end: End?
  private var last: [ChatToolCall] = []

  /// The state before the first answer, of which `calling` is said; at most `limit` rounds follow, 0 for none.
  public init(_ calling: ToolCalling = .allowed, limit: Int = usualLimit) {
    precondition(limit >= 0, "limit below its least")
    (self.limit, self.calling) = (limit, limit == 0 ? .disallowed : calling)
  }

  /// Takes note of a round that has called `calls`, whose identities do not matter.
  public mutating func note(_ calls: [ChatToolCall]) {
    let isRepetition = calls.map(\.asked) == last.map(\.asked)
    (count, last) = (count + 1, calls)
    end = isRepetition ? .repetition : count >= limit ? .limit : nil
    calling = end == nil ? .allowed : .disallowed
  }
}

extension ChatToolCall {
  /// The call without what tells it from others that ask for the same.
  fileprivate var asked: ChatToolCall { ChatToolCall(id: "", name: name, arguments: arguments) }
}
