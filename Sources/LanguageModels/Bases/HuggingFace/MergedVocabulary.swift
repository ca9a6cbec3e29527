import JSON
import TensorFiles

/// The vocabulary of Gemma 4 in a `tokenizer.json`: pieces as SentencePiece writes them, which merge by rank.
struct MergedVocabulary {
  /// Of the types 1 normal, 3 control, 4 user-defined, 5 unused, 6 byte.
  private let pieces: RankedPieces

  /// Marks that are shown, as an answer is read by them; the list is that of llama.cpp's converter.
  private static let shown: Set = [
    "<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", "<|tool_response>",
    "<tool_response|>", "<|\"|>",
  ]

  /// - Throws: `BaseModelError.base` for a vocabulary of another kind, or one that is too large.
  init(
    _ json: CheckpointSettings, vocabulary: Int, _ added: AddedTokens
  ) throws(BaseModelError) {
    func refuse(_ feature: String) -> BaseModelError {
      .base(.unsupportedTokenizer(feature: feature), file: json.path)
    }
    let (model, vocab, pairs) = try json.mergedPieces()
    guard model.bool("byte_fallback") == true else {
      throw refuse("no bytes for characters without a piece (byte_fallback)")
    }
    if model.bool("ignore_merges") == true { throw refuse("whole pieces (ignore_merges)") }
    guard Self.replacesSpaces(json) else { throw refuse("another normalizer than one for spaces") }
    pieces = try RankedPieces(
      vocab, merges: pairs, added, vocabulary: vocabulary, file: json.path,
      pieceType: { Self.isByte($0) ? 6 : 1 },
      addedType: { $0.isControl && !Self.shown.contains($0.text) ? 3 : 4 })
  }

  func set(on head: inout GGUFWriter) {
    head.set("tokenizer.ggml.model", .text("gemma4"))
    head.set("tokenizer.ggml.tokens", .strings(pieces.tokens))
    head.set("tokenizer.ggml.scores", .floats(Array(repeating: -1000, count: pieces.tokens.count)))
    head.set("tokenizer.ggml.token_type", .integers(pieces.types))
    head.set("tokenizer.ggml.merges", .strings(pieces.merges))
    head.set("tokenizer.ggml.add_space_prefix", .bool(false))
  }

  /// Whether U+2581 takes the place of each space, and nothing else is done to a text.
  private static func replacesSpaces(_ json: CheckpointSettings) -> Bool {
    guard let normalizer = json.part("normalizer")?.object else { return false }
    return normalizer["type"]?.string == "Replace" && normalizer["content"]?.string == "\u{2581}"
      && normalizer["pattern"]?.object?["String"]?.string == " "
  }

  private static func isByte(_ text: [UInt8]) -> Bool {
    text.count == 6 && text.starts(with: Array("<0x".utf8)) && text.last == UInt8(ascii: ">")
  }
}
