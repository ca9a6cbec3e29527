import Foundation
import SessionTestSupport
import TestSupport
import Testing

@testable import FoundationModels

@Suite struct SystemLanguageModelTests {
  @Test func aBaseInAFileIsAvailable() {
    let model = SampleModels.plain
    #expect(model.availability == .available)
    #expect(model.isAvailable)
    #expect(model.diagnosis == nil)
    #expect(model.contextSize == 2048)
    #expect(model.supportedLanguages == [Locale.Language(identifier: "en")])
    #expect(model.supportsLocale(Locale(identifier: "en_GB")))
    #expect(!model.supportsLocale(Locale(identifier: "de_CH")))
  }

  @Test func whatIsMissingIsSaid() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(Array("no model".utf8), to: "text.gguf")
    for (name, reason) in [
      ("none.gguf", "there is no such base; give the path of a GGUF file."),
      ("text.gguf", "this is not a GGUF file"),
    ] {
      let model = SystemLanguageModel(base: URL(fileURLWithPath: folder.path(name)))
      #expect(model.availability == .unavailable(.modelNotReady))
      let diagnosis = try #require(model.diagnosis)
      #expect(diagnosis.hasPrefix(folder.path(name)) && diagnosis.contains(reason), "\(diagnosis)")
      #expect(model.contextSize == 0)
      #expect(!model.isMadeForTools)
      #expect(!model.supportsLocale())
      let error = await #expect(throws: LanguageModelSession.GenerationError.self) {
        try await LanguageModelSession(model: model).respond(to: "Hello")
      }
      #expect(error?.caseName == "assetsUnavailable" && error?.failureReason == diagnosis)
    }
  }

  @Test(arguments: ["https://example.org/a/base.gguf", "base.gguf"])
  func anAddressThatIsNoFileIsNamedWhole(_ text: String) throws {
    let url = try #require(URL(string: text))
    let wrong = url.scheme == nil ? "there is no such base" : "not a file URL"
    #expect(
      SystemLanguageModel(base: url).diagnosis
        == "\(text): \(wrong); give the path of a GGUF file.")
  }

  @Test func aReplacedFileIsAnotherBase() throws {
    let folder = try TemporaryDirectory()
    let url = URL(fileURLWithPath: folder.path("base.gguf"))
    try FileManager.default.copyItem(at: SampleModels.base, to: url)
    let model = SystemLanguageModel(base: url)
    #expect(model.isAvailable)
    try FileManager.default.removeItem(at: url)
    try Data("no model".utf8).write(to: url)
    #expect(!model.isAvailable)
  }

  @Test func whatABaseWasMadeForIsInItsTemplate() throws {
    #expect(SampleModels.plain.isMadeForTools)
    let folder = try TemporaryDirectory()
    let url = URL(fileURLWithPath: folder.path("base.gguf"))
    var bytes = try Data(contentsOf: SampleModels.base)
    // What is another text is not the short form of a template with tools.
    let place = try #require(bytes.range(of: Data("in messages -%}".utf8)))
    bytes.replaceSubrange(place, with: Data("in messages  %}".utf8))
    try bytes.write(to: url)
    let model = SystemLanguageModel(base: url)
    #expect(model.isAvailable && !model.isMadeForTools)
    #expect(model.capabilities.contains(.toolCalling))
  }

  @Test func contentTaggingNeedsAnAdapter() {
    let model = SystemLanguageModel(useCase: .contentTagging)
    #expect(!model.isAvailable)
    #expect(
      model.diagnosis
        == "No adapter for content tagging is configured; set "
        + "SystemLanguageModel.configuration.contentTaggingAdapter to the name of an installed one."
    )
  }
}

@Suite struct LanguagesTests {
  @Test(arguments: [
    (["en", "de"], "de_CH", true), (["en", "de"], "fr_CH", false), (["en-US"], "en_AU", true),
    (["zh-Hans", "ja"], "zh_Hans_CN", true), (["pt-BR"], "pt_PT", true), ([], "fr_CH", true),
  ])
  func theLanguageCountsAndNotTheRegion(_ codes: [String], _ locale: String, _ isSupported: Bool) {
    #expect(
      SystemLanguageModel.languages(
        Set(codes.map { Locale.Language(identifier: $0) }), include: Locale(identifier: locale))
        == isSupported)
  }
}

@Suite struct TokenCountTests {
  private let model = SampleModels.plain

  @Test func aTranscriptCountsAsTheSessionDoes() async throws {
    let session = LanguageModelSession(model: model, instructions: "Be brief.")
    _ = try await session.respond(to: SampleModels.note)
    let count = try await model.tokenCount(for: session.transcript)
    _ = try await session.respond(to: "Why?", options: GenerationOptions(maximumResponseTokens: 1))
    let statistics = try #require(await session.engine.statistics)
    let next = try await model.tokenCount(for: Prompt("Why?"))
    // The second prompt is followed by the start of the answer's turn: a mark, the role, a mark.
    let start = statistics.promptTokens + statistics.reusedTokens - count - next
    #expect((2...4).contains(start), "\(start)")
  }

  @Test func partsAddUp() async throws {
    let instructions = Transcript.Instructions(segments: [.text(.init(content: "Be brief."))])
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Hello"))])
    let opening = try await model.tokenCount(for: [.instructions(instructions)])
    let both = try await model.tokenCount(for: [.instructions(instructions), .prompt(prompt)])
    #expect(try await both - opening == model.tokenCount(for: "Hello"))
    let turn = try await model.tokenCount(for: Instructions("Be brief."))
    // A chat of this format starts with one token.
    #expect(opening == turn + 1)
    // The base has instructions of its own for who gives none.
    #expect(try await model.tokenCount(for: [Transcript.Entry]()) > 1)
  }

  @Test func withoutAModelThereIsAnError() async {
    let model = SystemLanguageModel(base: URL(fileURLWithPath: "/nonexistent"))
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      try await model.tokenCount(for: "Hello")
    }
  }
}

@Suite struct OpenBaseTests {
  @Test func aBaseIsOpenOnceWhateverItIsCalled() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.gguf"), withDestinationPath: SampleModels.base.path)
    let base = try OpenBase.at(BasePlace(path: SampleModels.base.path))
    #expect(try OpenBase.at(BasePlace(path: folder.path("link.gguf"))) === base)
    let models = try [SampleModels.plain, SampleModels.adapted(SampleModels.tagging)]
    for model in models { #expect(try model.load().base === base) }
  }

  @Test func aBaseThatNobodyUsesIsClosed() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("base.gguf")
    try FileManager.default.copyItem(atPath: SampleModels.base.path, toPath: path)
    weak var closed: OpenBase?
    do {
      let model = SystemLanguageModel(base: URL(fileURLWithPath: path))
      closed = try model.load().base
      #expect(closed != nil)
    }
    #expect(closed == nil)
  }
}
