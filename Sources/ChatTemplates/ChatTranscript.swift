public import Adapters
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
  /// An answer goes from where `prompt` ends for it to the mark that ends it, so that a model learns what it will see and
  /// say; where the template shows what is before it otherwise, as later templates do with thoughts, it starts with
  /// its own text. It is encoded by itself, as it is generated; the line end that some formats put behind its end mark is
  /// not part of it. `toolCalls` are JSON lists of calls, each with `name` and `arguments`, by the index in `messages` of the
  /// answer that ends with them.
  ///
  /// - Throws: `ChatDefect` when roles come in an order that no model was trained on, when the format
  ///   has no place for tools or calls, or when the template refuses the chat.
  public func transcript(
    _ messages: [ChatMessage], toolCalls: [Int: String] = [:], tools: [JSONValue] = []
  ) throws(ChatDefect) -> ChatTranscript {
    let (objects, whole) = try prepared(messages, toolCalls, tools)
    var settings = whole
    let shift = objects.count - messages.count
    let text = try sourced(objects, settings)
    var answers: [Range<Int>] = []
    for (place, message) in messages.enumerated() where message.role == .assistant {
      let index = place + shift
      settings.hasGenerationPrompt = true
      let prompt = try? sourced(Array(objects[..<index]), settings)
      let start = answers.last?.upperBound ?? 0
      let isEmpty =
        SourcedText(message.content, .data).trimmed().isEmpty && toolCalls[place] == nil
      guard let answer = answer(index, in: text, from: start, after: prompt, isEmpty) else {
        throw .missingAnswer(index: place)
      }
      answers.append(answer)
    }
    return transcript(text, answers)
  }

  /// The most tokens that ``transcript(_:toolCalls:tools:)`` has for a chat, without making them.
  ///
  /// - Throws: What that does.
  package func mostTokens(
    _ messages: [ChatMessage], toolCalls: [Int: String] = [:], tools: [JSONValue] = []
  ) throws(ChatDefect) -> Int {
    let (objects, settings) = try prepared(messages, toolCalls, tools)
    let text = try sourced(objects, settings)
    let shift = objects.count - messages.count
    let isWhole = messages.indices.allSatisfy { index in
      messages[index].role != .assistant || text.range(ofMessage: index + shift) != nil
    }
    // Where an answer is that leaves no text, only the prompts before it tell.
    guard isWhole else {
      return try transcript(messages, toolCalls: toolCalls, tools: tools).tokens.count
    }
    return tokenizer.mostTokens(ofBytes: text.bytes.count)
  }

  /// What a template gets of a chat with its answers.
  private func prepared(
    _ messages: [ChatMessage], _ toolCalls: [Int: String], _ tools: [JSONValue]
  ) throws(ChatDefect) -> ([JSONValue], ChatSettings) {
    try checkOrder(messages, after: nil)
    let all = instructed(messages)
    try checkCalls(toolCalls, tools)
    var objects = all.map { $0.json(argumentsAreText: false) }
    for (index, calls) in toolCalls {
      let place = index + all.count - messages.count
      objects[place] = Self.adding(calls, to: objects[place])
    }
    var settings = ChatSettings()
    settings.tools = tools
    settings.hasGenerationPrompt = false
    return (objects, settings)
  }

  private func checkCalls(_ calls: [Int: String], _ tools: [JSONValue]) throws(ChatDefect) {
    guard !calls.isEmpty || !tools.isEmpty else { return }
    if let format = style.format {
      guard style.mentions("tool_calls") else { throw .unsupportedTools(format) }
      guard !calls.isEmpty else { return }
      for mark in format.callMarks where tokenizer.token(mark) == nil {
        throw .missingMark(format, mark: mark)
      }
    } else {
      let names = (calls.isEmpty ? [] : ["tool_calls"]) + (tools.isEmpty ? [] : ["tools"])
      guard names.allSatisfy(style.mentions) else { throw .unsupportedTools(nil) }
    }
  }

  /// The message with its calls in the form that templates take.
  private static func adding(_ calls: String, to message: JSONValue) -> JSONValue {
    guard var object = message.object,
      let list = try? JSONDocument(parsing: Array(calls.utf8), limit: .max).root.array
    else { return message }
    object["tool_calls"] = .array(
      list.map { call in
        .object(
          JSONObject([
            JSONObject.Member(key: "type", value: .string("function")),
            JSONObject.Member(key: "function", value: call),
          ]))
      })
    return .object(object)
  }

  /// Where the answer with this index stands, its end mark included.
  private func answer(
    _ index: Int, in text: SourcedText, from least: Int, after prompt: SourcedText?, _ isEmpty: Bool
  ) -> Range<Int>? {
    let said = text.range(ofMessage: index)
    guard said != nil || isEmpty else { return nil }
    var start = said?.lowerBound
    if let prompt, text.hasPrefix(prompt), prompt.bytes.count >= least,
      prompt.bytes.count <= said?.lowerBound ?? .max
    {
      start = prompt.bytes.count
    }
    guard let start else { return nil }
    let end = said?.upperBound ?? start
    return start..<(endMark(of: index, in: text, from: end) ?? end)
  }

  /// The end of the first token that ends answers, unless another message comes before it.
  func endMark(of index: Int, in text: SourcedText, from start: Int) -> Int? {
    endMarkRange(of: index, in: text, from: start)?.upperBound
  }

  /// The start of that token.
  func startOfEndMark(of index: Int, in text: SourcedText, from start: Int) -> Int? {
    endMarkRange(of: index, in: text, from: start)?.lowerBound
  }

  private func endMarkRange(
    of index: Int, in text: SourcedText, from start: Int
  ) -> Range<Int>? {
    let marks = stopTexts
    for offset in start..<text.bytes.count {
      let source = text.source(at: offset)
      if let message = source.message, message != index { return nil }
      guard source.isTemplate else { continue }
      let found = marks.filter { text.bytes[offset...].starts(with: $0) }.map(\.count).max()
      if let found { return offset..<(offset + found) }
    }
    return nil
  }

  private func transcript(_ text: SourcedText, _ answers: [Range<Int>]) -> ChatTranscript {
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
    return ChatTranscript(tokens: tokens, spoken: spoken)
  }
}
