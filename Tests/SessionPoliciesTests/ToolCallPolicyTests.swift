import FoundationModels
import SessionPolicies
import SessionTestSupport
import Synchronization
import Testing

@Suite struct ToolCallPolicyTests {
  private static func call(_ id: String) -> ScriptedModel.Step {
    .call(id, "switchLamp", #"{"room": "hall", "isOn": true}"#)
  }

  private func session(_ model: ScriptedModel) -> LanguageModelSession {
    LanguageModelSession(model: model, tools: [Lamp()])
  }

  @Test func everyCallIsDecidedOn() async throws {
    let asked = Mutex<[String]>([])
    let session = session(ScriptedModel((1...4).map { Self.call("\($0)") }, [.text("Done.")]))
    session.toolCallPolicy.decide = { call in
      asked.withLock { $0.append(call.id) }
      return switch call.id {
      case "1": .approve
      case "2":
        .replace(arguments: GeneratedContent(properties: ["room": "kitchen", "isOn": false]))
      case "3": .answer("already on")
      default: .refuse("at night")
      }
    }
    _ = try await session.respond(to: "Light!")
    #expect(asked.withLock { $0.sorted() } == ["1", "2", "3", "4"])
    let calls = try #require(session.transcript[2].asToolCalls)
    #expect(try Lamp.Arguments(calls[1].arguments).room == .kitchen)
    #expect(
      session.transcript[3...6].map(\.description) == [
        "Tool switchLamp: hall is true", "Tool switchLamp: kitchen is false",
        "Tool switchLamp: already on", "Tool switchLamp: The call was refused: at night",
      ])
  }

  @Test func aDecisionThatFailsEndsTheResponse() async throws {
    let model = ScriptedModel([Self.call("1")])
    let session = session(model)
    let before = session.transcript
    session.toolCallPolicy.decide = { _ in throw Broken() }
    await #expect(throws: Broken.self) { try await session.respond(to: "Light!") }
    #expect(session.transcript == before && model.script.requests.count == 1)
  }

  @Test func thePolicyLimitsCalls() async throws {
    let model = ScriptedModel([Self.call("1"), Self.call("2")], [.text("Done.")])
    let session = session(model)
    session.toolCallPolicy = ToolCallPolicy(maximumRounds: 1, maximumCallsPerRound: 1)
    _ = try await session.respond(to: "Light!")
    #expect(
      session.transcript[3...4].map(\.description) == [
        "Tool switchLamp: hall is true",
        "Tool switchLamp: The call was refused: one answer may have 1 calls",
      ])
    #expect(model.script.requests[1].generationOptions.toolCallingMode == .disallowed)
  }

  @Test func aSessionHasTheUsualPolicy() {
    let session = session(ScriptedModel())
    #expect(session.toolCallPolicy.maximumRounds == 8)
    #expect(session.toolCallPolicy.maximumCallsPerRound == 8)
    session.toolCallPolicy.maximumRounds = 2
    #expect(session.toolCallPolicy.maximumRounds == 2)
    #expect(session.contextPolicy == nil)
    session.contextPolicy = .dropOldest
    #expect(session.contextPolicy != nil)
  }
}
