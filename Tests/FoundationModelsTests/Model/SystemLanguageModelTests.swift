import Foundation
import FoundationModels
import TestSupport
import Testing

@Suite struct SystemLanguageModelTests {
  @Test func aBaseInAFileIsAvailable() {
    let model = SampleModels.plain
    #expect(model.availability == .available)
    #expect(model.isAvailable)
    #expect(model.diagnosis == nil)
    #expect(model.contextSize == 1024)
    #expect(model.supportedLanguages.isEmpty)
    #expect(model.supportsLocale(Locale(identifier: "de_CH")))
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
      #expect(!model.supportsLocale())
      let error = await #expect(throws: LanguageModelSession.GenerationError.self) {
        try await LanguageModelSession(model: model).respond(to: "Hello")
      }
      guard case .assetsUnavailable(let context) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(context.debugDescription == diagnosis)
    }
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
