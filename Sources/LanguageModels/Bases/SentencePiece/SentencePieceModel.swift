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
  /// - Throws: `LanguageModelError.base` for a file that is damaged, or a tokenizer of another kind than BPE.
  init(path: String) throws(LanguageModelError) {
    let bytes: [UInt8]
    do { bytes = try FileSystem.read(path, limit: 64 << 20) } catch { throw .tensorFile(error) }
    try self.init(bytes: bytes, path: path)
  }

  /// Reads a model from memory; `path` is its name in errors.
  init(bytes: [UInt8], path: String) throws(LanguageModelError) {
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
      return .unsupportedTokenizer(feature: kinds[modelType] ?? "model type \(modelType)")
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
