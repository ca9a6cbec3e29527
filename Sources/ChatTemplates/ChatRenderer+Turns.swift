public import Tokenization

/// What a chat goes on with.
extension ChatRenderer {
  private static let question = ChatMessage(role: .user, content: "Is ice cold?")
  private static let answer = ChatMessage(role: .assistant, content: "Yes, it is.")

  /// Whether the template asks if the assistant is to think.
  public var leavesThinking: Bool {
    var (on, off) = (self, self)
    (on.thinking, off.thinking) = (true, false)
    return (try? on.text([Self.question])) != (try? off.text([Self.question]))
  }

  /// The token that ends an answer, as the template writes it behind one.
  func endOfAnswer() -> Token? {
    let chat = instructed([Self.question, Self.answer])
    // Some templates write it only where the chat goes on.
    return [chat, chat + [Self.question]].lazy.compactMap {
      mark(behind: chat.count - 1, in: $0)
    }.first
  }

  /// The special token that ends what a message says, before another one says anything: one that the vocabulary has for that,
  /// or else the first.
  private func mark(behind index: Int, in chat: [ChatMessage]) -> Token? {
    guard let text = try? text(chat, isPrompt: false), let range = text.range(ofMessage: index)
    else { return nil }
    let end = text.range(ofMessage: index + 1)?.lowerBound ?? text.bytes.count
    guard end >= range.upperBound else { return nil }
    var tokens: [Token] = []
    var predecessor = Tokenizer.Predecessor.text
    append(text, range.upperBound..<end, after: &predecessor, to: &tokens)
    // White space may stand before it, and marks that end a part of the answer.
    return tokens.first(where: stopTokens.contains)
      ?? tokens.first { token in
        tokenizer.bytes(of: token).isEmpty || tokenizer.isMark(token)
      }
  }

  /// The tokens to evaluate after an answer so that `messages` are answered next.
  ///
  /// They start with the end of the answer's turn: what was generated is to be evaluated without its stop token. All
  /// that was evaluated before stays valid, unless the template shows answers otherwise once there are later ones, as
  /// those of models do that think; ``prompt(after:tokens:next:)`` sees to that.
  ///
  /// - Throws: `ChatDefect` unless `messages` go on after an answer.
  public func continuation(_ messages: [ChatMessage]) throws(ChatDefect) -> [Token] {
    try check(messages, after: .assistant)
    let said = instructed([Self.question, Self.answer])
    let text = try text(said + messages, isPrompt: true)
    guard let range = text.range(ofMessage: said.count - 1) else { throw .missingAnswer(index: 1) }
    return tokens(of: text, after: range.upperBound)
  }

  /// The tokens of a chat that goes on: those of `said`, whose last message is an answer, as they were evaluated and
  /// generated, then what follows up to where the next answer starts.
  ///
  /// Where the template shows what was said otherwise than it was evaluated, such as without thoughts, the tokens are
  /// those of the template's text from the start; what they begin with in common need not be evaluated again.
  ///
  /// - Throws: `ChatDefect` when the last of `next` cannot be answered, or the template refuses the chat.
  public func prompt(
    after said: [ChatMessage], tokens: [Token], next: [ChatMessage]
  ) throws(ChatDefect) -> [Token] {
    let before = instructed(said)
    let text = try shortenedText(said + next)
    guard let end = try placeAfterAnswer(of: before, in: text, tokens) else {
      return self.tokens(of: text)
    }
    return tokens + self.tokens(of: text, after: end)
  }

  /// Where the last answer of `said` ends in a text that starts as it was evaluated; nil in another.
  private func placeAfterAnswer(
    of said: [ChatMessage], in text: SourcedText, _ tokens: [Token]
  ) throws(ChatDefect) -> Int? {
    guard let answer = said.last, answer.role == .assistant,
      let range = text.range(ofMessage: said.count - 1),
      let prompt = try? self.text(said.dropLast(), isPrompt: true), text.hasPrefix(prompt),
      range.lowerBound >= prompt.bytes.count
    else { return nil }
    guard answer.toolCalls.isEmpty else {
      let end = endOfCalls(of: said.count - 1, in: text, from: range.upperBound)
      let shown = text[prompt.bytes.count..<end].trimmed().string
      return !shown.isEmpty && tokenizer.decode(tokens, special: true).hasSuffix(shown) ? end : nil
    }
    let between = text[prompt.bytes.count..<range.lowerBound]
    let shown = text[range].trimmed()
    let isShown = shown == SourcedText(answer.content, .data).trimmed()
    return between.trimmed().isEmpty && isShown ? range.upperBound : nil
  }

