import ChatTemplates
import Chats
import Grammars
import LanguageModels
import SystemFiles
import Tokenization

/// The tokens that a request is answered behind, and who has written them.
struct GenerationPrompt: Sendable {
  let tokens: [Token]
  let messages: [ChatMessage]
  /// Nil where a text is continued as it is.
  let renderer: ChatRenderer?
  /// Knows the tools that may be called; nil for none.
  let calling: ChatRenderer?
  /// Tokens that the answer has at most.
  let limit: Int

  /// - Throws: `.invalidRequest` for messages that the template refuses, and for a prompt that leaves no room for an answer, but
  ///   where it is only counted.
  init(
    _ request: GenerationRequest, _ model: ServedModel, isCounted: Bool = false
  ) throws(ServingError) {
    let base = model.base
    try Self.checkLength(of: request, base)
    for token in request.shifts.biases.keys.sorted() {
      try Self.check(token, base, "logit_bias.\(token)")
    }
    switch request.prompt {
    case .tokens(let tokens):
      try Self.check(tokens, base, request.promptField)
      (self.tokens, messages, renderer, calling) = (tokens, [], nil, nil)
    case .text(let text):
      var tokens = base.tokenizer.encode(text, special: true)
      if base.tokenizer.addsEnd, tokens.last == base.tokenizer.endToken { tokens.removeLast() }
      (self.tokens, messages, renderer, calling) = (tokens, [], nil, nil)
    case .chat(let said):
      var renderer = base.renderer
      renderer.thinking = request.thinking
      if request.form != .any, renderer.leavesThinking { renderer.thinking = false }
      do throws(ChatDefect) {
        let hasCalls = said.contains { $0.role == .tool || !$0.toolCalls.isEmpty }
        if hasCalls || !request.tools.isEmpty { renderer = try renderer.offering(request.tools) }
        tokens = try renderer.prompt(shortened: said)
        let mayCall = !request.tools.isEmpty && request.calling != .disallowed
        calling = mayCall ? try Self.calling(request, renderer) : nil
      } catch {
        let isOfTools =
          switch error {
          case .duplicateTool, .unusableToolName: true
          default: false
          }
        throw .invalid(isOfTools ? "tools" : request.promptField, error.description)
      }
      (messages, self.renderer) = (said, renderer)
    }
    guard !tokens.isEmpty else {
      throw .invalid(request.promptField, "there is nothing to continue.")
    }
    let room = base.contextLength - tokens.count
    guard room > 0 || isCounted else {
      throw Self.tooLong(tokens.count, base, request.promptField)
    }
    // A value that is never closed would go on for ever.
    let usual = request.form == .any ? room : Self.usualLimit
    let held = base.pool.tokens(inBytes: base.pool.limit ?? .max) - tokens.count
    limit = min(request.maximumTokens ?? usual, room, max(held, 1))
  }

  /// Tokens of an answer that has to have a form, where nothing is said.
  private static let usualLimit = 2048
  /// Bytes of a prompt for each token of the context, beyond which it cannot fit: what is so long is not made tokens of.
  private static let bytesPerToken = 128

  private static func checkLength(
    of request: GenerationRequest, _ base: ServedBase
  ) throws(ServingError) {
    let bytes =
      switch request.prompt {
      case .tokens(let tokens): tokens.count
      case .text(let text): text.utf8.count
      case .chat(let messages): messages.reduce(0) { $0 + $1.content.utf8.count }
      }
    guard bytes <= base.contextLength * bytesPerToken else {
      throw ServingError(
        .invalidRequest,
        "The prompt has \(bytes) bytes, and the model's context \(base.contextLength) tokens: "
          + "shorten the messages.", field: request.promptField, code: "context_length_exceeded")
    }
  }

  /// What tells calls of `request` apart: of some tools only, where it names them.
  private static func calling(
    _ request: GenerationRequest, _ renderer: ChatRenderer
  ) throws(ChatDefect) -> ChatRenderer {
    guard let callable = request.callable else { return renderer }
    return try renderer.offering(request.tools.filter { callable.contains($0.name) })
  }

  private static func check(
    _ tokens: [Token], _ base: ServedBase, _ field: String
  ) throws(ServingError) {
    for (index, token) in tokens.enumerated() { try check(token, base, "\(field)[\(index)]") }
  }

  private static func check(
    _ token: Token, _ base: ServedBase, _ field: String
  ) throws(ServingError) {
    let count = base.model.configuration.vocabularySize
    guard (0..<count).contains(Int(token)) else {
      throw .invalid(field, "the model has no token \(token), only 0 to \(count - 1).")
    }
  }

  private static func tooLong(
    _ count: Int, _ base: ServedBase, _ field: String
  ) -> ServingError {
    ServingError(
      .invalidRequest,
      "The prompt has \(count) tokens, and the model's context \(base.contextLength): "
        + "shorten the \(field).", field: field, code: "context_length_exceeded")
  }

  /// What holds the answer to its form, and calls to the tools.
  ///
  /// - Throws: `GrammarDefect` for what cannot be enforced.
  func constraint(
    _ request: GenerationRequest, _ form: ChatForm
  ) throws(GrammarDefect) -> (any TokenConstraint)? {
    let answer = try request.form.grammar().map { grammar throws(GrammarDefect) in
      try GrammarConstraint(grammar, tokenizer: form.tokenizer, stopTokens: form.stopTokens)
    }
    guard let calling else { return answer }
    return try calling.constraint(
      answer: answer, request.calling, limit: request.callLimit ?? ToolRounds.usualCalls)
  }
}

extension ServingError {
  /// What an error of the engine means to a client; paths of this machine stay here.
  init(of error: any Error) {
    switch error {
    case let error as ServingError: self = error
    case let error as GrammarDefect:
      self.init(
        .invalidRequest, "The form that is asked for cannot be enforced: \(error.text.problem).")
    case BaseModelError.grammar(let defect): self.init(of: defect)
    case BaseModelError.invalidOption(let name, let value, let rule):
      self.init(.invalidRequest, "The \(name) is \(value), but has to be \(rule).")
    case BaseModelError.noPages:
      self.init(.overloaded, "There is no memory for keys and values left; try again.")
    case let error as BaseModelError where error.isOfRequest:
      self.init(.invalidRequest, error.description)
    default: self.init(.failed, "The model could not go on.")
    }
  }
}

extension BaseModelError {
  /// Whether the error is about what was asked, and not about the model's files.
  fileprivate var isOfRequest: Bool {
    switch self {
    case .contextExceeded, .emptyPrompt, .tokenOutsideVocabulary, .noTokenAllowed: true
    default: false
    }
  }
}
