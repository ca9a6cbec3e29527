public import Tokenization

/// The tokens of a whole chat, answers included, and which of them the assistant says.
public struct ChatTranscript: Sendable, Equatable {
  /// The tokens, as inference sees and generates them.
  public let tokens: [Token]
  /// Tokens of the answers in order, each with the mark that ends it.
  public let spoken: [Range<Int>]

  /// Joins tokens with the places of the answers among them.
  public init(tokens: [Token], spoken: [Range<Int>]) {
    self.tokens = tokens
    self.spoken = spoken
  }
}

extension ChatRenderer {
  /// The tokens of a whole chat, with the places of its answers.
  ///
  /// What stands before an answer is what `prompt` gives for it, so that a model learns what it will see. An answer is
  /// encoded by itself, as it is generated; the line end that some formats put behind its end mark is not part of it.
  /// `toolCalls` are JSON lists of calls by the index in `messages` of the answer that ends with them.
  ///
  /// - Throws: `ChatDefect` when roles come in an order that no model was trained on, or when the format
  ///   has no place for calls.
  public func transcript(
    _ messages: [ChatMessage], toolCalls: [Int: String] = [:]
  ) throws(ChatDefect) -> ChatTranscript {
    let all = instructed(messages)
    let shift = all.count - messages.count
    try checkOrder(all, after: nil)
    let format = style.format
    var tokens: [Token] = []
    var spoken: [Range<Int>] = []
    var segments = format.opening(addsBegin: tokenizer.addsBegin)
    var turns: [ChatMessage] = []
    for (index, message) in all.enumerated() {
      guard message.role == .assistant else {
        turns.append(message)
        continue
      }
      segments += format.turns(turns) + format.answerStart
      turns = []
      tokens += self.tokens(of: segments)
      let calls = try callSegments(toolCalls[index - shift])
      let answer = format.answer(message.content) + calls + format.answerEnd.prefix(1)
      let start = tokens.count
      tokens += self.tokens(of: answer, continuesText: segments.last?.isText ?? false)
      spoken.append(start..<tokens.count)
      segments = Array(format.answerEnd.dropFirst())
    }
    tokens += self.tokens(of: segments + format.turns(turns))
    return ChatTranscript(tokens: tokens, spoken: spoken)
  }

  /// The calls as the toolkit of AFM writes them: a fenced block between two marks.
  private func callSegments(_ calls: String?) throws(ChatDefect) -> [ChatSegment] {
    guard let calls else { return [] }
    let marks = style.format.callMarks
    guard let first = marks.first, let last = marks.last else {
      throw .unsupportedTools(style.format)
    }
    for mark in marks where tokenizer.token(mark) == nil {
      throw .missingMark(style.format, mark: mark)
    }
    return [.mark(first), .text(" ```function\n\(calls)```"), .mark(last)]
  }
}

extension ChatSegment {
  fileprivate var isText: Bool {
    if case .text = self { true } else { false }
  }
}
