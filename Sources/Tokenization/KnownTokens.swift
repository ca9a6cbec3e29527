/// Tokens whose text alone tells what they are for, because files often do not; as in llama.cpp.
enum KnownTokens {
  /// Texts that end an answer.
  static let endsOfGeneration: Set<[UInt8]> = set([
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
    "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
    "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>",
    "<｜end▁of▁sentence｜>", "[e~[",
  ])

  /// Texts that end a completion of code, unless the file names such tokens itself.
  static let endsOfCode: Set<[UInt8]> = set([
    "<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]", "<|fim_repo|>", "<|repo_name|>",
    "<fim-repo>", "<REPO>", "<reponame>", "<|file_sep|>",
  ])

  /// Texts around which code is completed, unless the file names such tokens itself.
  static let codeMarks: Set<[UInt8]> = set([
    "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
    "<|code_prefix|>", "<|prefix|>", "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>",
    "<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>", "<|fim_middle|>",
    "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>",
    "<|middle|>",
  ])

  /// Texts that are shown although files call them control tokens.
  static let shown: Set<[UInt8]> = set(["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"])

  /// Whether a text can be one of those above, which is quick to ask.
  static func mayContain(_ text: [UInt8]) -> Bool {
    guard let first = text.first, text.count <= 32 else { return false }
    return first == UInt8(ascii: "<") || first == UInt8(ascii: "[") || first == UInt8(ascii: "_")
      || first == 0xE2
  }

  private static func set(_ texts: [String]) -> Set<[UInt8]> {
    Set(texts.map { Array($0.utf8) })
  }
}
