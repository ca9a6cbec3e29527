public import Tokenization

/// Lets only such tokens come that the text stays the beginning of one that a grammar allows, and can end as one.
///
/// What the model may choose is its own: optional properties, counts, branches, and every way to cut a text into tokens.
/// Text that ends by a stop token always is JSON of the grammar's form. Where the number of tokens runs out before, the
/// text is cut.
public struct GrammarConstraint: TokenConstraint {
  private let trie: TokenTrie
  private let texts: TextTokens
  private let stopTokens: [Token]
  private var machine: GrammarMachine
  private var state: GrammarMachine.State
  private let program: GrammarProgram
  private var written: [UInt8] = []
  private let tokenizer: Tokenizer
  /// Tokens that stand for a byte of the grammar each: the first for ``markByte``, the next for the byte after it.
  private let marks: [Token]
  /// Masks of states that have been met; the same states come again and again inside of a text.
  private var masks: [GrammarMachine.State: KnownMask] = [:]
  /// What the machines before this one have done.
  private var workBefore = 0
  /// Tokens that still come at most, with the one that ends the text.
  private var room = Int.max

  /// All tokens that may come, and the most tokens that end the text behind one of them.
  private struct KnownMask {
    let mask: TokenMask
    let farthest: Int
  }

  /// States and masks that are kept; beyond, everything is forgotten and met anew.
  private static let stateLimit = 20_000
  private static let maskLimit = 256
  private static let forcedLimit = 1024
  /// Places that the machine passes at most, and further ones for each byte of the text.
  var work = (atAll: 20_000_000, perByte: 50_000)

  /// The byte that stands for the first of a constraint's marks; no text has it or one above it, which stand for the others.
  public static let markByte: UInt8 = 0xF5
  /// Marks at most.
  public static let markLimit = 11

  /// Prepares one generation with the pieces of `tokenizer`, which one of `stopTokens` ends.
  ///
  /// `marks` are special tokens that a format has inside of what it writes: the first comes where the grammar has a verbatim
  /// ``markByte``, the next where it has the byte after that. Nowhere else do they come; there are ``markLimit`` at most.
  ///
  /// - Throws: `GrammarDefect` for what cannot be enforced.
  public init(
    _ grammar: Grammar, tokenizer: Tokenizer, stopTokens: Set<Token>, marks: [Token] = []
  ) throws(GrammarDefect) {
    guard !stopTokens.isEmpty else { throw .noStopToken }
    precondition(marks.count <= Self.markLimit, "more marks than bytes that no text has")
    program = try GrammarCompiler.compile(grammar)
    let highest = program.highestByte
    guard Int(highest) < Int(Self.markByte) + marks.count else { throw .unwritableByte(highest) }
    (self.tokenizer, self.marks) = (tokenizer, marks)
    trie = tokenizer.trie
    texts = tokenizer.derived(TextTokens.init)
    self.stopTokens = stopTokens.sorted()
    machine = Self.machine(program, trie)
    state = machine.start
  }

  private static func machine(_ program: GrammarProgram, _ trie: TokenTrie) -> GrammarMachine {
    GrammarMachine(program) { trie.longest($0, at: 0)?.length ?? 1 }
  }

  /// Whether the text so far is the beginning of one that the grammar allows.
  public var isPossible: Bool { state != GrammarMachine.dead }

  /// Whether the text so far is a whole one.
  public var isComplete: Bool { state != GrammarMachine.dead && machine.isEnd(state) }

  /// Lets the text end within so many tokens: what would need more to be closed is not begun.
  ///
  /// A ninth of them is kept free, as texts may be cut into more tokens than they need. Where not even the shortest end fits,
  /// only what leads there fastest is allowed.
  public mutating func limit(to tokens: Int) { room = tokens }

  /// Whether the machine has done more than any grammar needs that can be followed.
  private var isTooMuch: Bool {
    workBefore + machine.work > work.atAll + work.perByte * written.count
  }

  private func bound() throws(GrammarDefect) {
    if isTooMuch { throw .tooAmbiguous }
  }

  /// Marks the tokens that may come next; stop tokens where the text may end.
  public mutating func markAllowed(in mask: inout TokenMask) throws(GrammarDefect) {
    mark(state, within: room, in: &mask)
    try bound()
  }

  /// Marks the tokens that may come behind `proposal`.
  public mutating func markAllowed(in mask: inout TokenMask, behind proposal: [Token]) -> Bool {
    var state = state
    for token in proposal {
      guard (0..<Token(tokenizer.count)).contains(token) else { return false }
      state = after(bytes(of: token), state)
    }
    mark(state, within: room == .max ? room : room - proposal.count, in: &mask)
    return true
  }

