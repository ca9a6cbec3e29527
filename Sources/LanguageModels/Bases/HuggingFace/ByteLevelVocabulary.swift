import JSON
import TensorFiles
import Tokenization

/// A byte-level BPE vocabulary in a `tokenizer.json`.
///
/// Format: <https://huggingface.co/docs/tokenizers>; a base names the pattern that cuts texts instead of having it.
struct ByteLevelVocabulary {
  /// Of the types 1 normal, 3 control, 4 user-defined, 5 unused.
  private let pieces: RankedPieces
  private let preTokenizer: String
  private let composes: Bool
  private let ignoresMerges: Bool

  /// - Throws: `BaseModelError.base` for a vocabulary of another kind, or one with holes.
  init(
    _ json: CheckpointSettings, vocabulary: Int, _ added: AddedTokens
  ) throws(BaseModelError) {
    let (model, vocab, pairs) = try json.mergedPieces()
    composes = try Self.composes(json, added)
    ignoresMerges = model.bool("ignore_merges") == true
    preTokenizer = try Self.preTokenizer(json, ignoresMerges: ignoresMerges)
    pieces = try RankedPieces(
      vocab, merges: pairs, added, vocabulary: vocabulary, file: json.path,
      pieceType: { _ in 1 }, addedType: { $0.isControl ? 3 : 4 })
  }

  func set(on head: inout GGUFWriter) {
    head.set("tokenizer.ggml.model", .text("gpt2"))
    head.set("tokenizer.ggml.pre", .text(preTokenizer))
    head.set("tokenizer.ggml.tokens", .strings(pieces.tokens))
    head.set("tokenizer.ggml.token_type", .integers(pieces.types))
    head.set("tokenizer.ggml.merges", .strings(pieces.merges))
    if composes { head.set(OwnKeys.composes, .bool(true)) }
    if ignoresMerges != Self.takingWholePieces.contains(preTokenizer) {
      head.set(OwnKeys.ignoresMerges, .bool(ignoresMerges))
    }
  }

  /// Whether characters are composed first (NFC), which is all that may be done to a text before it is cut.
  private static func composes(
    _ json: CheckpointSettings, _ added: AddedTokens
  ) throws(BaseModelError) -> Bool {
    guard let root = json.part("normalizer")?.object else { return false }
    let steps = root["normalizers"]?.array?.compactMap(\.object) ?? [root]
    for step in steps where step["type"]?.string != "NFC" {
      let feature = "the normalizer \(step["type"]?.string ?? "nothing")"
      throw .base(.unsupportedTokenizer(feature: feature), file: json.path)
    }
    // Added tokens are looked for before characters are composed.
    if let token = added.tokens.first(where: {
      $0.isNormalized && !$0.text.utf8.allSatisfy { $0 < 0x80 }
    }) {
      throw .base(
        .unsupportedTokenizer(feature: "the added token “\(token.text)” with “normalized”"),
        file: json.path)
    }
    return !steps.isEmpty
  }

  /// The name of the steps before merging.
  private static func preTokenizer(
    _ json: CheckpointSettings, ignoresMerges: Bool
  ) throws(BaseModelError) -> String {
    func refuse(_ feature: String) -> BaseModelError {
      .base(.unsupportedTokenizer(feature: feature), file: json.path)
    }
    let steps = json.steps("pre_tokenizer", "pretokenizers")
    guard !steps.isEmpty else { throw refuse("nothing that cuts texts (no pre_tokenizer)") }
    guard !steps.contains(where: { $0["type"]?.string == "Metaspace" }) else {
      throw refuse("SentencePiece's pieces without bytes as a last resort (no byte_fallback)")
    }
    guard !steps.contains(where: { $0["add_prefix_space"] == .bool(true) }) else {
      throw refuse("a space in front of texts (add_prefix_space)")
    }
    for step in steps where !keepsAll(step) {
      let behavior = step["behavior"]?.string ?? "none"
      throw refuse("a pre-tokenizer of type Split with the behavior “\(behavior)”")
    }
    if let name = names[steps.map(signature).joined(separator: " ")] {
      return name == "llama-bpe" && !ignoresMerges ? "smaug-bpe" : name
    }
    let kinds = steps.map(describe).joined(separator: ", then ")
    throw refuse("a way to cut texts that no supported model has: \(kinds)")
  }

  /// Whether a step cuts without taking anything away, and cuts at both ends of what its pattern finds; the patterns of known
  /// models find all of a text.
  private static func keepsAll(_ step: JSONObject) -> Bool {
    guard step["type"]?.string == "Split", let behavior = step["behavior"]?.string else {
      return true
    }
    return behavior == "Isolated" || behavior == "Removed" && step["invert"] == .bool(true)
  }

  /// What a step does, in one word; a pattern as it is.
  private static func signature(_ step: JSONObject) -> String {
    switch step["type"]?.string {
    case "Split"?: step["pattern"]?.object?["Regex"]?.string ?? "Split"
    case "Digits"?: step["individual_digits"] == .bool(true) ? "Digits" : "Numbers"
    case "ByteLevel"?: step["use_regex"] == .bool(false) ? "Bytes" : "GPT-2"
    case let type: type ?? "nothing"
    }
  }

  /// A step in the words of the file.
  private static func describe(_ step: JSONObject) -> String {
    let type = step["type"]?.string ?? "nothing"
    switch type {
    case "Split":
      let pattern = step["pattern"]?.object
      let text = pattern?["Regex"]?.string ?? pattern?["String"]?.string ?? ""
      return "Split at “\(text)”"
    case "Digits":
      return "Digits with individual_digits \(step["individual_digits"] == .bool(true))"
    case "ByteLevel": return "ByteLevel with use_regex \(step["use_regex"] != .bool(false))"
    default: return type
    }
  }

  private static let words =
    #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"#
  private static let rest = #"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#
  private static let upper = #"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"#
  private static let lower = #"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"#

  private static func caseAware(digits: String, contraction: String) -> String {
    let lead = #"[^\r\n\p{L}\p{N}]?"#
    return
      "\(lead)\(upper)*\(lower)+\(contraction)|\(lead)\(upper)+\(lower)*\(contraction)|\(digits)"
      + #"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"#
  }

  /// Those that take pieces of the vocabulary whole, unless the file says otherwise.
  private static let takingWholePieces: Set = ["llama-bpe", "tekken"]

  /// The published tokenizers of the families that run here.
  private static let names: [String: String] = [
    "GPT-2": "gpt-2",
    "Digits GPT-2": "starcoder",
    words + #"\p{N}{1,3}"# + rest + " Bytes": "llama-bpe",
    words + #"\p{N}"# + rest + " Bytes": "qwen2",
    #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"#
      + #"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ Bytes"#: "qwen35",
    caseAware(digits: #"\p{N}"#, contraction: "") + " Bytes": "tekken",
    caseAware(digits: #"\p{N}{1,3}"#, contraction: "(?i:'s|'t|'re|'ve|'m|'ll|'d)?") + " Bytes":
      "gpt-4o",
  ]
}
