import Foundation
import TensorFiles
import TestSupport
import Testing

/// What is said of a base that has to choose whether to call tools.
@Suite(.waits) struct ToolBaseTests {
  private static let note =
    "This base was not made for tools: its chat template has no place for them, and it may hardly ever call one by itself."
  private static let template =
    "{% if tools %}{{ tools | tojson }}{% endif %}{% for message in messages %}"
    + "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    + "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

  /// How often `run` says it, with these words beside the tool.
  private func count(
    _ sample: SampleBase, _ words: String..., input: String = ""
  ) throws -> Int {
    let tool = try sample.folder.write(
      #"{"name": "lamp", "description": "Switches a lamp.", "command": "cat"}"#, to: "lamp.json")
    let line = ["run"] + words + ["-n", "40", "--yes", "--tool", tool]
    let result = try Tool.run(line, input: input, store: sample.folder).expectSuccess()
    return result.errorText.components(separatedBy: Self.note).count - 1
  }

  @Test func aBaseAloneThatKnowsNoToolsIsNamedOnce() throws {
    let sample = try SampleBase(context: 4096).install()
    #expect(try count(sample, "--no-adapter", "Light!") == 1)
    #expect(try count(sample, "--no-adapter", input: "Light!\nAnd now?\n") == 1)
    #expect(try count(sample, "--no-adapter", "Light!", "--quiet") == 0)
  }

  /// Where there is nothing to choose, or an adapter may have learnt to, nothing is to be said.
  @Test func whoseChoiceItIsNotIsNotNamed() throws {
    let sample = try SampleBase(context: 4096).install()
    for choice in ["required", "none"] {
      #expect(try count(sample, "--no-adapter", "Light!", "--tool-choice", choice) == 0)
    }
    #expect(try count(sample, "echo", "Light!") == 0)
  }

  @Test func aBaseForToolsIsNotNamed() throws {
    let sample = try SampleBase(
      context: 4096, stated: [("tokenizer.chat_template", .text(Self.template))]
    ).install()
    #expect(try count(sample, "--no-adapter", "Light!") == 0)
    let info = try Tool.run("base", "info", sample.base).expectSuccess().text
    #expect(info.contains("\ntools        have a place in the template\n"), "\(info)")
  }

  @Test func infoTellsWhetherABaseWasMadeForTools() throws {
    let sample = try SampleBase()
    let info = try Tool.run("base", "info", sample.base).expectSuccess().text
    let line = "tools        have no place in the template; told in instructions"
    #expect(info.contains("\n\(line)\n"), "\(info)")
    let json = try Tool.run("base", "info", sample.base, "--json").object()
    #expect(json["takesTools"] as? Bool == false)
  }
}
