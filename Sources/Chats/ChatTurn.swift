public import ChatTemplates
public import Grammars
public import Tokenization

/// One turn of a chat: a prompt, rounds of calls of tools, and the answer as its tokens come.
///
/// Generate behind ``prompt`` under ``constraint()``, hand each token to ``append(_:)``, and call ``finish()`` behind the last. Where
/// there are ``calls`` then, run them and ``goOn(with:)`` what they put out; else ``text`` is the answer.
public struct ChatTurn {
  /// What all turns of the chat have in common.
  public let form: ChatForm
  /// What was said so far, calls and results of this turn among it, without what stands before all messages.
  public private(set) var messages: [ChatMessage]
  /// All tokens up to where the answer starts.
  public private(set) var prompt: [Token]
  /// The rounds of calls that there were.
  public private(set) var rounds: ToolRounds
  /// The answer to ``prompt``, as far as it has come.
  package private(set) var answer: AnswerDecoder
  private let opening: [ChatMessage]

  /// The turn that answers the last of `messages`, before which `opening` stands; `prompt` are the tokens of both.
  public init(
    _ form: ChatForm, opening: [ChatMessage] = [], _ messages: [ChatMessage], prompt: [Token]
  ) {
    (self.form, self.opening) = (form, opening)
    (self.messages, self.prompt, rounds) = (messages, prompt, form.rounds)
    answer = form.decoder(after: prompt, rounds.calling, asked: (opening + messages).asked)
  }

  /// What the next answer may be: an answer, or calls.
  ///
  /// - Throws: `GrammarDefect` for arguments of tools that cannot be enforced.
  public func constraint() throws(GrammarDefect) -> (any TokenConstraint)? {
    try form.constraint(rounds.calling)
  }

  /// The parts of the answer that are known now that `token` has come.
  public mutating func append(_ token: Token) -> [ThoughtStream.Part] { answer.append(token) }

  /// The rest of the answer, behind its last token.
  public mutating func finish() -> [ThoughtStream.Part] { answer.finish() }

  /// What has become known of calls since this was asked last, while the answer comes.
  public mutating func takeCallParts() -> [ToolCallPart] { answer.takeCallParts() }

  /// The answer without thoughts.
  public var text: String { answer.answer }

  /// Whether the answer says nothing new any more, and better ends.
  public var isLooping: Bool { answer.loop != nil }

  /// What the answer has called, once it is finished, each with an identity of its own in the chat.
  public var calls: [ChatToolCall] {
    answer.called.enumerated().map { index, call in
      ChatToolCall(
        id: call.id.utf8.count == 9 ? call.id : "call\(messages.count).\(index)", name: call.name,
        arguments: call.arguments)
    }
  }

  /// Goes on behind `calls`, of which each has put out what stands at its place in `outputs`.
  ///
  /// - Throws: `ChatDefect` where the template refuses the messages.
  public mutating func goOn(with outputs: [String]) throws(ChatDefect) {
    let calls = calls
    precondition(calls.count == outputs.count, "an output for each call")
    messages.append(ChatMessage(calls: calls, content: answer.whole))
    messages += zip(calls, outputs).map { ChatMessage(resultOf: $0, content: $1) }
    rounds.note(calls)
    if let renderer = form.renderer { prompt = try renderer.prompt(shortened: opening + messages) }
    answer = form.decoder(after: prompt, rounds.calling, asked: (opening + messages).asked)
  }

  /// The chat with the answer as its last message.
  public var answered: [ChatMessage] {
    messages + [ChatMessage(role: .assistant, content: answer.whole)]
  }
}

extension [ChatMessage] {
  /// All that was said to the model.
  fileprivate var asked: String {
    filter { $0.role != .assistant }.map(\.content).joined(separator: "\n")
  }

  /// The messages by turns: what a person says, and all that follows until the person says something again.
  package var turns: [[ChatMessage]] { parts { $0.role == .user } }
}

extension Sequence {
  /// The elements in parts, each of which begins where `begins` says so, but for the first.
  package func parts(where begins: (Element) -> Bool) -> [[Element]] {
    reduce(into: []) { parts, element in
      if begins(element) || parts.isEmpty {
        parts.append([element])
      } else {
        parts[parts.count - 1].append(element)
      }
    }
  }
}
