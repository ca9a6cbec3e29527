import Adapters
import ChatTemplates
import Grammars
import JSON
import LanguageModels
import SystemFiles
import Tokenization

/// What a line says about all of its answers, made ready for a base.
struct AnswerSettings {
  let tokenizer: Tokenizer
  /// Nil where a text is continued as it is.
  private(set) var renderer: ChatRenderer?
  var options: GenerationOptions
  /// How tokens are drawn, as the base or an adapter states it, and as the person does, who has the last word.
  let stated: SamplingSettings
  var asked: SamplingSettings { didSet { options.take(asked.over(stated)) } }
  /// What stands before all messages.
  var opening: [ChatMessage]
  /// What goes of a talk that is longer than the context; nil for nothing.
  var contextRule: ContextRule?
  /// Whether an answer ends where it only says the same again and again.
  let endsLoops: Bool
  let speculation: Speculation?
  /// What answers are bound to.
  let schema: JSONValue?
  /// Lets only JSON come that fits the schema.
  let constraint: GrammarConstraint?
  /// Tokens that end an answer.
  let stopTokens: Set<Token>
  /// Tools that the model may call.
  let tools: [ToolProgram]
  /// How often it may for one prompt, none before the first answer.
  let rounds: ToolRounds

  /// Without `isBound`, a schema of the line is none that answers are bound to.
  init(
    _ model: LanguageModel, adapters: [AppliedAdapter], costs: PassCosts?,
    tools: [ToolProgram] = [], isBound: Bool = true, _ arguments: ParsedArguments,
    _ terminal: Terminal
  ) throws {
    tokenizer = try model.tokenizer()
    let path = isBound ? arguments.value(AnswerOptions.schema) : nil
    let plain = try Self.renderer(arguments, model, tokenizer, isBound: path != nil, terminal)
    renderer = tools.isEmpty ? plain : try plain?.offering(tools.map(\.tool))
    (self.tools, rounds) = (tools, tools.isEmpty ? ToolRounds() : ToolOptions.rounds(arguments))
    stopTokens = renderer?.stopTokens ?? tokenizer.endsOfGeneration
    (stated, asked) = (model.sampling(with: adapters), AnswerOptions.asked(arguments))
    options = AnswerOptions.sampling(arguments, or: stated)
    opening =
      arguments.value(AnswerOptions.instructions)
      .map { [ChatMessage(role: .system, content: $0)] } ?? []
    contextRule = (arguments.value(AnswerOptions.contextPolicy) ?? .rule(.dropOldest)).rule
    endsLoops = !arguments.has(AnswerOptions.allowLoops)
    let draft = arguments.value(AnswerOptions.draft) ?? .auto
    speculation = try draft.speculation(for: model, adapters, costs: costs)
    schema = try path.map(InputText.json)
    constraint = try Self.constraint(schema, path, tokenizer, stopTokens)
  }

  private static func renderer(
    _ arguments: ParsedArguments, _ model: LanguageModel, _ tokenizer: Tokenizer,
    isBound: Bool, _ terminal: Terminal
  ) throws -> ChatRenderer? {
    guard !arguments.has(RunCommand.raw) else { return nil }
    var renderer = try ChatRenderer(
      AnswerOptions.style(arguments, model.file), tokenizer: tokenizer)
    let isAsked = arguments.has(AnswerOptions.noThink)
    // JSON that has to fit leaves no room for thoughts.
    guard isAsked || isBound else { return renderer }
    if renderer.leavesThinking {
      renderer.thinking = false
    } else if isAsked {
      terminal.note("The template of this base leaves no choice about thinking.")
    }
    return renderer
  }

  /// - Throws: what is wrong with the schema, with the name of its file.
  private static func constraint(
    _ schema: JSONValue?, _ path: String?, _ tokenizer: Tokenizer, _ stopTokens: Set<Token>
  ) throws -> GrammarConstraint? {
    guard let schema, let path else { return nil }
    do throws(GrammarDefect) {
      return try GrammarConstraint(
        Grammar(schema: schema), tokenizer: tokenizer, stopTokens: stopTokens)
    } catch {
      throw Failure(.invalid, "\(path): \(error)")
    }
  }

  /// The constraint of an answer that may call tools as `calling` says.
  ///
  /// - Throws: `Failure` for arguments of tools that cannot be enforced.
  func constraint(_ calling: ToolCalling) throws -> (any TokenConstraint)? {
    guard let renderer, !tools.isEmpty else { return constraint }
    do throws(GrammarDefect) {
      return try renderer.constraint(answer: constraint, calling, limit: ToolRounds.usualCalls)
    } catch {
      throw Failure(.invalid, "\(error)")
    }
  }

