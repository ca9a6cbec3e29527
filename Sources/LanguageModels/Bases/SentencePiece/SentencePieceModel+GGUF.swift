import TensorFiles

extension GGUFWriter {
  /// Sets the tokenizer keys as llama.cpp's converter does for SentencePiece; rows of the embedding beyond the pieces
  /// get unused ones.
  mutating func set(_ model: SentencePieceModel, vocabulary: Int) {
    var pieces = model.pieces
    for index in pieces.count..<max(pieces.count, vocabulary) {
      pieces.append(.init(text: Array("[PAD\(index)]".utf8), score: -10_000, type: 5))
    }
    set("tokenizer.ggml.model", .text("llama"))
    set("tokenizer.ggml.pre", .text("default"))
    set("tokenizer.ggml.tokens", .strings(pieces.map(\.text)))
    set("tokenizer.ggml.scores", .floats(pieces.map(\.score)))
    set("tokenizer.ggml.token_type", .integers(pieces.map { Int32($0.type) }))
    let ids = [
      ("bos", model.begin), ("eos", model.end), ("unknown", model.unknown),
      ("padding", model.padding),
    ]
    for (name, id) in ids where pieces.indices.contains(id) {
      set("tokenizer.ggml.\(name)_token_id", .uint32(UInt32(id)))
    }
    if let turnEnd = model.pieces.firstIndex(where: { $0.text == Array("<turn_end>".utf8) }) {
      set("tokenizer.ggml.eot_token_id", .uint32(UInt32(turnEnd)))
    }
    // The chat format puts its own first token.
    set("tokenizer.ggml.add_bos_token", .bool(false))
    set("tokenizer.ggml.add_eos_token", .bool(false))
    set("tokenizer.ggml.add_space_prefix", .bool(model.addsDummyPrefix))
    set("tokenizer.ggml.remove_extra_whitespaces", .bool(model.removesExtraSpaces))
  }
}
