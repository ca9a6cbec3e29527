import Testing

@testable import Tokenization

/// Which tokens stand around every text.
@Suite struct TextFrameTests {
  /// A byte-level tokenizer with begin and end tokens, whose kind begins texts unless its file says otherwise.
  let folder: CheckpointFolder

  init() throws { folder = try CheckpointFolder("llama") }

  enum Processor: String, CaseIterable {
    case none, bytes, plain, begin, both, roberta
  }

  /// The step of that kind, with tokens of the fixture.
  private func step(_ processor: Processor, _ begin: Int, _ end: Int) -> [String: Any]? {
    func mark(_ name: String) -> [String: Any] { ["SpecialToken": ["id": name, "type_id": 0]] }
    let text: [String: Any] = ["Sequence": ["id": "A", "type_id": 0]]
    func template(_ parts: [[String: Any]]) -> [String: Any] {
      [
        "type": "TemplateProcessing", "single": parts, "pair": parts,
        "special_tokens": [
          "<|bos|>": ["id": "<|bos|>", "ids": [begin], "tokens": ["<|bos|>"]],
          "<|eos|>": ["id": "<|eos|>", "ids": [end], "tokens": ["<|eos|>"]],
        ],
      ]
    }
    switch processor {
    case .none: return nil
    case .bytes: return ["type": "ByteLevel"]
    case .plain: return template([text])
    case .begin:
      let steps = [["type": "ByteLevel"], template([mark("<|bos|>"), text])]
      return ["type": "Sequence", "processors": steps]
    case .both: return template([mark("<|bos|>"), text, mark("<|eos|>")])
    case .roberta:
      return ["type": "RobertaProcessing", "cls": ["<|bos|>", begin], "sep": ["<|eos|>", end]]
    }
  }

  /// As transformers 5 has it: the steps of `tokenizer.json` count, whatever the settings say.
  @Test(arguments: Processor.allCases, [nil, true, false])
  func stepsGoBeforeSettings(processor: Processor, flag: Bool?) throws {
    let before = try folder.convert().metadata
    let begin = try #require(try before.integer("tokenizer.ggml.bos_token_id"))
    let end = try #require(try before.integer("tokenizer.ggml.eos_token_id"))
    try folder.set("tokenizer_config.json", ["add_bos_token": flag, "add_eos_token": flag])
    try folder.set("tokenizer.json", ["post_processor": step(processor, begin, end)])
    let tokenizer = try Tokenizer(folder.convert())
    let hasBegin = [.begin, .both, .roberta].contains(processor)
    let hasEnd = [.both, .roberta].contains(processor)
    #expect(tokenizer.addsBegin == hasBegin && tokenizer.addsEnd == hasEnd)
    let text = tokenizer.encode("a", special: false)
    #expect(
      tokenizer.encode("a")
        == (hasBegin ? [Token(begin)] : []) + text + (hasEnd ? [Token(end)] : []))
  }

  /// A base has a place for one token at each end, and calls them begin and end.
  @Test(
    arguments: [
      (["<|bos|>", "<|im_start|>", ""], "2 tokens in front of every text (post_processor)"),
      (["", "<|im_end|>", "<|eos|>"], "2 tokens behind every text (post_processor)"),
      (["both", ""], "2 tokens in front of every text (post_processor)"),
      (
        ["<|im_start|>", ""],
        "token 2 at an end of every text (post_processor), which is not the bos_token"
      ),
      (
        ["", "<|bos|>"],
        "token 0 at an end of every text (post_processor), which is not the eos_token"
      ),
      (["<|bos|>", "", "<|eos|>"], nil),
    ] as [([String], String?)])
  func whatABaseCannotPutThereIsNamed(parts: [String], feature: String?) throws {
    let ids = [
      "<|bos|>": [0], "<|eos|>": [1], "<|im_start|>": [2], "<|im_end|>": [3], "both": [0, 2],
    ]
    let template = parts.map { name -> [String: Any] in
      name.isEmpty ? ["Sequence": ["id": "A"]] : ["SpecialToken": ["id": name]]
    }
    try folder.set(
      "tokenizer.json",
      [
        "post_processor": [
          "type": "TemplateProcessing", "single": template,
          "special_tokens": ids.mapValues { ["ids": $0] },
        ]
      ])
    let refusal = feature.map {
      "tokenizer.json: the tokenizer uses \($0), which is not supported; \(remedyForTokenizers)"
    }
    #expect(folder.failure() == refusal ?? "no error")
  }

  /// Nothing is put in front that no file names, and what stands there is a begin token.
  @Test func noTokenIsMissing() throws {
    let begin = try #require(try folder.convert().metadata.integer("tokenizer.ggml.bos_token_id"))
    try folder.set("tokenizer_config.json", ["bos_token": nil, "add_bos_token": true])
    try folder.set("config.json", ["bos_token_id": nil])
    #expect(try Tokenizer(folder.convert()).encode("a").first == Token(begin))
    try folder.set("tokenizer.json", ["post_processor": nil])
    let tokenizer = try Tokenizer(folder.convert())
    #expect(!tokenizer.addsBegin && tokenizer.beginToken == nil)
    #expect(tokenizer.encode("a") == tokenizer.encode("a", special: false))
  }

  /// A model file alone says nothing: transformers puts the begin token in front of all texts, unless told otherwise.
  @Test(arguments: [
    (nil, nil, true, false), (false, true, false, true), (true, false, true, false),
  ])
  func settingsCountForAModelFile(bos: Bool?, eos: Bool?, begins: Bool, ends: Bool) throws {
    let mistral = try CheckpointFolder("mistral")
    try mistral.set("tokenizer_config.json", ["add_bos_token": bos, "add_eos_token": eos])
    let tokenizer = try Tokenizer(mistral.convert())
    #expect(tokenizer.addsBegin == begins && tokenizer.addsEnd == ends)
  }
}
