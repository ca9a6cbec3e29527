import JSON
import SystemFiles
import TensorFiles

@testable import Adapters

extension BrokenPackage {
  /// Apple's draft pair, our draft model, and the suffix store.
  static let draft: [BrokenPackage] = pair + models + suffixes

  private static let pair: [BrokenPackage] = [
    BrokenPackage(
      "draft program without weights",
      ["error draft.pair draft_weights.bin: The file is missing, but draft.mil is there."]
    ) { $0.files["draft.mil"] = Array("program(1.0)".utf8) },
    BrokenPackage(
      "draft weights without program",
      [
        "error draft.pair draft.mil: The file is missing, but draft_weights.bin is there.",
        "warning draft.count metadata.json, speculativeDecodingDraftTokenCount: "
          + "There is a draft model, but no token count.",
      ]
    ) { $0.files["draft_weights.bin"] = BlobBytes.file([BlobBytes(halves: [1, 2])]) },
    BrokenPackage(
      "empty draft program",
      [
        "error draft.program draft.mil: The file is empty.",
        "warning draft.count metadata.json, speculativeDecodingDraftTokenCount: "
          + "There is a draft model, but no token count.",
      ]
    ) {
      $0.files["draft.mil"] = []
      $0.files["draft_weights.bin"] = BlobBytes.file([BlobBytes(halves: [1, 2])])
    },
    BrokenPackage(
      "damaged draft weights",
      [
        "error container.sentinel draft_weights.bin, byte 64: "
          + "Blob 0 starts with 0x00000000, not 0xDEADBEEF."
      ]
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": 5,\n    \"loraRank\"")
      $0.files["draft.mil"] = Array("program(1.0)".utf8)
      var weights = BlobBytes.file([BlobBytes(type: 11, data: [0x21])])
      weights.put(UInt32(0), at: 64)
      $0.files["draft_weights.bin"] = weights
    },
    BrokenPackage(
      "draft model is no GGUF",
      [
        "error draft.model draft.gguf: PLACE/draft.gguf: byte 0: the file ends inside the magic, "
          + "which needs 4 bytes where 3 are left."
      ]
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": 5,\n    \"loraRank\"")
      $0.files["draft.gguf"] = Array("GGU".utf8)
    },
    BrokenPackage(
      "unused draft count",
      [
        "note draft.count metadata.json, line 17, speculativeDecodingDraftTokenCount: "
          + "The count is not used: there is no draft model."
      ], category: nil
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": 5,\n    \"loraRank\"")
    },
    BrokenPackage(
      "negative draft count",
      [
        "warning draft.count metadata.json, line 17, speculativeDecodingDraftTokenCount: "
          + "The count -1 is outside 1 to 64."
      ], category: nil
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": -1,\n    \"loraRank\"")
    },
  ]

  private static let models: [BrokenPackage] = [
    model(
      "draft of an unknown architecture",
      ["error draft.architecture draft.gguf, general.architecture: The architecture is mamba."]
    ) { $0.architecture = "mamba" },
    model(
      "draft without an architecture",
      [
        "error draft.architecture draft.gguf, general.architecture: The file does not say its architecture."
      ]
    ) { $0.architecture = nil },
    model(
      "draft without an embedding",
      ["error draft.tensor draft.gguf: The tensor token_embd.weight is missing."]
    ) { ($0.rows, $0.outputs) = (0, 6) },
    model(
      "draft with more tokens in its table than outputs",
      [
        "error draft.tensor draft.gguf, output.weight, byte 448: There are 3 outputs for 2 tokens."
      ]
    ) { ($0.tokens, $0.outputs) = ([1, 4], 3) },
    model(
      "draft with a table and no outputs of its own",
      [
        "error draft.tensor draft.gguf, token_embd.weight, byte 288: There are 6 outputs for 2 tokens."
      ]
    ) { $0.tokens = [1, 4] },
    model(
      "draft with a table that falls",
      ["error draft.tokens draft.gguf, fmadapter.draft.tokens: Entry 1 is the token 4 after 4."]
    ) { ($0.tokens, $0.outputs) = ([4, 4], 2) },
    model(
      "draft with a table beyond its tokens",
      ["error draft.tokens draft.gguf, fmadapter.draft.tokens: Entry 1 is the token 6 of 6."]
    ) { ($0.tokens, $0.outputs) = ([4, 6], 2) },
    model(
      "draft with an empty table",
      [
        "error draft.tokens draft.gguf, fmadapter.draft.tokens: The value is no list of tokens.",
        "error draft.tensor draft.gguf, output.weight, byte 448: There are 2 outputs for 0 tokens.",
      ]
    ) { ($0.tokens, $0.outputs) = ([], 2) },
    model(
      "draft with another token",
      [
        "error draft.vocabulary draft.gguf, tokenizer.ggml.tokens: Token 2 is another one than the base's."
      ], category: .compatibility
    ) { $0.pieces?[2] = "x" },
    model(
      "draft with more tokens",
      [
        "error draft.vocabulary draft.gguf, tokenizer.ggml.tokens: There are 135 tokens; the base has 6."
      ], category: .compatibility
    ) { $0.pieces? += (0..<129).map { "x\($0)" } },
    model(
      "draft with more tokens than rows",
      [
        "error draft.vocabulary draft.gguf, tokenizer.ggml.tokens: The embedding has 6 rows for 7 tokens."
      ], category: .compatibility
    ) { $0.pieces?.append("x") },
    model(
      "draft without tokens",
      [
        "error draft.vocabulary draft.gguf, tokenizer.ggml.tokens: "
          + "The file has no tokens to compare with the base's."
      ]
    ) { $0.pieces = nil },
    model(
      "draft larger than the base",
      ["error draft.larger draft.gguf: The draft has 54 parameters, more than the 48 of the base."],
      category: .compatibility
    ) { $0.width = 9 },
    model(
      "draft with a value that is no number",
      [
        "error draft.values draft.gguf, token_embd.weight, byte 256: Value 9 is infinite or not a number."
      ]
    ) { $0.odd = .nan },
  ]

  /// A package with a draft model that `bend` changes.
  private static func model(
    _ id: String, _ findings: [String], category: Finding.Category? = .package,
    bend: @escaping @Sendable (inout SampleDraft) -> Void
  ) -> BrokenPackage {
    BrokenPackage(id, findings, category: category) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": 5,\n    \"loraRank\"")
      var draft = SampleDraft()
      bend(&draft)
      $0.files["draft.gguf"] = draft.bytes
    }
  }

  // The sample has its head up to byte 64, its texts' counts up to 80, and its tokens up to 100.
  private static let suffixes: [BrokenPackage] = [
    store("cut head", "suffixes.size", 0, "The file has 63 bytes; its head alone has 64.") {
      $0.removeLast($0.count - 63)
    },
    store(
      "other magic", "suffixes.magic", 0,
      "The file does not begin with FMSUFFIX: it is no suffix store."
    ) { $0[0] = 0x67 },
    store("other version", "suffixes.version", 8, "The version is 2, not 1.") {
      $0.put(UInt32(2), at: 8)
    },
    store(
      "no vocabulary", "suffixes.vocabulary", 12,
      "The vocabulary has 0 pieces, not between 1 and 2,147,483,647."
    ) { $0.put(UInt32(0), at: 12) },
    store(
      "no tokens", "suffixes.count", 52, "There are 0 tokens, not between 1 and 1,048,576."
    ) { $0.put(UInt32(0), at: 52) },
    store(
      "too many tokens", "suffixes.count", 52,
      "There are 4,294,967,295 tokens, not between 1 and 1,048,576."
    ) { $0.put(UInt32.max, at: 52) },
    store(
      "more texts than tokens", "suffixes.count", 48, "There are 6 texts of 5 tokens together."
    ) { $0.put(UInt32(6), at: 48) },
    store("no texts", "suffixes.count", 48, "There are 0 texts of 5 tokens together.") {
      $0.put(UInt32(0), at: 48)
    },
    store("reserved bytes", "suffixes.reserved", 56, "The reserved bytes are not zero.") {
      $0[63] = 1
    },
    store(
      "cut tokens", "suffixes.size", 0, "The file has 96 bytes, but its counts make 100."
    ) { $0.removeLast(4) },
    store(
      "a tail", "suffixes.size", 0, "The file has 101 bytes, but its counts make 100."
    ) { $0.append(0) },
    store(
      "a text that never came", "suffixes.weight", 64,
      "Text 0 came 0 times, not between 1 and 1,048,576."
    ) { $0.put(UInt32(0), at: 64) },
    store(
      "a text that came too often", "suffixes.weight", 72,
      "Text 1 came 1,048,577 times, not between 1 and 1,048,576."
    ) { $0.put(UInt32(1 << 20 + 1), at: 72) },
    store(
      "an empty text", "suffixes.length", 68, "Text 0 has 0 tokens where 5 are left."
    ) { $0.put(UInt32(0), at: 68) },
    store(
      "a text longer than the file", "suffixes.length", 76,
      "Text 1 has 4,294,967,295 tokens where 3 are left."
    ) { $0.put(UInt32.max, at: 76) },
    store(
      "texts that leave tokens", "suffixes.count", 52,
      "The texts have 4 tokens together, not 5."
    ) { $0.put(UInt32(2), at: 76) },
    store(
      "a token outside the vocabulary", "suffixes.token", 96, "Text 1 has the token 6 of 6."
    ) { $0.put(UInt32(6), at: 96) },
    store(
      "the same text twice", "suffixes.order", 88,
      "Text 1 does not come after the one before it."
    ) {
      $0.put(UInt32(0), at: 88)
      $0.put(UInt32(5), at: 92)
      $0.removeLast(4)
      $0.put(UInt32(2), at: 76)
      $0.put(UInt32(4), at: 52)
    },
    store(
      "another vocabulary", "suffixes.vocabulary", 16,
      "The texts have the tokens of another vocabulary than the base's.", category: .compatibility
    ) { $0[16] ^= 1 },
  ]

  /// A package with a suffix store that `bend` changes.
  private static func store(
    _ id: String, _ rule: String, _ offset: Int, _ message: String,
    category: Finding.Category? = .package,
    bend: @escaping @Sendable (inout [UInt8]) -> Void
  ) -> BrokenPackage {
    BrokenPackage(
      "suffix store: " + id,
      ["error \(rule) draft_suffixes.bin, byte \(Figures.grouped(offset)): \(message)"],
      category: category
    ) {
      var bytes = SuffixTexts.sample.bytes
      bend(&bytes)
      $0.files["draft_suffixes.bin"] = bytes
    }
  }
}
