import FoundationEssentials
public import JSON
public import Tokenization

/// Turns a chat into the tokens that a model continues with its answer, by the template of its base.
///
/// Marks are read only where the template wrote them; what messages, tools and results say is text.
public struct ChatRenderer: Sendable {
  /// The template, and what it is called.
  public let style: ChatStyle
  /// Tokens that end an answer.
  public private(set) var stopTokens: Set<Token>
  /// Whether the assistant thinks before it answers, where the template leaves the choice; nil for its default.
  public var thinking: Bool?
  /// Tools that the assistant may call; ``offering(_:)`` sets them.
  public internal(set) var tools: [ChatTool] = []
  /// How the assistant calls tools, in a chat that may have calls.
  public internal(set) var toolCalls: ToolCallFormat?
  let tokenizer: Tokenizer
  /// Bytes that a transcript may have before and behind an answer, and the template's text of the chat has not.
  private(set) var openingLimit = 0
  /// What templates know the special tokens by.
  private let specialTokens: [(name: String, text: String)]

  /// Prepares a template for a vocabulary.
  ///
  /// - Throws: `ChatDefect.missingMark` when a format needs a token that the vocabulary lacks.
  public init(_ style: ChatStyle, tokenizer: Tokenizer) throws(ChatDefect) {
    self.style = style
    self.tokenizer = tokenizer
    if let format = style.format {
      for mark in format.marks where tokenizer.token(mark) == nil {
        throw .missingMark(format, mark: mark)
      }
      if [.afm, .llama2].contains(format), tokenizer.endToken == nil {
        throw .missingMark(format, mark: "tokenizer.ggml.eos_token_id")
      }
    }
    func name(_ token: Token?) -> String {
      String(decoding: token.map { tokenizer.bytes(of: $0, special: true) } ?? [], as: UTF8.self)
    }
    let (begin, end) = (name(tokenizer.beginToken), name(tokenizer.endToken))
    specialTokens = [("bos_token", begin), ("eos_token", end)]
    stopTokens = tokenizer.endsOfGeneration
    if let end = endOfAnswer() { stopTokens.insert(end) }
    openingLimit = longestOpening()
  }

  /// A decoder for an answer.
  public func answerDecoder() -> StreamingDecoder {
    StreamingDecoder(tokenizer, isStart: !tokenizer.prefixesStartOnly)
  }
}

/// What a chat is rendered with beside its messages.
public struct ChatSettings: Sendable {
  /// Tools that the assistant may call, as JSON objects.
  public var tools: [JSONValue] = []
  /// Whether the assistant thinks before it answers, where the template leaves the choice; nil for its default.
  public var thinking: Bool?
  /// Whether the text goes up to where an answer starts.
  public var hasGenerationPrompt = true
  /// What the template takes for the time; nil for the current one.
  public var date: TemplateDate?
  /// Whether tools stand in the instructions also where the template has a place for them.
  package var tellsToolsInInstructions = false

  /// Settings of a chat without tools that waits for an answer.
  public init() {}
}

/// A chat as a model sees it.
public struct RenderedChat: Sendable, Equatable {
  /// The text that the template makes, marks by their names.
  public let text: String
  /// The tokens.
  public let tokens: [Token]
}

extension ChatRenderer {
  /// A chat as transformers hands it to templates: `messages` are objects with `role`, `content` and what else a template
  /// may know.
  ///
  /// Their order is the template's concern. Tools, calls and results that it has no place for stand in messages, as ``offering(_:)``
  /// has them.
  ///
  /// - Throws: `ChatDefect.failedTemplate`; where the template has no place for tools, what ``offering(_:)`` does.
  public func render(
    _ messages: [JSONValue], _ settings: ChatSettings = ChatSettings()
  ) throws(ChatDefect) -> RenderedChat {
    var settings = settings
    var said = messages
    if knowsNoTools || settings.tellsToolsInInstructions {
      said = try toldTools(messages, settings.tools)
      settings.tools = []
    }
    let text = try sourced(said, settings)
    return RenderedChat(text: text.string, tokens: tokens(of: text))
  }