  /// Where the calls of an answer end that are written from `start` on: behind what closes them, or before the mark that
  /// ends the answer.
  private func endOfCalls(of index: Int, in text: SourcedText, from start: Int) -> Int {
    if let closing = toolCalls?.closingText(tokenizer), !closing.isEmpty, !tellsToolsItself {
      // The last bytes of the arguments may be the template's.
      let places = start..<min(start + 4, text.bytes.count)
      if let place = places.first(where: { text.bytes[$0...].starts(with: closing) }) {
        return place + closing.count
      }
    }
    return startOfEndMark(of: index, in: text, from: start) ?? start
  }

  /// The tokens of a text from an answer's end on; white space between the two belongs to neither.
  private func tokens(of text: SourcedText, after end: Int) -> [Token] {
    var start = end
    while start < text.bytes.count, text.source(at: start).isTemplate,
      Tokenizer.isSpace(text.bytes[start])
    {
      start += 1
    }
    // Where no mark follows, it is a part of the text that does.
    if !stops(text, at: start) { start = end }
    var tokens: [Token] = []
    var predecessor = Tokenizer.Predecessor.text
    append(text, start..<text.bytes.count, after: &predecessor, to: &tokens)
    return tokens
  }

  /// Whether a token that ends answers stands at `start`.
  private func stops(_ text: SourcedText, at start: Int) -> Bool {
    stopTexts.contains { text.bytes[start...].starts(with: $0) }
  }

  /// The names of the tokens that end answers.
  var stopTexts: [[UInt8]] {
    stopTokens.map { tokenizer.bytes(of: $0, special: true) }.filter { !$0.isEmpty }
  }
}

/// What parts of a chat take up.
extension ChatRenderer {
  /// The tokens of a chat before its next turn, its turns in any order; of a new one those of the default instructions.
  package func openingTokens(_ messages: [ChatMessage]) -> [Token] {
    if messages.isEmpty, let instructions = style.defaultInstructions {
      return openingTokens([ChatMessage(role: .system, content: instructions)])
    }
    let all = messages.isEmpty ? toldTools([]) : instructed(messages)
    if !all.isEmpty, let text = try? text(all, isPrompt: false) { return tokens(of: text) }
    // A template may demand a question.
    guard let text = try? text(all + [Self.question], isPrompt: false) else { return [] }
    return tokens(of: text).dropLast(turnTokens([Self.question]).count)
  }

  /// The tokens of `messages` alone, without what a chat starts with.
  package func turnTokens(_ messages: [ChatMessage]) -> [Token] {
    let before: [ChatMessage] =
      switch messages.first?.role {
      case .assistant?: instructed([Self.question])
      case .user?, .tool?: instructed([Self.question, Self.answer])
      case .system?, nil: []
      }
    guard let text = try? text(before + messages, isPrompt: false),
      let start = start(in: text, after: before)
    else { return tokenizer.encode(messages.map(\.content).joined(), special: false) }
    var tokens: [Token] = []
    var predecessor = Tokenizer.Predecessor.token(stripsRight: false)
    append(text, start..<text.bytes.count, after: &predecessor, to: &tokens)
    return tokens
  }

  /// Where the turns behind `messages` start.
  private func start(in text: SourcedText, after messages: [ChatMessage]) -> Int? {
    guard let last = messages.last else { return beginning(of: text) ?? 0 }
    if last.role == .assistant {
      guard let said = text.range(ofMessage: messages.count - 1) else { return nil }
      var end = endMark(of: messages.count - 1, in: text, from: said.upperBound) ?? said.upperBound
      while end < text.bytes.count, Tokenizer.isSpace(text.bytes[end]) { end += 1 }
      return end
    }
    guard let before = try? self.text(messages, isPrompt: false), text.hasPrefix(before) else {
      return nil
    }
    return before.bytes.count
  }

  /// The end of the begin or end token that a text starts with.
  private func beginning(of text: SourcedText) -> Int? {
    for token in [tokenizer.beginToken, tokenizer.endToken].compactMap(\.self) {
      let name = tokenizer.bytes(of: token, special: true)
      if !name.isEmpty, text.bytes.starts(with: name) { return name.count }
    }
    return nil
  }

  /// The special tokens that the template writes into a chat.
  package var marks: [String] {
    let chats = [
      [ChatMessage(role: .system, content: "-"), Self.question, Self.answer, Self.question],
      [Self.question, Self.answer, Self.question],
    ]
    guard let text = chats.lazy.compactMap({ try? text($0, isPrompt: true) }).first else {
      return []
    }
    var names: [String] = []
    for token in tokens(of: text)
    where tokenizer.bytes(of: token).isEmpty || tokenizer.isMark(token) {
      let name = String(decoding: tokenizer.bytes(of: token, special: true), as: UTF8.self)
      if !names.contains(name) { names.append(name) }
    }
    return names
  }
}
