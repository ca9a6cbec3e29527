public import Tokenization

/// Turns a chat into the tokens that a model continues with its answer.
///
/// Marks are set by number; the content of messages is text, so that no message can set one. In the format of Llama 2,
/// which marks turns by text, a message can look like a mark.
public struct ChatRenderer: Sendable {
  /// How turns are marked up.
  public let style: ChatStyle
  /// Tokens that end an answer.
  public let stopTokens: Set<Token>
  let tokenizer: Tokenizer
  private let marks: [String: Token]

  /// Looks up the marks of the format in the vocabulary.
  ///
  /// - Throws: `ChatDefect.missingMark`.
  public init(_ style: ChatStyle, tokenizer: Tokenizer) throws(ChatDefect) {
    self.style = style
    self.tokenizer = tokenizer
    var marks: [String: Token] = [:]
    for mark in style.format.marks {
      guard let token = tokenizer.token(mark) else {
        throw .missingMark(style.format, mark: mark)
      }
      marks[mark] = token
    }
    for mark in style.format.callMarks { marks[mark] = tokenizer.token(mark) }
    let needsEnd = style.format == .afm || style.format == .llama2
    if needsEnd, tokenizer.endToken == nil {
      throw .missingMark(style.format, mark: "tokenizer.ggml.eos_token_id")
    }
    var stops = tokenizer.endsOfGeneration
    for case .mark(let mark) in style.format.answerEnd {
      if let token = marks[mark] { stops.insert(token) }
    }
    self.marks = marks
    stopTokens = stops
  }

  /// The tokens of a whole chat, up to where the answer starts.
  ///
  /// Without instructions, the default ones of the style come first.
  ///
  /// - Throws: `ChatDefect` when roles come in an order that no model was trained on.
  public func prompt(_ messages: [ChatMessage]) throws(ChatDefect) -> [Token] {
    tokens(of: try segments(messages))
  }

  /// The tokens of a whole chat whose turns may follow each other in any order, up to where the answer starts.
  ///
  /// A transcript that its owner has shortened is such a chat. As ``prompt(_:)`` otherwise.
  ///
  /// - Throws: `ChatDefect` when there is nothing to answer, or the format has no place for a tool's turn.
  package func prompt(shortened messages: [ChatMessage]) throws(ChatDefect) -> [Token] {
    guard let last = messages.last else { throw .noMessages }
    guard last.role == .user || last.role == .tool else { throw .nothingToAnswer }
    try checkTools(messages)
    return tokens(of: opening(messages) + style.format.answerStart)
  }

  /// The tokens of a chat before its next turn, its turns in any order; of a new one those of the default instructions.
  package func openingTokens(_ messages: [ChatMessage]) -> [Token] {
    guard messages.isEmpty, let instructions = style.defaultInstructions else {
      return tokens(of: opening(messages))
    }
    return tokens(of: opening([ChatMessage(role: .system, content: instructions)]))
  }

  /// The tokens of `messages` alone, without what a chat starts with.
  package func turnTokens(_ messages: [ChatMessage]) -> [Token] {
    tokens(of: style.format.turns(messages))
  }

  /// The tokens to evaluate after an answer so that `messages` are answered next.
  ///
  /// They start with the end of the answer's turn: what was generated is to be evaluated without its stop token. All
  /// that was evaluated before stays valid.
  ///
  /// - Throws: `ChatDefect` unless `messages` go on after an answer.
  public func continuation(_ messages: [ChatMessage]) throws(ChatDefect) -> [Token] {
    try check(messages, after: .assistant)
    let format = style.format
    return tokens(of: format.answerEnd + format.turns(messages) + format.answerStart)
  }

