import JSON
import SystemFiles
import TensorFiles

/// A SentencePiece model file: its pieces and the settings that a tokenizer needs.
///
/// Message numbers: `sentencepiece_model.proto` in <https://github.com/google/sentencepiece>.
struct SentencePieceModel: Equatable {
  struct Piece: Equatable {
    var text: [UInt8] = []
    var score: Float = 0
    /// 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte: the numbers of GGUF too.
    var type = 1
  }

  /// The file, or the `tokenizer.json` that it is made of.
  let path: String
  private(set) var pieces: [Piece] = []
  /// Ids of special pieces; negative when there is none.
  private(set) var unknown = 0
  private(set) var begin = 1
  private(set) var end = 2
  private(set) var padding = -1
  /// Whether text gets a space in front.
  private(set) var addsDummyPrefix = true
  /// Whether runs of spaces count as one.
  private(set) var removesExtraSpaces = true
  /// 1 unigram, 2 BPE, 3 word, 4 character.
  private var modelType = 1
  private var normalizer = ""
  private var hasCharacterMap = false
  private var escapesSpaces = true
  private var putsSpaceBehind = false

  /// Reads the model at `path`.
  ///
  /// - Throws: `BaseModelError.base` for a file that is damaged, or a tokenizer of another kind than BPE.
  init(path: String) throws(BaseModelError) {
    let bytes: [UInt8]
    do { bytes = try FileSystem.read(path, limit: 64 << 20) } catch { throw .file(error) }
    try self.init(bytes: bytes, path: path)
  }

  /// Reads a model from memory; `path` is its name in errors.
  init(bytes: [UInt8], path: String) throws(BaseModelError) {
    self.path = path
    do throws(ProtobufReader.Defect) {
      try read(bytes)
    } catch {
      throw .base(.brokenMessage(offset: error.offset), file: path)
    }
    if let defect { throw .base(defect, file: path) }
  }

  private mutating func read(_ bytes: [UInt8]) throws(ProtobufReader.Defect) {
    var reader = ProtobufReader(bytes, 0..<bytes.count)
    while let field = try reader.next() {
      guard case .bytes(let range) = field.value else { continue }
      switch field.number {
      case 1: pieces.append(try piece(bytes, range))
      case 2: try readTrainer(bytes, range)
      case 3: try readNormalizer(bytes, range)
      default: break
      }
    }
  }

  private func piece(
    _ bytes: [UInt8], _ range: Range<Int>
  ) throws(ProtobufReader.Defect) -> Piece {
    var piece = Piece()
    var reader = ProtobufReader(bytes, range)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .bytes(let text)): piece.text = Array(bytes[text])
      case (2, .fixed32(let bits)): piece.score = Float(bitPattern: bits)
      case (3, .integer(let type)): piece.type = Int(Int32(truncatingIfNeeded: type))
      default: break
      }
    }
    return piece
  }

  private mutating func readTrainer(
    _ bytes: [UInt8], _ range: Range<Int>
  ) throws(ProtobufReader.Defect) {
    var reader = ProtobufReader(bytes, range)
    while let field = try reader.next() {
      guard case .integer(let number) = field.value else { continue }
      // Negative numbers come as 64 bits with the sign extended.
      let value = Int(Int32(truncatingIfNeeded: number))
      switch field.number {
      case 3: modelType = value
      case 24: putsSpaceBehind = value != 0
      case 40: unknown = value
      case 41: begin = value
      case 42: end = value
      case 43: padding = value
      default: break
      }
    }
  }

  private mutating func readNormalizer(
    _ bytes: [UInt8], _ range: Range<Int>
  ) throws(ProtobufReader.Defect) {
    var reader = ProtobufReader(bytes, range)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .bytes(let text)): normalizer = String(decoding: bytes[text], as: UTF8.self)
      case (2, .bytes(let map)): hasCharacterMap = !map.isEmpty
      case (3, .integer(let flag)): addsDummyPrefix = flag != 0
      case (4, .integer(let flag)): removesExtraSpaces = flag != 0
      case (5, .integer(let flag)): escapesSpaces = flag != 0
      default: break
      }
    }
  }

  /// What a tokenizer of type `llama` could not do.
  private var defect: BaseDefect? {
    if pieces.isEmpty { return .noPieces }
    let kinds = [1: "a unigram model", 3: "a model of words", 4: "a model of characters"]
    if modelType != 2 {
      return .otherTokenizer(kind: kinds[modelType] ?? "a model of type \(modelType)")
    }
    if hasCharacterMap {
      return .unsupportedTokenizer(feature: "text normalization (\(normalizer))")
    }
    if putsSpaceBehind { return .unsupportedTokenizer(feature: "spaces behind words") }
    if !escapesSpaces { return .unsupportedTokenizer(feature: "spaces without a mark") }
    if let index = pieces.firstIndex(where: { !(1...6).contains($0.type) }) {
      return .badPieceType(index: index, number: pieces[index].type)
    }
    return nil
  }
}

