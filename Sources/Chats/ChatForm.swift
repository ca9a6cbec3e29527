public import ChatTemplates
public import Grammars
public import Tokenization

/// What the turns of a chat have in common: who writes the prompts, which tools may be called, and what answers are bound to.
public struct ChatForm {
  /// The tokens of the base.
  public let tokenizer: Tokenizer
  /// Writes prompts; nil where a text is continued as it is.
  public var renderer: ChatRenderer?
  /// Knows the tools that answers may call; nil for none.
  public var offering: ChatRenderer?
  /// Lets only answers come that fit, apart from calls of tools; nil for any.
  public var constraint: (any TokenConstraint)?
  /// How often a turn may call tools, none before its first answer.
  public var rounds = ToolRounds()
  /// Whether an answer ends where it only says the same again and again; never where a constraint binds it.
  public var endsLoops = false

  /// A chat over the base of `tokenizer`, whose answers are any text.
  public init(_ tokenizer: Tokenizer, renderer: ChatRenderer?) {
    (self.tokenizer, self.renderer) = (tokenizer, renderer)
  }

  /// Tokens that end an answer.
  public var stopTokens: Set<Token> { renderer?.stopTokens ?? tokenizer.endsOfGeneration }

  /// The constraint of an answer that may call tools as `calling` says.
  ///
  /// - Throws: `GrammarDefect` for arguments of tools that cannot be enforced.
  public func constraint(
    _ calling: ToolCalling
  ) throws(GrammarDefect) -> (any TokenConstraint)? {
    guard let offering else { return constraint }
    return try offering.constraint(answer: constraint, calling, limit: ToolRounds.usualCalls)
  }

  /// What makes text of the answer to `prompt`, in which `asked` is all that was said to the model.
  func decoder(
    after prompt: [Token], _ calling: ToolCalling, asked: @autoclosure () -> String
  ) -> AnswerDecoder {
    let watch =
      endsLoops && constraint == nil
      ? LoopWatch(asked: asked()) { [tokenizer] in tokenizer.decode($0, isStart: false) } : nil
    guard let renderer else {
      return AnswerDecoder(StreamingDecoder(tokenizer, isStart: false), watch: watch)
    }
    let end = tokenizer.decode(Array(prompt.suffix(12)), special: true, isStart: false)
    return AnswerDecoder(
      renderer.answerDecoder(), calls: offering.map { ToolCallStream($0, calling) },
      thoughts: ThoughtStream(after: end), watch: watch)
  }
}
