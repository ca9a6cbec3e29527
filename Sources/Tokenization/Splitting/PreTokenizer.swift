/// How a byte-level tokenizer cuts text into pieces before it merges, by the name in `tokenizer.ggml.pre`.
///
/// Names and rules are those of llama.cpp, patterns those that the models were trained with.
struct PreTokenizer: Sendable {
  /// Applied in order: each cuts the pieces that the one before left.
  let patterns: [PiecePattern]
  /// Whether a piece that is in the vocabulary is taken whole, without merging.
  let ignoresMerges: Bool
  /// Whether a text starts with the begin token when the file does not say.
  let addsBegin: Bool

  private init(_ patterns: [PiecePattern], ignoresMerges: Bool = false, addsBegin: Bool = false) {
    self.patterns = patterns
    self.ignoresMerges = ignoresMerges
    self.addsBegin = addsBegin
  }

  /// The pre-tokenizer called `name`, or nil when there is none.
  static func named(_ name: String) -> PreTokenizer? { all[name] }

  /// All names, sorted.
  static var names: [String] { all.keys.sorted() }

  private static let all: [String: PreTokenizer] = {
    var all: [String: PreTokenizer] = [:]
    for (names, preTokenizer) in families {
      for name in names { all[name] = preTokenizer }
    }
    return all
  }()

  private static let families: [([String], PreTokenizer)] = [
    (
      ["default"],
      PreTokenizer([
        .some([.punctuation, .asciiSymbol]), .gpt2, .some(.number), .between(3, 3, .asciiDigit),
      ])
    ),
    (
      [
        "gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "gigachat",
        "mellum", "modern-bert", "exaone4", "a.x-4.0", "jina-es", "jina-de", "jina-v2-es",
        "jina-v2-de", "jina-v1-en", "jina-v2-code", "roberta-bpe",
      ], PreTokenizer([.gpt2])
    ),
    (
      [
        "starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b",
        "mellum2",
      ], PreTokenizer([.between(1, 1, .number), .gpt2])
    ),
    (
      [
        "llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
        "jina-v5-nano",
      ], PreTokenizer([.llama3(digits: 3)], ignoresMerges: true, addsBegin: true)
    ),
    (["dbrx", "smaug-bpe", "chatglm-bpe", "glm4"], PreTokenizer([.llama3(digits: 3)])),
    (
      [
        "qwen2", "deepseek-r1-qwen", "megrez", "stablelm2", "hunyuan", "solar-open", "grok-2",
        "kormo", "f2llmv2",
      ], PreTokenizer([.llama3(digits: 1)])
    ),
    (["qwen35"], PreTokenizer([.qwen35])),
    (
      ["tekken"],
      PreTokenizer(
        [.caseAware(digits: 1, contractions: false)], ignoresMerges: true, addsBegin: true)
    ),
    (
      ["gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"],
      PreTokenizer([.caseAware(digits: 3, contractions: true)])
    ),
    (
      ["falcon"],
      PreTokenizer([
        .some([.punctuation, .asciiSymbol, .backtick]), .gpt2, .between(3, 3, .asciiDigit),
      ])
    ),
    (
      ["deepseek-llm"],
      PreTokenizer([
        .between(1, 1, .newline), .afterSpace(.casedLetter), .afterSpace(.widePunctuation),
        .trailingWhitespace, .some(.eastAsian), .some(.number),
      ])
    ),
    (
      ["deepseek-coder"],
      PreTokenizer([
        .between(1, 1, .newline), .afterSpace(.letter), .afterSpace(.punctuation),
        .some(.eastAsian), .between(1, 1, .number),
      ])
    ),
    (
      ["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"],
      PreTokenizer([.between(1, 3, .number), .some(.hanOrKana), .deepSeek3])
    ),
    (["bloom", "gpt3-finnish", "poro-chat"], PreTokenizer([.bloom])),
    (["viking"], PreTokenizer([.bloom, .between(1, 1, .number)])),
  ]
}
