import Synchronization

/// The number of a piece in a vocabulary.
public typealias Token = Int32

/// What a token is for, by the numbers of `tokenizer.ggml.token_type`.
enum TokenKind: UInt8, Sendable {
  /// A number that no tokenizer defines.
  case undefined = 0
  case normal = 1
  case unknown = 2
  /// A mark of the format, such as the begin of a text; never part of a text.
  case control = 3
  /// Text that is always one token.
  case userDefined = 4
  case unused = 5
  /// One byte of a character that has no piece, spelled `<0xXX>`.
  case byte = 6
}

/// The pieces of a tokenizer, what each is for, and how they merge; made only by reading a file.
final class Vocabulary: Sendable {
  let settings: TokenizerSettings
  /// Pieces by token: bytes of text for byte-level tokenizers, with U+2581 for a space for SentencePiece.
  ///
  /// After the last token come symbols that only occur while merging.
  let pieces: PieceTable
  /// What each token is for.
  let kinds: [TokenKind]
  /// Merging order of each token, smallest first; empty for byte-level tokenizers.
  let priorities: [UInt32]
  /// Merges of a byte-level tokenizer; empty for SentencePiece.
  let merges: MergeTable
  /// The symbol that each byte starts as, for a byte-level tokenizer.
  let byteSymbols: [Int32]
  /// The token that stands for each byte without a piece around it; nil for those that are left out of texts.
  ///
  /// A byte-level vocabulary may lack bytes, which transformers and llama.cpp leave out, too; SentencePiece has its unknown token
  /// for them.
  let byteTokens: [Token?]
  /// The token that stands for a line feed, if one does.
  let newline: Token?
  /// Tokens that are cut out of a text before anything else.
  let special: SpecialTokens
  /// Tokens after which nothing more is to be generated.
  let endsOfGeneration: Set<Token>
  /// Whether no SentencePiece piece goes on after the start of a word, so that words can be merged one by one.
  let wordsAreSeparate: Bool

  /// The pieces as a tree, once somebody has asked for it.
  let trie = Mutex<TokenTrie?>(nil)
  /// What somebody has made of them, once.
  let derived = Mutex<(any Sendable)?>(nil)

  /// The number of tokens.
  var count: Int { kinds.count }

  init(
    settings: TokenizerSettings, pieces: PieceTable, kinds: [TokenKind], priorities: [UInt32],
    merges: MergeTable, byteSymbols: [Int32], byteTokens: [Token?], special: SpecialTokens,
    endsOfGeneration: Set<Token>, wordsAreSeparate: Bool
  ) {
    self.settings = settings
    self.pieces = pieces
    self.kinds = kinds
    self.priorities = priorities
    self.merges = merges
    self.byteSymbols = byteSymbols
    self.byteTokens = byteTokens
    self.special = special
    self.endsOfGeneration = endsOfGeneration
    self.wordsAreSeparate = wordsAreSeparate
    newline = settings.newlinePiece.flatMap { special.token($0) }
  }
}
