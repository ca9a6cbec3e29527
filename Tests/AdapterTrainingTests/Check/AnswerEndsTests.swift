import ChatTemplates
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct AnswerEndsTests {
  /// A base whose vocabulary does not have what its template ends answers with.
  @Test(arguments: [("<|im_end|>", false), ("<|end_of_sentence|>", true)])
  func endsThatAreNotLearntAreNamedOnce(_ mark: String, _ isNamed: Bool) throws {
    let tokenizer = try RenderingFixture.tokenizer("marks")
    let style = try ChatStyle(
      template: """
        {% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\(mark)' }}{% endfor %}\
        {% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}
        """, file: "m.gguf")
    var check = DataCheck()
    check.renderer = ExampleRenderer(
      try ChatRenderer(style, tokenizer: tokenizer), tokenizer: tokenizer)
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      #"{"prompt": "Q", "completion": "A"}"# + "\n" + #"{"prompt": "R", "completion": "B"}"#,
      to: "x")
    let found = try check.run([path]).findings
    #expect(found.map { "\($0.rule) \($0.place.line ?? 0)" } == (isNamed ? ["answer.end 1"] : []))
    #expect(found.allSatisfy { $0.severity == .warning })
  }
}
