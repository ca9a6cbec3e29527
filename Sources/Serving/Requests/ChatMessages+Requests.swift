import ChatTemplates

extension [ChatMessage] {
  /// Whether there is something to be answered: the assistant has not the last word.
  var canBeAnswered: Bool { last.map { $0.role != .assistant } ?? false }

  /// The messages behind `instructions`: templates have one place for these, in front.
  func behind(_ instructions: [String]) -> [ChatMessage] {
    guard !instructions.isEmpty else { return self }
    return [ChatMessage(role: .system, content: instructions.joined(separator: "\n\n"))] + self
  }
}
