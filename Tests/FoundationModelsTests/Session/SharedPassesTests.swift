import FoundationModels
import SessionTestSupport
import Testing

/// Sessions that answer at the same time share passes over their base.
@Suite struct SharedPassesTests {
  private struct Question: Sendable {
    let model: SystemLanguageModel
    let prompt: String
    var options = GenerationOptions(maximumResponseTokens: 24)
  }

  private static func questions() throws -> [Question] {
    let sampled = GenerationOptions(
      sampling: .random(top: 20, seed: 7), temperature: 1.5, maximumResponseTokens: 24)
    let long = String(repeating: "A long story about the sea. ", count: 30)
    return [
      Question(model: SampleModels.plain, prompt: "Name a fruit."),
      Question(model: SampleModels.plain, prompt: "Tell me about bread.", options: sampled),
      Question(model: SampleModels.plain, prompt: long),
      Question(model: try SampleModels.adapted(SampleModels.tagging), prompt: SampleModels.note),
      Question(model: SampleModels.plain, prompt: "What colour is snow?"),
      Question(model: try SampleModels.adapted(SampleModels.tagging), prompt: "We took the train."),
    ]
  }

  private static func answer(_ question: Question) async throws -> [String] {
    let session = LanguageModelSession(model: question.model)
    var answers: [String] = []
    for prompt in [question.prompt, "And then?"] {
      answers.append(try await session.respond(to: prompt, options: question.options).content)
    }
    let value = try await session.respond(to: "Is ice cold?", generating: Bool.self)
    return answers + [value.rawContent.jsonString]
  }

  @Test func sessionsAtOnceSayWhatTheyWouldSayAlone() async throws {
    let questions = try Self.questions()
    var alone: [[String]] = []
    for question in questions { alone.append(try await Self.answer(question)) }
    for _ in 0..<3 {
      let together = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
        for (index, question) in questions.enumerated() {
          group.addTask { (index, try await Self.answer(question)) }
        }
        return try await group.reduce(into: alone.map { _ in [] }) { $0[$1.0] = $1.1 }
      }
      #expect(together == alone)
    }
  }

  @Test func oneThatIsCancelledLetsOthersGoOn() async throws {
    let question = Question(model: SampleModels.plain, prompt: "Tell me about bread.")
    let alone = try await Self.answer(question)
    let endless = GenerationOptions(
      sampling: .random(top: 50, seed: 3), temperature: 5, maximumResponseTokens: 1_500)
    let tasks = (0..<3).map { number in
      Task {
        try await LanguageModelSession(model: SampleModels.plain).respond(
          to: "Story \(number)", options: endless
        ).content
      }
    }
    async let first = Self.answer(question)
    async let second = Self.answer(question)
    tasks[0].cancel()
    #expect(try await first == alone)
    tasks.forEach { $0.cancel() }
    #expect(try await second == alone)
    // Those that had said all before are not.
    for task in tasks {
      do { _ = try await task.value } catch { #expect(error is CancellationError) }
    }
  }
}
