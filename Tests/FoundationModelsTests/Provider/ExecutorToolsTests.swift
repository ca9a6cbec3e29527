import Foundation
import SessionTestSupport
import Testing

@testable import FoundationModels

/// Calls of tools that any model makes.
@Suite struct ExecutorToolsTests {
  private typealias GenerationError = LanguageModelSession.GenerationError

  @Test func twoToolsOfOneNameAreRefusedForAnyModel() async throws {
    let model = ScriptedModel([.text("never")])
    let session = LanguageModelSession(model: model, tools: [Lamp(), Lamp()])
    let error = await #expect(throws: LanguageModelSession.ToolNameError.self) {
      try await session.respond(to: "Light!")
    }
    #expect(error == .duplicate("switchLamp"))
    #expect(model.script.requests.isEmpty && session.transcript.isEmpty == false)
  }

  @Test func theSessionRunsTheCallsAndAsksAgain() async throws {
    let model = ScriptedModel(
      [
        .event(.reasoning(action: .appendText("Two rooms.", tokenCount: 2))),
        .event(.reasoning(action: .updateSignature(Data([1, 2]), tokenCount: 0))),
        .call("1", "switchLamp", #"{"room": "hall", "#),
        .call("2", "switchLamp", #"{"room": "kitchen", "isOn": true}"#),
        .call("1", "switchLamp", #""isOn": false}"#), .usage(10, cached: 0, 5, reasoning: 2),
      ],
      [.text("Done."), .usage(20, cached: 10, 1)])
    let session = LanguageModelSession(model: model, tools: [Lamp()])
    let response = try await session.respond(
      to: "Light!", options: GenerationOptions(toolCallingMode: .required))
    #expect(response.content == "Done.")
    #expect(
      session.transcript.dropFirst().map(\.description) == [
        "Prompt: Light!", "Reasoning: Two rooms.",
        #"Tool calls: switchLamp({"room": "hall", "isOn": false}), switchLamp({"room": "kitchen", "isOn": true})"#,
        "Tool switchLamp: hall is false", "Tool switchLamp: kitchen is true", "Response: Done.",
      ])
    #expect(session.transcript[2].asReasoning?.signature == Data([1, 2]))
    #expect(response.usage.input.totalTokenCount == 30)
    #expect(response.usage.input.cachedTokenCount == 10)
    #expect(response.usage.output.reasoningTokenCount == 2)
    let requests = model.script.requests
    #expect(requests[0].enabledToolDefinitions == [Transcript.ToolDefinition(tool: Lamp())])
    // One call was required; what comes of it is the model's to say.
    let modes = requests.map { $0.generationOptions.toolCallingMode?.kind }
    #expect(modes == [.required, .allowed])
    #expect(requests[1].transcript.count == 6)
    let data = try JSONEncoder().encode(session.transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == session.transcript)
  }

  @Test(arguments: [
    (
      #"{"room": "cellar", "isOn": true}"#, "switchLamp",
      #"The tool 'switchLamp' failed: The answer is not of the kind that was asked for. "#
        + #"The arguments are not what the tool's schema allows: {"room": "cellar", "isOn": true}"#
    ),
    (
      #"{"room": "#, "switchLamp",
      "The arguments of the model's call of the tool 'switchLamp' are not JSON."
    ),
    (#"{}"#, "launch", "The model called the tool 'launch', which the session does not have."),
  ])
  func wrongCallsDoNotRun(arguments: String, name: String, reason: String) async throws {
    let model = ScriptedModel([.call("1", name, arguments)])
    let session = LanguageModelSession(
      model: model,
      tools: [
        Lamp { _ in
          Issue.record("ran")
          return ""
        }
      ])
    let before = session.transcript
    let error = await #expect(throws: (any Error).self) { try await session.respond(to: "Light!") }
    let text = (error as? GenerationError)?.failureReason ?? error?.localizedDescription
    #expect(text == reason)
    #expect(session.transcript == before && !session.isResponding)
  }

  @Test func limitsOfCallsHoldForAnyModel() async throws {
    let call = ScriptedModel.Step.call("1", "switchLamp", #"{"room": "hall", "isOn": true}"#)
    let other = ScriptedModel.Step.call("2", "switchLamp", #"{"room": "hall", "isOn": true}"#)
    let model = ScriptedModel([call, other], [call])
    let session = LanguageModelSession(model: model, tools: [Lamp()])
    session.toolCallReviewer = Reviewer()
    let error = await #expect(throws: GenerationError.self) {
      try await session.respond(to: "Light!")
    }
    #expect(
      error?.failureReason == "The model called the tool 'switchLamp' where it had to answer.")
    let outputs = model.script.requests[1].transcript.suffix(2).map(\.description)
    #expect(
      outputs == [
        "Tool switchLamp: hall is true",
        "Tool switchLamp: The call was refused: one answer may have 1 calls",
      ])
    #expect(model.script.requests[1].generationOptions.toolCallingMode?.kind == .disallowed)
    let lazy = LanguageModelSession(model: ScriptedModel([.text("No.")]), tools: [Lamp()])
    let missing = await #expect(throws: GenerationError.self) {
      try await lazy.respond(
        to: "Light!", options: GenerationOptions(toolCallingMode: .required))
    }
    #expect(missing?.failureReason == "The model answered where it had to call a tool.")
    let none = ScriptedModel([.text("No.")])
    let silent = LanguageModelSession(model: none, tools: [Lamp()])
    silent.toolCallReviewer = Reviewer(maximumRounds: 0)
    _ = try await silent.respond(
      to: "Light!", options: GenerationOptions(toolCallingMode: .required))
    #expect(none.script.requests[0].generationOptions.toolCallingMode?.kind == .disallowed)
  }

  @Test func snapshotsSayWhatCameBefore() async throws {
    let model = ScriptedModel(
      [.call("1", "switchLamp", #"{"room": "hall", "isOn": true}"#), .usage(9, cached: 0, 2)],
      [.text("Done."), .usage(20, cached: 0, 1)])
    let session = LanguageModelSession(model: model, tools: [Lamp()])
    let stream = session.streamResponse(to: "Light!")
    var seen = 0
    for try await snapshot in stream where snapshot.content == "Done." {
      seen += 1
      #expect(snapshot.transcriptEntries.count >= 3)
      #expect(snapshot.transcriptEntries.first?.description == "Prompt: Light!")
      #expect(snapshot.usage.input.totalTokenCount >= 9)
    }
    #expect(seen > 0)
    #expect(try await stream.collect().usage.input.totalTokenCount == 29)
  }
}
