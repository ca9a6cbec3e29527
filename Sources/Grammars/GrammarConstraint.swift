public import Tokenization

/// Lets only such tokens come that the text stays the beginning of one that a grammar allows, and can end as one.
///
/// What the model may choose is its own: optional properties, counts, branches, and every way to cut a text into tokens.
/// Text that ends by a stop token always is JSON of the grammar's form. Where the number of tokens runs out before, the
/// text is cut.
public struct GrammarConstraint: TokenConstraint {
  private let trie: TokenTrie
  private let stopTokens: [Token]
  private var machine: GrammarMachine
  private var state: GrammarMachine.State
  private let program: GrammarProgram
  private var written: [UInt8] = []
  private let tokenizer: Tokenizer
  /// Masks of states that have been met; the same states come again and again inside of a text.
  private var masks: [GrammarMachine.State: TokenMask] = [:]

  /// States and masks that are kept; beyond, everything is forgotten and met anew.
  private static let stateLimit = 20_000
  private static let maskLimit = 256
  private static let forcedLimit = 1024

  /// Prepares one generation with the pieces of `tokenizer`, which one of `stopTokens` ends.
  ///
  /// - Throws: `GrammarDefect` for what cannot be enforced.
  public init(
    _ grammar: Grammar, tokenizer: Tokenizer, stopTokens: Set<Token>
  ) throws(GrammarDefect) {
    guard !stopTokens.isEmpty else { throw .noStopToken }
    program = try GrammarCompiler.compile(grammar)
    self.tokenizer = tokenizer
    trie = tokenizer.trie
    self.stopTokens = stopTokens.sorted()
    machine = GrammarMachine(program)
    state = machine.start
  }

  /// Whether the text so far is a whole one.
  public var isComplete: Bool { state != GrammarMachine.dead && machine.isEnd(state) }

  /// Marks the tokens that may come next; stop tokens where the text may end.
  public mutating func markAllowed(in mask: inout TokenMask) throws(GrammarDefect) {
    mark(state, in: &mask)
  }

  /// Marks the tokens that may come behind `proposal`.
  public mutating func markAllowed(in mask: inout TokenMask, behind proposal: [Token]) -> Bool {
    var state = state
    for token in proposal {
      guard (0..<Token(tokenizer.count)).contains(token) else { return false }
      state = after(tokenizer.bytes(of: token), state)
    }
    mark(state, in: &mask)
    return true
  }

  private mutating func mark(_ state: GrammarMachine.State, in mask: inout TokenMask) {
    guard state != GrammarMachine.dead else { return }
    if let known = masks[state] {
      mask.formUnion(known)
      return
    }
    walk(from: state, &mask)
    for token in stopTokens where Int(token) < mask.count { mask[token] = machine.isEnd(state) }
    if masks.count >= Self.maskLimit { masks.removeAll(keepingCapacity: true) }
    masks[state] = mask
  }

  /// Goes on after `token`.
  public mutating func advance(past token: Token) throws(GrammarDefect) {
    let bytes = tokenizer.bytes(of: token)
    written += bytes
    advance(past: bytes)
    if machine.stateCount > Self.stateLimit {
      masks.removeAll()
      machine = GrammarMachine(program)
      state = machine.start
      advance(past: written)
    }
  }

  /// The longest pieces of the text that has to come, such as the keys of an object.
  public mutating func forcedTokens() throws(GrammarDefect) -> [Token] { forcedTokens(from: state) }

  /// What `proposal` and the grammar agree on: it ends at the first token that is forbidden or ends the text.
  public mutating func continuation(of proposal: [Token], limit: Int) -> [PossibleToken] {
    var (state, rest) = (state, proposal[...])
    var tokens: [PossibleToken] = []
    while tokens.count < limit, state != GrammarMachine.dead {
      let forced = forcedTokens(from: state)
      for token in forced.prefix(limit - tokens.count) {
        tokens.append(PossibleToken(token: token, isForced: true))
        state = after(tokenizer.bytes(of: token), state)
        rest = rest.first == token ? rest.dropFirst() : []
      }
      guard forced.isEmpty else { continue }
      guard let token = rest.popFirst(), (0..<Token(tokenizer.count)).contains(token),
        !stopTokens.contains(token)
      else { break }
      let bytes = tokenizer.bytes(of: token)
      state = bytes.isEmpty ? GrammarMachine.dead : after(bytes, state)
      guard state != GrammarMachine.dead else { break }
      tokens.append(PossibleToken(token: token, isForced: false))
    }
    return tokens
  }

  private mutating func forcedTokens(from origin: GrammarMachine.State) -> [Token] {
    var text: [UInt8] = []
    var state = origin
    while state != GrammarMachine.dead, text.count < Self.forcedLimit,
      let byte = machine.onlyByte(state)
    {
      text.append(byte)
      state = machine.next(state, byte)
    }
    var tokens: [Token] = []
    var start = 0
    while let piece = trie.longest(text, at: start), !stopTokens.contains(piece.token) {
      tokens.append(piece.token)
      start += piece.length
    }
    return tokens
  }

  private mutating func after(
    _ bytes: [UInt8], _ origin: GrammarMachine.State
  ) -> GrammarMachine.State {
    var state = origin
    for byte in bytes where state != GrammarMachine.dead { state = machine.next(state, byte) }
    return state
  }

  private mutating func advance(past bytes: [UInt8]) {
    state = after(bytes, state)
  }

  /// Marks all tokens whose bytes can follow.
  private mutating func walk(from state: GrammarMachine.State, _ mask: inout TokenMask) {
    guard !machine.isOver(state) else { return }
    var path = [GrammarMachine.State](repeating: GrammarMachine.dead, count: 257)
    path[0] = state
    var index = 0
    let nodes = trie.nodes
    while index < nodes.count {
      let node = nodes[index]
      let next = machine.next(path[Int(node.depth)], node.byte)
      guard next != GrammarMachine.dead else {
        index = Int(node.end)
        continue
      }
      path[Int(node.depth) + 1] = next
      for token in trie.tokens(at: index) where Int(token) < mask.count { mask[token] = true }
      index += 1
    }
  }
}
