import Adapters
import ChatTemplates
import Chats
import Grammars
import JSON
import LanguageModels
import SystemFiles
import Tokenization

/// What a line says about all of its answers, made ready for a base.
struct AnswerSettings {
  /// How turns are held.
  private(set) var form: ChatForm
  var options: SamplingOptions
  /// How tokens are drawn, as the base or an adapter states it, and as the person does, who has the last word.
  let stated: SamplingSettings
  var asked: SamplingSettings { didSet { options.take(asked.over(stated)) } }
  /// What stands before all messages.
  var opening: [ChatMessage]
  /// What goes of a talk that is longer than the context; nil for nothing.
  var contextRule: ContextRule?
  let speculation: Speculation?
  /// What answers are bound to.
  let schema: JSONValue?
  /// Tools that the model may call.
  let tools: [ToolProgram]

  /// Without `isBound`, a schema of the line is none that answers are bound to.
  init(
    _ model: BaseModel, adapters: [AppliedAdapter], costs: PassCosts?,
    tools: [ToolProgram] = [], isBound: Bool = true, _ arguments: ParsedArguments,
    _ terminal: Terminal
  ) throws {
    let tokenizer = try model.tokenizer()
    let path = isBound ? arguments.value(AnswerOptions.schema) : nil
    let plain = try Self.renderer(arguments, model, tokenizer, isBound: path != nil, terminal)
    form = ChatForm(tokenizer, renderer: plain)
    self.tools = tools
    if !tools.isEmpty {
      form.renderer = try plain?.offering(tools.map(\.tool))
      form.offering = form.renderer
      form.rounds = ToolOptions.rounds(arguments)
    }
    form.endsLoops = !arguments.has(AnswerOptions.allowLoops)
    (stated, asked) = (model.sampling(with: adapters), AnswerOptions.asked(arguments))
    options = AnswerOptions.sampling(arguments, or: stated)
    opening =
      arguments.value(AnswerOptions.instructions)
      .map { [ChatMessage(role: .system, content: $0)] } ?? []
    contextRule = (arguments.value(AnswerOptions.contextPolicy) ?? .rule(.dropOldest)).rule
    let draft = arguments.value(AnswerOptions.draft) ?? .auto
    speculation = try draft.speculation(for: model, adapters, costs: costs)
    schema = try path.map(InputText.json)
    form.constraint = try Self.constraint(schema, path, tokenizer, form.stopTokens)
  }

  private static func renderer(
    _ arguments: ParsedArguments, _ model: BaseModel, _ tokenizer: Tokenizer,
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

  /// Lets calls of tools stand in a chat that has none of its own.
  mutating func takeCalls(of messages: [ChatMessage]) throws(ChatDefect) {
    guard tools.isEmpty, messages.contains(where: { $0.role == .tool || !$0.toolCalls.isEmpty })
    else { return }
    form.renderer = try form.renderer?.offering([])
  }

  /// The tokens of a text that is to go on, so without what would end it.
  func rawTokens(_ text: String) -> [Token] {
    var tokens = form.tokenizer.encode(text, special: true)
    if form.tokenizer.addsEnd, tokens.last == form.tokenizer.endToken { tokens.removeLast() }
    return tokens
  }

  /// Continues `prompt` on a session, as far as that has room; with other options than these where some are given.
  func generator(
    _ prompt: [Token], on session: ModelSession, constraint: (any TokenConstraint)?,
    options other: SamplingOptions? = nil
  ) throws -> TokenGenerator {
    var options = other ?? options
    options.maximumTokens = min(options.maximumTokens, session.contextLength - prompt.count)
    return try TokenGenerator(
      session, prompt: prompt, options: options, stopTokens: form.stopTokens,
      constraint: constraint,
      speculator: speculation.map { try Speculator($0, for: session) })
  }
}

extension SamplingOptions {
  /// With a seed in any case.
  var seeded: SamplingOptions {
    var options = self
    options.seed = drawnSeed
    return options
  }
}