  /// Lets calls of tools stand in a chat that has none of its own.
  mutating func takeCalls(of messages: [ChatMessage]) throws(ChatDefect) {
    guard tools.isEmpty, messages.contains(where: { $0.role == .tool || !$0.toolCalls.isEmpty })
    else { return }
    renderer = try renderer?.offering([])
  }

  /// The tokens of a text that is to go on, so without what would end it.
  func rawTokens(_ text: String) -> [Token] {
    var tokens = tokenizer.encode(text, special: true)
    if tokenizer.addsEnd, tokens.last == tokenizer.endToken { tokens.removeLast() }
    return tokens
  }

  /// Continues `prompt` on a session, as far as that has room; with other options than these where some are given.
  func generator(
    _ prompt: [Token], on session: ModelSession, constraint: (any TokenConstraint)?,
    options other: GenerationOptions? = nil
  ) throws -> TokenGenerator {
    var options = other ?? options
    options.maximumTokens = min(options.maximumTokens, session.contextLength - prompt.count)
    return try TokenGenerator(
      session, prompt: prompt, options: options, stopTokens: stopTokens, constraint: constraint,
      speculator: speculation.map { try Speculator($0, for: session) })
  }

  /// All that was said to the model in a talk.
  func asked(in messages: [ChatMessage]) -> String {
    (opening + messages).filter { $0.role != .assistant }.map(\.content).joined(separator: "\n")
  }

  /// Turns the tokens of an answer to `prompt`, which may call tools as `calling` says, into text; with calls of the tools that `other`
  /// offers, if it is given.
  ///
  /// Loops are watched for in an answer to what was `asked`, where nothing holds it to a schema.
  func decoder(
    after prompt: [Token], _ calling: ToolCalling = .allowed, offering other: ChatRenderer? = nil,
    to asked: String? = nil
  ) -> AnswerDecoder {
    let watch = asked.flatMap { asked in
      endsLoops && constraint == nil
        ? LoopWatch(asked: asked) { [tokenizer] in tokenizer.decode($0, isStart: false) } : nil
    }
    guard let renderer else {
      return AnswerDecoder(
        pieces: StreamingDecoder(tokenizer, isStart: false), calls: nil, thoughts: nil,
        watch: watch)
    }
    let end = tokenizer.decode(Array(prompt.suffix(12)), special: true, isStart: false)
    return AnswerDecoder(
      pieces: renderer.answerDecoder(),
      calls: (other ?? (tools.isEmpty ? nil : renderer)).map { ToolCallStream($0, calling) },
      thoughts: ThoughtStream(after: end), watch: watch)
  }
}

extension GenerationOptions {
  /// With a seed in any case.
  var seeded: GenerationOptions {
    var options = self
    options.seed = drawnSeed
    return options
  }
}

/// The text of an answer as its tokens come, thoughts apart.
struct AnswerDecoder {
  fileprivate var pieces: StreamingDecoder
  /// Nil where no tools may be called.
  fileprivate var calls: ToolCallStream?
  /// Nil where everything is text.
  fileprivate var thoughts: ThoughtStream?
  /// Nil where loops are let be.
  fileprivate var watch: LoopWatch?
  /// All that came, as the model wrote it.
  private(set) var whole = ""
  private(set) var answer = ""
  private(set) var thought = ""

  /// The tools that were called, once the answer has ended.
  private(set) var called: [ChatToolCall] = []
  /// Whether the answer ended within a call.
  private(set) var isCutCall = false

  /// What the answer goes round in; nil while it gets on, and in calls, which have to be whole.
  var loop: LoopWatch.Loop? { calls?.isCalling ?? false ? nil : watch?.loop }

  mutating func append(_ token: Token) -> [ThoughtStream.Part] {
    watch?.append(token)
    return add(calls?.append(token) ?? pieces.append(token))
  }

  mutating func finish() -> [ThoughtStream.Part] {
    var number = 0
    guard
      let (text, found) = calls?.finish(makeID: {
        number += 1
        return "call\(number)"
      })
    else { return add(pieces.finish()) + note(thoughts?.finish() ?? []) }
    called = found ?? []
    isCutCall = calls?.isCalling ?? false && found == nil
    return add(text) + note(thoughts?.finish() ?? [])
  }

  private mutating func add(_ text: String) -> [ThoughtStream.Part] {
    whole += text
    guard !text.isEmpty else { return [] }
    return note(thoughts?.append(text) ?? [.answer(text)])
  }

  private mutating func note(_ parts: [ThoughtStream.Part]) -> [ThoughtStream.Part] {
    for part in parts {
      switch part {
      case .answer(let text): answer += text
      case .thought(let text): thought += text
      }
    }
    return parts
  }
}
