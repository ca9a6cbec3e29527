import Foundation
import SessionTestSupport
import Testing

@testable import FoundationModels

@Suite struct FeedbackTests {
  private func object(_ data: Data) throws -> [String: Any] {
    #expect(data.last == UInt8(ascii: "\n"))
    #expect(data.count { $0 == UInt8(ascii: "\n") } == 1)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func transcript(_ value: Any?) throws -> Transcript {
    try JSONDecoder().decode(
      Transcript.self, from: JSONSerialization.data(withJSONObject: #require(value)))
  }

  @Test func holdsWhatWasSaidAndWhatIsWrongWithIt() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    try await session.respond(
      to: "Hello", options: GenerationOptions(maximumResponseTokens: 4))
    let data = session.logFeedbackAttachment(
      sentiment: .negative,
      issues: [
        LanguageModelFeedback.Issue(category: .incorrect, explanation: "It is out of date."),
        LanguageModelFeedback.Issue(category: .tooVerbose),
      ], desiredResponseText: "Good day.")
    let feedback = try object(data)
    #expect(feedback["sentiment"] as? String == "negative")
    let issues = try #require(feedback["issues"] as? [[String: String]])
    #expect(
      issues == [
        ["category": "incorrect", "explanation": "It is out of date."], ["category": "tooVerbose"],
      ])
    #expect(try transcript(feedback["transcript"]) == session.transcript)
    #expect(try transcript(feedback["desired"]).description == "Response: Good day.")
    #expect(feedback["rejected"] == nil)
  }

  @Test func holdsWhatAnErrorHasTakenBack() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let long = String(repeating: "long ", count: 4000)
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: long)
    }
    let feedback = try object(session.logFeedbackAttachment(sentiment: nil))
    #expect(try transcript(feedback["rejected"]).description == "Prompt: " + long)
    #expect(try transcript(feedback["transcript"]).isEmpty)
    #expect(feedback["sentiment"] == nil)
  }

  @Test func contentCanBeDesired() throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let data = session.logFeedbackAttachment(sentiment: .neutral, desiredResponseContent: [1, 2])
    let desired = try transcript(try object(data)["desired"])
    #expect(desired.description == "Response: [1, 2]")
  }
}
