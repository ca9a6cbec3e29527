import ChatTemplates
import Foundation
import LanguageModels
import TestSupport
import Testing

@testable import fmadapter

/// Talks over a base of each family.
@Suite struct ConversationTests {
  private static let families = [
    "llama", "mistral", "qwen2", "qwen3-yarn", "phi3", "phi3-long", "smollm3", "gemma2", "gemma3",
    "granite", "qwen3moe", "lfm2", "qwen2-window", "qwen35", "gemma4", "gemma4-experts",
    "mistral-bytes", "mistral-plain",
  ]

  private static let template =
    "{% for m in messages %}{{ m['role'][0] + ':' + m['content'] + eos_token }}{% endfor %}"
    + "{% if add_generation_prompt %}a:{% endif %}"

  private let folder: TemporaryDirectory
  private let capture: Capture

  init() throws { (folder, capture) = (try TemporaryDirectory(), try Capture()) }

  private func model(_ name: String) throws -> BaseModel {
    let path = try folder.copy(
      Fixtures.url("LanguageModelsTests", "hugging-face/\(name)"), to: name)
    try Data(Self.template.utf8).write(to: URL(fileURLWithPath: path + "/chat_template.jinja"))
    let base = folder.path("\(name).gguf")
    try BaseConverter(plan: .init(type: .f32)).convert(path, to: base)
    return try BaseModel(path: base)
  }

  private func conversation(_ model: BaseModel, _ options: [String]) throws -> Conversation {
    var arguments = ParsedArguments()
    for pair in stride(from: 0, to: options.count, by: 2) {
      arguments.add(option: options[pair], options[pair + 1])
    }
    let terminal = capture.terminal()
    let settings = try AnswerSettings(model, adapters: [], costs: nil, arguments, terminal)
    return try Conversation(model, adapters: [], settings, arguments, terminal)
  }

  /// Taken back and answered again, read from a file, or in a session of its own: a talk is its text.
  ///
  /// What random weights draw is seldom cut into tokens as its text is.
  @Test(arguments: families, ["0", "1"])
  func theSameTalkGetsTheSameAnswer(family: String, temperature: String) throws {
    let model = try model(family)
    let options = ["--temperature", temperature, "--seed", "5", "--max-tokens", "8"]
    let talk = try conversation(model, options)
    _ = try talk.answer("ab") { _ in }
    _ = try talk.answer("And so?") { _ in }
    let before = talk.messages
    let answer = try talk.answer("Why?") { _ in }
    for _ in 1...2 {
      #expect(talk.takeBack() == "Why?")
      #expect(talk.messages == before)
      let again = try talk.answer("Why?") { _ in }
      #expect(again.text == answer.text && again.logitsHash == answer.logitsHash)
      #expect(again.promptTokens == answer.promptTokens)
    }
    let saved = try JSONEncoder().encode(before)
    let loaded = try conversation(model, options)
    loaded.replace(try JSONDecoder().decode([ChatMessage].self, from: saved))
    let later = try loaded.answer("Why?") { _ in }
    #expect(later.text == answer.text && later.logitsHash == answer.logitsHash)
    #expect(loaded.messages == talk.messages)
  }
}
