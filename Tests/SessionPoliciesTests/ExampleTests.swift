import Foundation
import SessionTestSupport
import Testing

// The documentation shows these functions.
import FoundationModels
import SessionPolicies

// docs:begin
/// A conversation that goes on for as long as somebody asks.
func talk(_ questions: [String], base: URL) async throws -> [String] {
  let session = LanguageModelSession(
    model: SystemLanguageModel(base: base), instructions: "You know the sea.")
  session.contextPolicy = .dropOldest.onCut { cut in
    print("\(cut.dropped.count) entries were forgotten")
  }
  var answers: [String] = []
  for question in questions {
    let options = GenerationOptions(maximumResponseTokens: 20)
    answers.append(try await session.respond(to: question, options: options).content)
  }
  return answers
}
// docs:end

// docs:begin
/// An answer for which the model may look into the store, and do nothing else.
func answer(
  _ question: String, model: some LanguageModel, tools: [any Tool]
) async throws -> String {
  let session = LanguageModelSession(model: model, tools: tools)
  session.toolCallPolicy = ToolCallPolicy(maximumRounds: 2) { call in
    call.toolName == "checkStock" ? .approve : .refuse("only the store may be asked")
  }
  return try await session.respond(to: question).content
}
// docs:end

// docs:begin
/// A session that neither reads nor says what is on a list, or what a model takes for an insult.
func politeSession(base: URL, terms: [String]) -> LanguageModelSession {
  let judge = ContentClassifier(
    SystemLanguageModel(base: base), labels: ["polite", "rude"], refused: ["rude"],
    sources: [.prompt])
  let guardrails = SystemLanguageModel.Guardrails(checks: [TermList(terms), judge])
  return LanguageModelSession(model: SystemLanguageModel(base: base, guardrails: guardrails))
}
// docs:end

// docs:begin
/// A session with the base at `here`, which leaves to `there` what it cannot do; also who answered.
func answer(
  _ prompt: String, here: URL, there: some LanguageModel
) async throws -> (text: String, by: String) {
  let model = FallbackModel([
    FallbackModel.Choice(
      "here", SystemLanguageModel(base: here), passesOn: [.unavailable, .tooLong]),
    FallbackModel.Choice("there", there),
  ]) { passing in print("\(passing.from) → \(passing.to): \(passing.reason)") }
  let session = LanguageModelSession(model: model)
  let response = try await session.respond(to: prompt)
  guard case .response(let said)? = response.transcriptEntries.last else { return ("", "") }
  return (response.content, said.metadata["answeredBy"] as? String ?? "")
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleOfALongTalkRuns() async throws {
    let question = String(repeating: "What is a boat? ", count: 40)
    let answers = try await talk(Array(repeating: question, count: 16), base: SampleModels.base)
    #expect(answers.count == 16 && answers.allSatisfy { !$0.isEmpty })
  }

  @Test func theExampleWithToolsRuns() async throws {
    let model = ScriptedModel(
      [.call("1", "switchLamp", #"{"room": "hall", "isOn": true}"#)], [.text("No.")])
    #expect(try await answer("Light!", model: model, tools: [Lamp()]) == "No.")
    #expect(
      model.script.requests[1].transcript.last?.description
        == "Tool switchLamp: The call was refused: only the store may be asked")
  }

  @Test func theExampleKeepsItsList() async throws {
    let session = politeSession(base: SampleModels.base, terms: ["knave"])
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "You knave!")
    }
    #expect(error?.caseName == "guardrailViolation")
  }

  @Test func theListSaysWhoAnswered() async throws {
    let missing = SampleModels.base.appendingPathComponent("none")
    let answer = try await answer("hello", here: missing, there: ScriptedModel([.text("Hello.")]))
    #expect(answer.text == "Hello." && answer.by == "there")
  }
}