  /// The text of messages, in which every part knows whose it is.
  func sourced(_ messages: [JSONValue], _ settings: ChatSettings) throws(ChatDefect) -> SourcedText
  {
    var variables: [(name: String, value: JinjaValue)] = [
      ("messages", .list(messages.enumerated().map { Self.value(of: $1, at: $0) })),
      (
        "tools",
        settings.tools.isEmpty ? .none : .list(settings.tools.map { JinjaValue($0, .data) })
      ),
      ("documents", .none), ("add_generation_prompt", .bool(settings.hasGenerationPrompt)),
    ]
    for (name, text) in specialTokens { variables.append((name, .string(text))) }
    if let thinking = settings.thinking {
      variables += [("enable_thinking", .bool(thinking)), ("thinking", .bool(thinking))]
    }
    do throws(JinjaError) {
      return try style.template(hasTools: !settings.tools.isEmpty).render(
        variables, date: settings.date ?? .now)
    } catch {
      throw .failedTemplate(error)
    }
  }

  /// What a template sees of a message.
  ///
  /// The name of a known role is a part of marks in many templates. Thoughts have all the names that transformers gives
  /// them.
  private static func value(of message: JSONValue, at index: Int) -> JinjaValue {
    guard let object = message.object else { return JinjaValue(message, .message(index)) }
    let dictionary = JinjaDictionary()
    let names = ChatMessage.thoughtKeys
    let thoughts = names.lazy.compactMap { name -> JSONValue? in
      if case .null? = object[name] { nil } else { object[name] }
    }
    if let thought = thoughts.first, object["thinking"] == nil {
      dictionary.set("thinking", JinjaValue(thought, .message(index, .thoughts)))
    }
    for member in object.members {
      var source = TextSource.message(
        index,
        member.key == "tool_calls" ? .calls : names.contains(member.key) ? .thoughts : .text)
      if member.key == "role", roles.contains(member.value.string ?? "") { source = .template }
      dictionary.set(.string(member.key, .message(index)), JinjaValue(member.value, source))
    }
    if let thought = thoughts.first {
      dictionary.set("reasoning_content", JinjaValue(thought, .message(index, .thoughts)))
    }
    return .dictionary(dictionary)
  }

  private static let roles: Set = [
    "system", "user", "assistant", "tool", "developer", "function", "ipython", "model",
  ]

  /// The tokens of a whole text.
  func tokens(of text: SourcedText) -> [Token] {
    var tokens: [Token] = []
    var predecessor = Tokenizer.Predecessor.nothing
    append(text, 0..<text.bytes.count, after: &predecessor, to: &tokens)
    addBegin(to: &tokens)
    return tokens
  }

  /// Puts the begin token in front of the tokens of a text, where the file says so and the template has not done it.
  func addBegin(to tokens: inout [Token]) {
    guard tokenizer.addsBegin, let begin = tokenizer.beginToken, tokens.first != begin else {
      return
    }
    tokens.insert(begin, at: 0)
  }

  /// Appends the tokens of a part of a text.
  func append(
    _ text: SourcedText, _ range: Range<Int>, after predecessor: inout Tokenizer.Predecessor,
    to tokens: inout [Token]
  ) {
    let part = text[range]
    predecessor = tokenizer.append(
      part.bytes, marks: part.templateRanges, after: predecessor, to: &tokens)
  }
}

extension SourcedText {
  /// Where the template's own text is.
  var templateRanges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for run in runs {
      if run.source.isTemplate {
        if ranges.last?.upperBound == start {
          ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<run.end
        } else {
          ranges.append(start..<run.end)
        }
      }
      start = run.end
    }
    return ranges
  }

  /// Where the text of a message stands, from its first byte to its last; nil where it is left out.
  func range(ofMessage index: Int) -> Range<Int>? {
    var found: Range<Int>?
    var start = 0
    for run in runs {
      if run.source.message == index { found = (found?.lowerBound ?? start)..<run.end }
      start = run.end
    }
    return found
  }
}

extension TemplateDate {
  /// The current moment in the time zone of this machine.
  public static var now: TemplateDate {
    let parts = Calendar(identifier: .gregorian).dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: Date())
    return TemplateDate(
      year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1,
      hour: parts.hour ?? 0, minute: parts.minute ?? 0, second: parts.second ?? 0)
  }
}
