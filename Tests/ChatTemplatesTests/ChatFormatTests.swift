import ChatTemplates
import TensorFiles
import TestSupport
import Testing

@Suite struct ChatFormatTests {
  @Test(
    arguments: [
      ("{{ '<turn_start> ' + m }}<turn_end>", ChatFormat.afm),
      ("<|im_start|>{{ role }}<|im_end|>", .chatML),
      ("<|im_start|>user<|im_sep|><|im_end|>", nil),
      ("{{ bos_token }}[INST] <<SYS>> [/INST]", .llama2),
      ("[INST] no system turn: another family [/INST]", nil),
      ("<|start_header_id|>user<|end_header_id|><|eot_id|>", .llama3),
      ("<start_of_turn>user<end_of_turn>", .gemma),
      ("<|user|><|assistant|><|end|>", .phi3),
      ("<|im_start|><|im_end|><start_of_turn><end_of_turn>", nil), ("", nil), ("{{ x }}", nil),
    ] as [(String, ChatFormat?)])
  func recognisesTemplates(template: String, format: ChatFormat?) {
    #expect(ChatFormat(template: template) == format)
  }

  @Test func hasNames() {
    #expect(ChatFormat.names == "afm, chatml, llama2, llama3, gemma, phi3")
    #expect(ChatFormat(rawValue: "chatml") == .chatML)
    #expect(ChatFormat(rawValue: "ChatML") == nil)
  }
}

@Suite struct ChatStyleTests {
  private func style(_ template: String?) throws -> ChatStyle {
    let metadata = try ChatFixture.metadata(template: template)
    return try ChatStyle(metadata, file: "m.gguf")
  }

  @Test func saysWhatToDoWithoutATemplate() throws {
    #expect(throws: ChatDefect.noTemplate(file: "m.gguf")) { try style(nil) }
    #expect(
      "\(ChatDefect.noTemplate(file: "m.gguf"))"
        == "m.gguf: the file has no chat template; name a format: "
        + "afm, chatml, llama2, llama3, gemma, phi3.")
  }

  @Test func takesTheTemplateOfTheFile() throws {
    let style = try style("{{ messages }}")
    #expect(style.format == nil)
    #expect(style.defaultInstructions == nil)
    let file = try ChatFixture.vocabulary("phi-3")
    #expect(try ChatStyle(file.metadata, file: file.path).format == nil)
  }

  @Test func saysWhereATemplateIsWrong() throws {
    let error = #expect(throws: ChatDefect.self) { try style("a\n{{ messages | foo }}") }
    #expect(
      error.map { "\($0)" }
        == "m.gguf: the chat template is wrong in line 2, column 15: the filter “foo” is not known; "
        + "name a format: afm, chatml, llama2, llama3, gemma, phi3.")
  }

  @Test func refusesATemplateThatIsNotText() throws {
    let metadata = try ChatFixture.metadata(template: .bool(true))
    let error = #expect(throws: ChatDefect.self) { try ChatStyle(metadata, file: "m.gguf") }
    guard case .unreadableTemplate(let cause)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect("\(ChatDefect.unreadableTemplate(cause))" == cause.description)
    #expect(cause.description.contains("metadata key “tokenizer.chat_template” is bool"))
    #expect(throws: ChatDefect.unreadableTemplate(cause)) {
      try ChatStyle(.gemma, metadata, file: "m.gguf")
    }
  }

  @Test func readsDefaultInstructions() throws {
    let template =
      "{{ '<|im_start|>system\\n' + x + '<|im_end|>' }}<|im_start|>system\\nBe kind.<|im_end|>"
    #expect(ChatStyle(.chatML, template: template).defaultInstructions == "Be kind.")
    #expect(ChatStyle(.chatML, template: "<|im_start|><|im_end|>").defaultInstructions == nil)
    #expect(try style(template).defaultInstructions == nil)
    #expect(
      ChatStyle(.afm).defaultInstructions
        == "A conversation between a user and a helpful assistant.")
    #expect(ChatStyle(.gemma).defaultInstructions == nil)
  }

  @Test func theTemplateOfAFMBasesStandsForTheWholeFormat() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    #expect(try ChatStyle(GGUFFile(path: base).metadata, file: base).format == .afm)
  }

  @Test func takesTheFormatThatIsNamed() throws {
    let metadata = try ChatFixture.metadata(template: GGUFValue?.none)
    #expect(try ChatStyle(.llama3, metadata, file: "m.gguf").format == .llama3)
  }
}
