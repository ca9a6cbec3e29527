public import Grammars
public import Tokenization

/// Whether an answer may call tools.
public enum ToolCalling: Sendable, Equatable {
  /// The model chooses.
  case allowed
  /// It calls tools.
  case required
  /// It does not.
  case disallowed
}

/// Lets an answer be a text or calls of tools, as the model chooses, and calls only such as can be read.
///
/// Where a special token begins calls, the model chooses by it, at once or behind text. Elsewhere it chooses with its first
/// tokens: an answer that begins as calls do is one, and where it may not call, no text begins so.
public struct ToolConstraint: TokenConstraint {
  private let format: ToolCallFormat
  private let tokenizer: Tokenizer
  private let calling: ToolCalling
  /// What an answer without calls has to be like; nil for any text.
  private var answer: (any TokenConstraint)?
  private var calls: GrammarConstraint
  private var state: State
  /// Tokens that a text may have.
  private var texts = TokenMask(count: 0)

  private enum State {
    /// So many bytes are as calls begin: both may come still or, where calls may not, a text that goes on in another way.
    case open(Int)
    case answer
    case calls
  }

  init(
    _ format: ToolCallFormat, _ tokenizer: Tokenizer, calls: GrammarConstraint,
    answer: (any TokenConstraint)?, _ calling: ToolCalling
  ) {
    (self.format, self.tokenizer, self.calling) = (format, tokenizer, calling)
    (self.calls, self.answer) = (calls, answer)
    state =
      switch calling {
      case .allowed: .open(0)
      case .required: .calls
      case .disallowed: format.trigger == nil && answer == nil ? .open(0) : .answer
      }
  }

  /// Lets calls, and an answer that has to be like something, end within so many tokens.
  public mutating func limit(to tokens: Int) {
    calls.limit(to: tokens)
    answer?.limit(to: tokens)
  }

  /// Marks the tokens that may come next.
  public mutating func markAllowed(in mask: inout TokenMask) throws(GrammarDefect) {
    switch state {
    case .calls: try calls.markAllowed(in: &mask)
    case .answer: try markAnswer(in: &mask)
    case .open(let count):
      try markAnswer(in: &mask)
      if let trigger = format.trigger {
        mask[trigger] = true
        return
      }
      if answer == nil { forbidOpening(behind: count, in: &mask) }
      guard calling == .allowed else { return }
      var allowed = TokenMask(count: mask.count)
      try calls.markAllowed(in: &allowed)
      mask.formUnion(allowed)
    }
  }

  private mutating func markAnswer(in mask: inout TokenMask) throws(GrammarDefect) {
    guard answer == nil else {
      try answer?.markAllowed(in: &mask)
      return
    }
    if texts.count != mask.count {
      texts = TokenMask(count: mask.count, marking: 0..<mask.count)
      for mark in format.marks where Int(mark) < mask.count { texts[mark] = false }
    }
    mask.formUnion(texts)
    if let trigger = format.trigger, mayCall { mask[trigger] = true }
  }

  /// Whether calls may stand behind a text.
  private var mayCall: Bool { calling == .allowed && answer == nil }

  /// Takes out the tokens that would complete what calls begin with: of those only what calls go on with may come.
  private func forbidOpening(behind count: Int, in mask: inout TokenMask) {
    let rest = format.opening[count...]
    let nodes = tokenizer.trie.nodes
    var (index, depth) = (0, 0)
    while index < nodes.count {
      let node = nodes[index]
      if Int(node.depth) < depth { return }
      guard node.byte == rest[rest.startIndex + depth] else {
        index = Int(node.end)
        continue
      }
      depth += 1
      guard depth == rest.count else {
        index += 1
        continue
      }
      for inside in index..<Int(node.end) {
        for token in tokenizer.trie.tokens(at: inside) where Int(token) < mask.count {
          mask[token] = false
        }
      }
      return
    }
  }

  /// Goes on after `token`.
  public mutating func advance(past token: Token) throws(GrammarDefect) {
    switch state {
    case .calls: try calls.advance(past: token)
    case .answer:
      if token == format.trigger, mayCall {
        state = .calls
        try calls.advance(past: token)
      } else {
        try answer?.advance(past: token)
      }
    case .open(let count):
      if let trigger = format.trigger {
        state = token == trigger ? .calls : .answer
        if token == trigger {
          try calls.advance(past: token)
        } else {
          try answer?.advance(past: token)
        }
      } else {
        try choose(token, count)
      }
    }
  }

  /// Goes on where the text so far is what calls begin with, and maybe what the answer does.
  private mutating func choose(_ token: Token, _ count: Int) throws(GrammarDefect) {
    let isAnswer = try answerAllows(token)
    try calls.advance(past: token)
    let length = count + format.coded([token], tokenizer).count
    if isAnswer { try answer?.advance(past: token) }
    if !calls.isPossible || calling == .disallowed && length >= format.opening.count {
      state = .answer
    } else if answer == nil ? length >= format.opening.count : !isAnswer {
      state = .calls
    } else {
      state = .open(length)
    }
  }

  private mutating func answerAllows(_ token: Token) throws(GrammarDefect) -> Bool {
    guard answer != nil else { return true }
    var mask = TokenMask(count: max(tokenizer.count, Int(token) + 1))
    try answer?.markAllowed(in: &mask)
    return mask[token]
  }

  /// What comes next for sure once the model has chosen.
  public mutating func forcedTokens() throws(GrammarDefect) -> [Token] {
    switch state {
    case .calls: try calls.forcedTokens()
    case .answer: try answer?.forcedTokens() ?? []
    case .open: []
    }
  }

  /// What may come of `proposal` once the model has chosen.
  public mutating func continuation(of proposal: [Token], limit: Int) -> [PossibleToken] {
    switch state {
    case .calls: return calls.continuation(of: proposal, limit: limit)
    case .answer where answer != nil:
      return answer?.continuation(of: proposal, limit: limit) ?? []
    case .answer:
      return proposal.prefix(limit).prefix { !format.marks.contains($0) }
        .map { PossibleToken(token: $0, isForced: false) }
    case .open: return []
    }
  }

  /// Marks the tokens that may come behind `proposal`, once the model has chosen.
  public mutating func markAllowed(in mask: inout TokenMask, behind proposal: [Token]) -> Bool {
    switch state {
    case .calls: return calls.markAllowed(in: &mask, behind: proposal)
    case .answer where answer != nil:
      return answer?.markAllowed(in: &mask, behind: proposal) ?? false
    case .answer:
      guard !proposal.contains(where: format.marks.contains) else { return false }
      return (try? markAnswer(in: &mask)) != nil
    case .open: return false
    }
  }
}

extension ChatRenderer {
  /// The constraint of an answer that may call tools.
  ///
  /// `answer` decides what one without calls is like; nil for any text. At most `limit` calls come at once.
  ///
  /// - Throws: `GrammarDefect` for arguments that cannot be enforced, or a base without a token that ends answers.
  public func constraint(
    answer: (any TokenConstraint)? = nil, _ calling: ToolCalling = .allowed, limit: Int? = nil
  ) throws(GrammarDefect) -> (any TokenConstraint)? {
    guard let toolCalls, !tools.isEmpty else { return answer }
    let calls = try GrammarConstraint(
      toolCalls.grammar(tools, limit: limit), tokenizer: tokenizer, stopTokens: stopTokens,
      marks: toolCalls.marks)
    return ToolConstraint(toolCalls, tokenizer, calls: calls, answer: answer, calling)
  }
}
