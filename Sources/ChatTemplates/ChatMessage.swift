/// Who says something in a chat.
public enum ChatRole: String, Sendable, Codable, CaseIterable {
  /// Instructions for the whole chat; only ever first.
  case system
  case user
  case assistant
  /// The result of a tool that the assistant called.
  case tool
}

/// One turn of a chat.
public struct ChatMessage: Sendable, Equatable, Codable {
  /// Who says it.
  public var role: ChatRole
  /// What is said: text only, in which no mark of a format means anything.
  public var content: String

  /// Makes a turn.
  public init(role: ChatRole, content: String) {
    self.role = role
    self.content = content
  }
}
