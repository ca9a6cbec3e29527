package import Tokenization

extension ChatRenderer {
  /// The tokens that an answer's turn begins with: what the template ends a prompt with for an answer, or where that is nothing of its own,
  /// all that it writes behind a message.
  ///
  /// Empty where it writes nothing there.
  package var answerOpening: [Token] {
    let questions = ["Is ice cold?", "Tell me more"].map { ChatMessage(role: .user, content: $0) }
    let texts = questions.compactMap { question in try? text([question], isPrompt: true) }
    guard texts.count == questions.count else { return [] }
    let prompts = texts.map(tokens(of:))
    if let chat = try? text(Array(questions.prefix(1)), isPrompt: false) {
      let tokens = tokens(of: chat)
      if prompts[0].count > tokens.count, prompts[0].starts(with: tokens) {
        return Array(prompts[0].dropFirst(tokens.count))
      }
    }
    let shared = zip(prompts[0].reversed(), prompts[1].reversed()).prefix { $0 == $1 }
    return shared.map(\.0).reversed()
  }
}