extension SentencePieceModel {
  /// The vocabulary of a `tokenizer.json` with single bytes as a last resort, which was made of such a model.
  ///
  /// The earlier two pieces are merged, the higher is the score of what they become. What no merge makes is no piece of a
  /// text, but for single characters.
  ///
  /// - Throws: `BaseModelError.base` for a model of another kind, or ids from `vocabulary` on.
  init(_ json: CheckpointSettings, vocabulary limit: Int) throws(BaseModelError) {
    func refuse(_ feature: String) -> BaseModelError {
      .base(.unsupportedTokenizer(feature: feature), file: json.path)
    }
    let (model, vocabulary, pairs) = try json.mergedPieces()
    // Such tokenizers cut nothing, so that only whole texts would be such pieces.
    if model.bool("ignore_merges") == true { throw refuse("whole pieces (ignore_merges)") }
    path = json.path
    var scores: [String: Float] = [:]
    for (rank, pair) in pairs.enumerated() {
      let parts =
        pair.array?.compactMap(\.string)
        ?? pair.string?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
      guard parts.count == 2 else { throw refuse("merges that are no pairs") }
      let piece = parts[0] + parts[1]
      if scores[piece] == nil { scores[piece] = -Float(rank) }
    }
    let last = vocabulary.members.compactMap(\.value.integer).max() ?? -1
    guard last >= 0 else { throw refuse("no pieces") }
    guard last < limit else {
      let count = last == .max ? last : last + 1
      throw .base(.tooManyPieces(count: count, vocabulary: limit), file: json.path)
    }
    modelType = 2
    pieces = (0...last).map { Piece(text: Array("[PAD\($0)]".utf8), score: -1000, type: 5) }
    for member in vocabulary.members {
      guard let id = member.value.integer, pieces.indices.contains(id) else { continue }
      let isByte = member.key.utf8.count == 6 && member.key.hasPrefix("<0x")
      let isText = scores[member.key] != nil || member.key.unicodeScalars.count == 1
      pieces[id] = Piece(
        text: Array(member.key.utf8), score: scores[member.key] ?? -Float(pairs.count),
        type: isByte ? 6 : member.key == model.string("unk_token") ? 2 : isText ? 1 : 5)
    }
    unknown = model.string("unk_token").flatMap { vocabulary[$0]?.integer } ?? -1
    (begin, end) = (-1, -1)
    // What is done to spaces is said by the steps of the file.
    (addsDummyPrefix, removesExtraSpaces) = (false, false)
  }

  /// The number of the piece with this text.
  func id(of text: String) -> Int? {
    let bytes = Array(text.utf8)
    return pieces.firstIndex { $0.text == bytes }
  }

  /// The pieces, and unused ones for the rows of the embedding beyond them.
  func padded(to vocabulary: Int) -> [Piece] {
    let count = pieces.count
    return pieces
      + (count..<max(count, vocabulary)).map { index in
        Piece(text: Array("[PAD\(index)]".utf8), score: -10_000, type: 5)
      }
  }
}

extension GGUFWriter {
  /// Sets the tokenizer keys as llama.cpp's converter does for SentencePiece, for a model that chats as AFM.
  mutating func set(_ model: SentencePieceModel, vocabulary: Int) {
    let pieces = model.padded(to: vocabulary)
    set(pieces)
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

  /// Sets the tokens of a SentencePiece vocabulary.
  mutating func set(_ pieces: [SentencePieceModel.Piece]) {
    set("tokenizer.ggml.model", .text("llama"))
    set("tokenizer.ggml.pre", .text("default"))
    set("tokenizer.ggml.tokens", .strings(pieces.map(\.text)))
    set("tokenizer.ggml.scores", .floats(pieces.map(\.score)))
    set("tokenizer.ggml.token_type", .integers(pieces.map { Int32($0.type) }))
  }
}