  private mutating func mark(
    _ state: GrammarMachine.State, within room: Int, in mask: inout TokenMask
  ) {
    guard state != GrammarMachine.dead else { return }
    // The token itself takes one, the stop token another.
    let limit = room == .max ? room : room - 2 - max(0, room - 2) / 9
    if let known = masks[state], known.farthest <= limit {
      mask.formUnion(known.mask)
      return
    }
    var reach = walk(from: state, within: limit, &mask)
    let isEnd = machine.isEnd(state)
    if reach.isEmpty, !isEnd, reach.nearest < .max {
      reach = walk(from: state, within: reach.nearest, &mask)
    }
    for token in stopTokens where Int(token) < mask.count { mask[token] = isEnd }
    guard reach.farthest <= limit, !isTooMuch else { return }
    if masks.count >= Self.maskLimit { masks.removeAll(keepingCapacity: true) }
    masks[state] = KnownMask(mask: mask, farthest: reach.farthest)
  }

  /// Goes on after `token`.
  public mutating func advance(past token: Token) throws(GrammarDefect) {
    let bytes = bytes(of: token)
    written += bytes
    advance(past: bytes)
    if machine.stateCount > Self.stateLimit {
      masks.removeAll()
      workBefore += machine.work
      machine = Self.machine(program, trie)
      state = machine.start
      advance(past: written)
    }
    try bound()
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
        state = after(bytes(of: token), state)
        rest = rest.first == token ? rest.dropFirst() : []
      }
      guard forced.isEmpty else { continue }
      guard let token = rest.popFirst(), (0..<Token(tokenizer.count)).contains(token),
        !stopTokens.contains(token)
      else { break }
      let bytes = bytes(of: token)
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
    guard !text.isEmpty else { return [] }
    let parts = text.split(omittingEmptySubsequences: false) { $0 >= Self.markByte }
    return parts.reduce(into: []) { tokens, part in
      if part.startIndex > 0 {
        tokens.append(marks[Int(text[part.startIndex - 1] - Self.markByte)])
      }
      if !part.isEmpty {
        tokens += tokenizer.pieces(of: Array(part)) {
          marks.contains($0) || stopTokens.contains($0)
        }
      }
    }
  }

  /// The bytes of the grammar that `token` stands for.
  private func bytes(of token: Token) -> [UInt8] {
    if let index = marks.firstIndex(of: token) { return [Self.markByte + UInt8(index)] }
    return tokenizer.bytes(of: token)
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

  /// How far the ends of the text are behind the tokens that can follow, and whether none of them was near enough.
  private struct Reach {
    var nearest = Int.max
    var farthest = 0
    var isEmpty = true

    mutating func note(_ distance: Int, isMarked: Bool) {
      nearest = min(nearest, distance)
      farthest = max(farthest, distance)
      if isMarked { isEmpty = false }
    }
  }

  /// Marks all tokens that can follow, and behind which no more than `limit` tokens end the text.
  private mutating func walk(
    from state: GrammarMachine.State, within limit: Int, _ mask: inout TokenMask
  ) -> Reach {
    var reach = Reach()
    guard !machine.isOver(state) else { return reach }
    let text = machine.text(state)
    if text.room > 0, text.distance <= limit {
      texts.mark(upTo: text.room, in: &mask)
      reach.note(text.distance, isMarked: true)
      walk(texts.others, from: state, within: limit, &mask, &reach)
    } else {
      walk(trie, from: state, within: limit, &mask, &reach)
    }
    for (index, token) in marks.enumerated() where Int(token) < mask.count {
      let next = machine.next(state, Self.markByte + UInt8(index))
      guard next != GrammarMachine.dead else {
        mask[token] = false
        continue
      }
      let distance = machine.distance(next)
      mask[token] = distance <= limit
      reach.note(distance, isMarked: distance <= limit)
    }
    return reach
  }

  private mutating func walk(
    _ trie: TokenTrie, from state: GrammarMachine.State, within limit: Int,
    _ mask: inout TokenMask, _ reach: inout Reach
  ) {
    var path = [GrammarMachine.State](repeating: GrammarMachine.dead, count: 257)
    path[0] = state
    var index = 0
    let nodes = trie.nodes
    while index < nodes.count, !isTooMuch {
      let node = nodes[index]
      let next =
        node.byte >= Self.markByte
        ? GrammarMachine.dead : machine.next(path[Int(node.depth)], node.byte)
      guard next != GrammarMachine.dead else {
        index = Int(node.end)
        continue
      }
      path[Int(node.depth) + 1] = next
      let tokens = trie.tokens(at: index)
      if !tokens.isEmpty {
        let distance = machine.distance(next)
        reach.note(distance, isMarked: distance <= limit)
        for token in tokens where distance <= limit && Int(token) < mask.count {
          mask[token] = true
        }
      }
      index += 1
    }
  }
}
