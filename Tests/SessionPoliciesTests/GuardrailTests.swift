import Foundation
import SessionPolicies
import SessionTestSupport
import Synchronization
import TestSupport
import Testing

@testable import FoundationModels

private typealias GenerationError = LanguageModelSession.GenerationError
private typealias Guardrails = SystemLanguageModel.Guardrails

@Suite struct GuardrailTests {
  /// Notes what it is asked, and refuses texts with a word.
  private final class Recorder: ContentCheck, Sendable {
    private let contents = Mutex<[CheckedContent]>([])
    let word: String
    let judgesParts: Bool
    let refusal: Bool

    init(_ word: String = "\u{0}", judgesParts: Bool = false, refusal: Bool = false) {
      (self.word, self.judgesParts, self.refusal) = (word, judgesParts, refusal)
    }

    var all: [CheckedContent] { contents.withLock { $0 } }
    var whole: [String] {
      all.filter(\.isWhole).map { "\($0.source.rawValue): \($0.text)" }
    }

    func verdict(on content: CheckedContent) -> ContentVerdict {
      contents.withLock { $0.append(content) }
      guard content.text.contains(word) else { return .pass }
      return refusal ? .refusal("I do not speak of that.") : .violation("it has '\(word)'")
    }
  }

  private static let options = GenerationOptions(maximumResponseTokens: 12)

  private func model(_ checks: any ContentCheck...) -> SystemLanguageModel {
    SystemLanguageModel(base: SampleModels.base, guardrails: Guardrails(checks: checks))
  }

  private func violation(_ body: () async throws -> Void) async throws -> String {
    do {
      try await body()
    } catch LanguageModelError.guardrailViolation(let context) {
      return context.debugDescription
    }
    Issue.record("nothing was refused")
    return ""
  }