  /// The text of a whole chat, up to where the answer starts, with marks by their names.
  ///
  /// - Throws: `ChatDefect` when roles come in an order that no model was trained on.
  public func text(_ messages: [ChatMessage]) throws(ChatDefect) -> String {
    func name(_ token: Token?) -> String {
      String(decoding: token.map { tokenizer.bytes(of: $0, special: true) } ?? [], as: UTF8.self)
    }
    return try segments(messages).map { segment in
      switch segment {
      case .begin: name(tokenizer.beginToken)
      case .end: name(tokenizer.endToken)
      case .mark(let text), .text(let text): text
      }
    }.joined()
  }

  /// A decoder for an answer.
  public func answerDecoder() -> StreamingDecoder {
    StreamingDecoder(tokenizer, isStart: !tokenizer.prefixesStartOnly)
  }

  /// The parts of a whole chat, up to where the answer starts.
  func segments(_ messages: [ChatMessage]) throws(ChatDefect) -> [ChatSegment] {
    let messages = instructed(messages)
    try check(messages, after: nil)
    return opening(messages) + style.format.answerStart
  }

  /// What a chat has before its next turn.
  private func opening(_ messages: [ChatMessage]) -> [ChatSegment] {
    style.format.opening(addsBegin: tokenizer.addsBegin)
      + style.format.turns(instructed(messages))
  }

  /// The messages with the default instructions of the style, where they have none.
  func instructed(_ messages: [ChatMessage]) -> [ChatMessage] {
    guard let instructions = style.defaultInstructions, let first = messages.first,
      first.role != .system
    else { return messages }
    return [ChatMessage(role: .system, content: instructions)] + messages
  }

  private func check(
    _ messages: [ChatMessage], after role: ChatRole?
  ) throws(ChatDefect) {
    try checkOrder(messages, after: role)
    guard messages.last?.role != .assistant, messages.last?.role != .system else {
      throw .nothingToAnswer
    }
  }

  /// Checks that every message may follow the one before it, whoever has the last word.
  func checkOrder(
    _ messages: [ChatMessage], after role: ChatRole?
  ) throws(ChatDefect) {
    guard !messages.isEmpty else { throw .noMessages }
    var before = role
    for (index, message) in messages.enumerated() {
      switch (message.role, before) {
      case (.system, nil) where index == 0: break
      case (.system, _): throw .misplacedSystem(index: index)
      case (.user, nil), (.user, .system), (.user, .assistant), (.user, .tool): break
      case (.assistant, .user), (.assistant, .tool): break
      case (.tool, .assistant), (.tool, .tool): break
      default: throw .wrongOrder(index: index, role: message.role, after: before)
      }
      before = message.role
    }
    try checkTools(messages)
  }

  private func checkTools(_ messages: [ChatMessage]) throws(ChatDefect) {
    let hasTools = messages.contains { $0.role == .tool }
    if hasTools, [.llama2, .gemma, .phi3].contains(style.format) {
      throw .unsupportedRole(style.format, .tool)
    }
  }

  /// Neighbouring texts are encoded as one, because pieces may reach across them.
  ///
  /// `continuesText` tells that a text stands right before the first segment, so that no space belongs between the two.
  func tokens(of segments: [ChatSegment], continuesText: Bool = false) -> [Token] {
    var tokens: [Token] = []
    var text: [UInt8] = []
    var stripsRight = false
    var follows = continuesText
    func flush() {
      let part = stripsRight ? Array(text.drop(while: Tokenizer.isSpace)) : text
      tokenizer.appendHarmless(
        part, isStart: !follows && !tokenizer.prefixesStartOnly, to: &tokens)
      text = []
      follows = false
      stripsRight = false
    }
    for segment in segments {
      if case .text(let part) = segment {
        text += part.utf8
        continue
      }
      flush()
      switch segment {
      case .begin: if let token = tokenizer.beginToken { tokens.append(token) }
      case .end: if let token = tokenizer.endToken { tokens.append(token) }
      case .mark(let mark):
        if let token = marks[mark] { tokens.append(token) }
        stripsRight = tokenizer.stripsRight(mark)
      case .text: break
      }
    }
    flush()
    return tokens
  }
}
