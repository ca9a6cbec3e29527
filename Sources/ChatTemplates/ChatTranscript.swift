public import JSON
public import Tokenization

/// The tokens of a whole chat, answers included, and which of them the assistant says.
public struct ChatTranscript: Sendable, Equatable {
  /// A part of an answer that is not among what the assistant says.
  public struct Omission: Sendable, Equatable {
    /// What of an answer is left out.
    public enum Part: Sendable {
      /// What was thought before it.
      case thoughts
      /// What it says beside calls.
      case text
      /// Some of its calls.
      case calls
    }

    /// Index of the answer in its chat.
    public let message: Int
    /// What is left out of it.
    public let part: Part
  }

  /// The tokens, as inference sees and generates them.
  public let tokens: [Token]
  /// Tokens of the answers in order, each with the mark that ends it.
  public let spoken: [Range<Int>]
  /// What the template leaves out of answers, or moves to where no model writes it.
  public let omissions: [Omission]

  /// Joins tokens with the places of the answers among them.
  public init(tokens: [Token], spoken: [Range<Int>], omissions: [Omission] = []) {
    self.tokens = tokens
    self.spoken = spoken
    self.omissions = omissions
  }
}

extension ChatRenderer {
  /// The tokens of a whole chat, with the places of its answers.
  ///
  /// An answer goes from where a prompt ends for it to the mark that ends it, so that a model learns what it will see and
  /// say. Where the template ends prompts with what it shows finished answers without, such as empty thoughts, that is put
  /// before the answer; where it ends them within thoughts, these and the mark behind them are a part of the answer. An answer
  /// is encoded by itself, as it is generated; the line end that some formats put behind its end mark is not part of it, nor
  /// is anything that other messages say. Where the template has no place for tools, they are told, called and answered as
  /// ``offering(_:)`` says.
  ///
  /// - Throws: `ChatDefect` when roles come in an order that no model was trained on, when the format
  ///   has no place for tools or calls, or when the template refuses the chat.
  public func transcript(
    _ messages: [ChatMessage], tools: [JSONValue] = []
  ) throws(ChatDefect) -> ChatTranscript {
    let chat = try written(messages, tools)
    let last = messages.lastIndex { $0.role == .assistant }
    var whole = SourcedText()
    var spoken: [Range<Int>] = []
    var omissions: [ChatTranscript.Omission] = []
    var place = 0
    for (index, message) in chat.messages.enumerated() where message.role == .assistant {
      let answer = chat.answer(message, at: index, from: place, isLast: index == last)
      guard let answer else { throw .missingAnswer(index: index) }
      whole.append(chat.text[place..<answer.cut])
      whole.append(answer.shown)
      let start = whole.bytes.count
      whole.append(answer.said)
      whole.append(chat.text[answer.range])
      whole.append(answer.end)
      spoken.append(start..<whole.bytes.count)
      place = answer.range.upperBound
      omissions += omitted(
        messages[index], index, as: message, from: whole[start..<whole.bytes.count])
    }
    whole.append(chat.text[place..<chat.text.bytes.count])
    return transcript(whole, spoken, omissions)
  }

  /// The most tokens that ``transcript(_:tools:)`` has for a chat, without making them.
  ///
  /// - Throws: What that does.
  package func mostTokens(
    _ messages: [ChatMessage], tools: [JSONValue] = []
  ) throws(ChatDefect) -> Int {
    let chat = try written(messages, tools)
    let answers = messages.indices.filter { messages[$0].role == .assistant }
    let isWhole = answers.allSatisfy { chat.text.range(ofMessage: $0 + chat.shift) != nil }
    // Where an answer is that leaves no text, only the prompts before it tell.
    guard isWhole else { return try transcript(messages, tools: tools).tokens.count }
    let thoughts = chat.messages.map { $0.thoughts?.utf8.count ?? $0.content.utf8.count }
      .reduce(0, +)
    return tokenizer.mostTokens(
      ofBytes: chat.text.bytes.count + answers.count * openingLimit + thoughts)
  }

  /// A chat with its answers as the template writes it.
  private func written(
    _ messages: [ChatMessage], _ tools: [JSONValue]
  ) throws(ChatDefect) -> WrittenChat {
    var settings = ChatSettings()
    settings.hasGenerationPrompt = false
    let told = try told(messages, tools)
    if told == nil {
      try checkOrder(messages, after: nil)
      try checkCalls(messages, tools)
      settings.tools = tools
    }
    let all = told ?? instructed(messages)
    let (text, objects) = try written(all, settings)
    let shift = all.count - messages.count
    return WrittenChat(
      renderer: self, messages: Array(all[shift...]), objects: objects, tools: settings.tools,
      text: text, shift: shift)
  }

  private func checkCalls(_ messages: [ChatMessage], _ tools: [JSONValue]) throws(ChatDefect) {
    let hasCalls = messages.contains { !$0.toolCalls.isEmpty }
    guard hasCalls || !tools.isEmpty else { return }
    if let format = style.format {
      guard style.mentions("tool_calls") else { throw .unsupportedTools(format) }
      guard hasCalls else { return }
      for mark in format.callMarks where tokenizer.token(mark) == nil {
        throw .missingMark(format, mark: mark)
      }
    } else {
      let names = (hasCalls ? ["tool_calls"] : []) + (tools.isEmpty ? [] : ["tools"])
      guard names.allSatisfy(style.mentions) else { throw .unsupportedTools(nil) }
    }
  }

  /// What of an answer is not in what is said of it, which the template was given as `given`.
  private func omitted(
    _ message: ChatMessage, _ index: Int, as given: ChatMessage, from said: SourcedText
  ) -> [ChatTranscript.Omission] {
    let parts = Set(said.runs.compactMap(\.source.part))
    var omitted: [ChatTranscript.Omission.Part] = []
    let isThought =
      message.thoughts.map { _ in parts.contains(.thoughts) }
      ?? ThoughtStream.thoughts(in: message.content).map { said.contains(SourcedText($0, .data)) }
    if isThought == false { omitted.append(.thoughts) }
    let hasText = !SourcedText(message.content, .data).trimmed().isEmpty
    // Of a call that is told as an answer, the text is the call.
    let showsText = parts.contains(.text) && !given.toolCalls.isEmpty
    if hasText, !message.toolCalls.isEmpty, !showsText { omitted.append(.text) }
    let areCalled = given.toolCalls.allSatisfy { said.contains(SourcedText($0.name, .data)) }
    if !areCalled { omitted.append(.calls) }
    return omitted.map { ChatTranscript.Omission(message: index, part: $0) }
  }

  private func transcript(
    _ text: SourcedText, _ answers: [Range<Int>], _ omissions: [ChatTranscript.Omission]
  ) -> ChatTranscript {
    var tokens: [Token] = []
    var spoken: [Range<Int>] = []
    var predecessor = Tokenizer.Predecessor.nothing
    var place = 0
    for answer in answers {
      append(text, place..<answer.lowerBound, after: &predecessor, to: &tokens)
      addBegin(to: &tokens)
      let start = tokens.count
      append(text, answer, after: &predecessor, to: &tokens)
      spoken.append(start..<tokens.count)
      place = answer.upperBound
    }
    append(text, place..<text.bytes.count, after: &predecessor, to: &tokens)
    if answers.isEmpty { addBegin(to: &tokens) }
    return ChatTranscript(tokens: tokens, spoken: spoken, omissions: omissions)
  }
}