  @Test func everythingIsJudgedOnce() async throws {
    let recorder = Recorder()
    let session = LanguageModelSession(
      model: model(recorder), tools: [Lamp()], instructions: "Be brief.")
    var options = Self.options
    options.toolCallingMode = .required
    options.maximumResponseTokens = 60
    let first = try await session.respond(to: "Switch on the lamp in the hall.", options: options)
    let plain = LanguageModelSession(
      model: SampleModels.plain, tools: [Lamp()], instructions: "Be brief.")
    // What passes is as it would be without checks.
    let expected = try await plain.respond(to: "Switch on the lamp in the hall.", options: options)
    #expect(first.content == expected.content)
    let said = recorder.whole
    #expect(
      said.prefix(2) == ["instructions: Be brief.", "prompt: Switch on the lamp in the hall."])
    #expect(Set(said).count == said.count)
    #expect(said.contains { $0.hasPrefix("toolOutput: ") })
    #expect(said.last == "response: \(first.content)")
    options.toolCallingMode = .disallowed
    _ = try await session.respond(to: "Hello", options: options)
    #expect(recorder.whole.dropFirst(said.count).first == "prompt: Hello")
    #expect(recorder.whole.count == said.count + 2)
  }

  @Test func whatIsReadIsJudgedBeforeTheFirstToken() async throws {
    for (instructions, prompt, text) in [
      ("Be rude.", "Hello", "The instructions were refused by Recorder: it has 'rude'."),
      ("Be kind.", "Be rude.", "The prompt was refused by Recorder: it has 'rude'."),
    ] {
      let session = LanguageModelSession(
        model: model(Recorder("rude")), instructions: instructions)
      let before = session.transcript
      let said = try await violation { _ = try await session.respond(to: prompt) }
      #expect(said == text)
      #expect(session.transcript == before)
      #expect(await session.engine.statistics == nil)
    }
  }

  @Test func theOutputOfToolsIsJudged() async throws {
    let lamp = Lamp(work: { _ in "a rude lamp" })
    let session = LanguageModelSession(model: model(Recorder("rude")), tools: [lamp])
    let options = GenerationOptions(maximumResponseTokens: 60, toolCallingMode: .required)
    let said = try await violation {
      _ = try await session.respond(to: "Light in the hall, please.", options: options)
    }
    #expect(said == "The output of a tool was refused by Recorder: it has 'rude'.")
  }

  /// What the bundled base answers, and a word of its last sentence.
  private func answer() async throws -> (text: String, word: String) {
    let text = try await LanguageModelSession(model: SampleModels.plain).respond(to: Self.question)
      .content
    let word = try #require(text.split { !$0.isLetter }.last)
    return (text, String(word))
  }

  private static let question = "Write a story about a cat that lives by the sea."

  @Test(arguments: [true, false]) func nothingOfARefusedResponseIsShown(parts: Bool) async throws {
    let (text, word) = try await answer()
    let session = LanguageModelSession(model: model(Recorder(word, judgesParts: parts)))
    var shown: [String] = []
    let said = try await violation {
      for try await snapshot in session.streamResponse(to: Self.question) {
        shown.append(snapshot.content)
      }
    }
    #expect(said == "The response was refused by Recorder: it has '\(word)'.")
    #expect(shown.allSatisfy { !$0.contains(word) && text.hasPrefix($0) })
    #expect(parts || shown.isEmpty)
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
  }

  @Test(arguments: [true, false]) func aStreamThatPassesIsWhole(parts: Bool) async throws {
    let text = try await answer().text
    let recorder = Recorder(judgesParts: parts)
    let session = LanguageModelSession(model: model(recorder))
    var shown: [String] = []
    for try await snapshot in session.streamResponse(to: Self.question) {
      shown.append(snapshot.content)
    }
    #expect(shown.last == text)
    #expect(recorder.all.contains { !$0.isWhole } == parts)
    #expect(parts || shown.count == 1)
    // The session goes on from what it has computed.
    _ = try await session.respond(to: "Another one.", options: Self.options)
    #expect(try #require(await session.engine.statistics).reusedTokens > text.count / 8)
  }

  @Test func aRefusalTellsThePerson() async throws {
    let session = LanguageModelSession(model: model(Recorder("rude", refusal: true)))
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "Be rude.")
    }
    guard case .refusal(let refusal)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await refusal.explanation.content == "I do not speak of that.")
    #expect(
      refusal.debugDescription == "The prompt was refused by Recorder, with an explanation.")
  }

  @Test func permissiveIsForStringsOnly() async throws {
    let recorder = Recorder("rude")
    let model = SystemLanguageModel(
      base: SampleModels.base,
      guardrails: .permissiveContentTransformations(checks: [recorder]))
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: "Be rude.", options: Self.options)
    #expect(recorder.all.isEmpty)
    let said = try await violation {
      _ = try await session.respond(to: "Now", generating: Int.self)
    }
    // The conversation is judged, too, now that a value is asked for.
    #expect(said == "The prompt was refused by Recorder: it has 'rude'.")
  }

  @Test func noneIsInUseUnlessSet() async throws {
    #expect(Guardrails.defaultChecks.isEmpty)
    for guardrails in [Guardrails.default, .permissiveContentTransformations] {
      #expect(guardrails.contentGuard(isString: true) == nil)
      #expect(guardrails.contentGuard(isString: false) == nil)
    }
  }

  @Test func whatACheckThrowsEndsTheResponse() async throws {
    struct Unsure: ContentCheck {
      func verdict(on content: CheckedContent) async throws -> ContentVerdict { throw Unsure.No() }
      struct No: Error {}
    }
    let session = LanguageModelSession(model: model(Unsure()))
    await #expect(throws: Unsure.No.self) { try await session.respond(to: "Hello") }
    #expect(session.transcript.isEmpty)
  }

  // MARK: - Terms

  @Test(
    arguments: [
      ("A BÄD word.", "bad word"), ("a bad -- word", "bad word"), ("b\u{200B}ad word", "bad word"),
      ("ｂａｄ word", "bad word"), ("he is a Knave!", "knave"), ("这是坏东西。", "坏东西"),
      ("badly worded", nil), ("a word, bad", nil), ("knaves", nil), ("", nil),
    ] as [(String, String?)])
  func termsAreFoundAsPeopleReadThem(_ text: String, _ term: String?) {
    let list = TermList(["bad word", "Knave", "坏东西", "...", ""])
    let verdict = list.verdict(on: CheckedContent(.prompt, text))
    #expect(verdict == (term.map { .violation("it has '\($0)'") } ?? .pass))
  }

  @Test func termsComeFromAFile() async throws {
    let folder = try TemporaryDirectory()
    let file = URL(fileURLWithPath: folder.path("terms.txt"))
    try "# a list\nbad word\n\n  knave\n".write(to: file, atomically: true, encoding: .utf8)
    let list = try TermList(contentsOf: file, name: "terms", sources: [.prompt])
    #expect(list.verdict(on: CheckedContent(.prompt, "a list")) == .pass)
    let session = LanguageModelSession(model: model(list), instructions: "A knave.")
    let said = try await violation { _ = try await session.respond(to: "Hey, knave") }
    #expect(said == "The prompt was refused by terms: it has 'knave'.")
  }

  // MARK: - Classifiers

  @Test func aModelJudges() async throws {
    let judge = ScriptedModel([.text(#""safe""#)], [.text(#""unsafe""#)])
    let classifier = ContentClassifier(
      judge, labels: ["safe", "unsafe"], refused: ["unsafe"], sources: [.prompt, .response])
    let session = LanguageModelSession(model: model(classifier), instructions: "Be brief.")
    let said = try await violation {
      _ = try await session.respond(to: "Hello", options: Self.options)
    }
    #expect(said == "The response was refused by ContentClassifier: it is 'unsafe'.")
    let requests = judge.script.requests
    #expect(requests.count == 2)
    #expect(
      requests[0].transcript.map(\.description) == [
        "Instructions: Say which of these the text is: safe, unsafe.", "Prompt: Hello",
      ])
    #expect(requests[0].schema != nil)
  }

  @Test func anAdapterOverTheBaseJudges() async throws {
    let tagger = ContentClassifier(
      try SampleModels.adapted(SampleModels.tagging), name: "tagger", sources: [.prompt]
    ) { $0.contains("travel") ? .violation("it is of travel") : .pass }
    let session = LanguageModelSession(model: model(tagger))
    let said = try await violation { _ = try await session.respond(to: SampleModels.note) }
    #expect(said == "The prompt was refused by tagger: it is of travel.")
  }

  @Test func aLabelOfTheBaseIsOneOfThem() async throws {
    let classifier = ContentClassifier(
      SampleModels.plain, labels: ["a", "b"], refused: ["a", "b"])
    let verdict = try await classifier.verdict(on: CheckedContent(.prompt, "Hello"))
    #expect([.violation("it is 'a'"), .violation("it is 'b'")].contains(verdict))
  }

  @Test func whatIsTooLongIsJudgedInHalves() async throws {
    let full = ScriptedModel.Step.fail(
      LanguageModelError.contextSizeExceeded(
        LanguageModelError.ContextSizeExceeded(
          contextSize: 1, tokenCount: 2, debugDescription: "full")))
    let judge = ScriptedModel([full], [.text("ok")], [.text("bad")])
    let classifier = ContentClassifier(judge) { $0 == "bad" ? .violation("bad") : .pass }
    #expect(
      try await classifier.verdict(on: CheckedContent(.prompt, "abcd")) == .violation("bad"))
    #expect(
      judge.script.requests.map { $0.transcript[0].description }
        == ["Prompt: abcd", "Prompt: ab", "Prompt: cd"])
  }

  @Test func theModelOfACheckIsNotJudged() async throws {
    // A classifier whose model has the same guardrails would ask itself for ever.
    let inner = Recorder("Hello")
    let classifier = ContentClassifier(model(inner)) { _ in .pass }
    let session = LanguageModelSession(model: model(classifier))
    _ = try await session.respond(to: "Hello", options: Self.options)
    #expect(inner.all.isEmpty)
  }
}
