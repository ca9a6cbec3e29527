import Foundation
import SessionTestSupport
import Testing

@testable import FoundationModels

@Suite struct LocaleTests {
  private typealias Adapter = SystemLanguageModel.Adapter

  private func adapter(_ url: URL) throws -> Adapter {
    try Adapter(fileURL: url, base: SampleModels.base)
  }

  @Test(
    arguments: [
      ("de", "de_CH", 0), ("de-CH", "de_CH", 2), ("de-AT", "de_CH", 0), ("en", "de", nil),
      ("zh-Hans", "zh-Hant-TW", nil), ("de", "de", 3),
    ] as [(String, String, Int?)])
  func languagesFitPeople(_ language: String, _ other: String, _ expected: Int?) {
    let fit = SystemLanguageModel.fit(
      Locale.Language(identifier: language), Locale(identifier: other).language)
    #expect((fit == nil) == (expected == nil))
    if let fit, let expected { #expect(fit >= expected) }
  }

  @Test func theAdapterIsThatOfThePersonsLanguage() async throws {
    let adapters = [
      Locale.Language(identifier: "en"): try adapter(SampleModels.tagging),
      Locale.Language(identifier: "fr"): try adapter(SampleModels.playwriting),
    ]
    let model = SystemLanguageModel(adapters: adapters, locale: Locale(identifier: "en_GB"))
    #expect(model.supportsLocale(Locale(identifier: "fr_CA")))
    #expect(model.supportedLanguages.count == 2)
    let content = try await LanguageModelSession(model: model).respond(to: SampleModels.note)
      .content
    #expect(content == SampleModels.tags)
  }

  @Test func anUnsupportedLocaleIsAnErrorBeforeTheFirstToken() async throws {
    let german = Locale(identifier: "de_CH")
    let chosen = SystemLanguageModel(
      adapters: [Locale.Language(identifier: "fr"): try adapter(SampleModels.tagging)],
      locale: german)
    for (model, languages) in [(chosen, "fr"), (SampleModels.plain.required(for: german), "en")] {
      #expect(!model.supportsLocale(german))
      let session = LanguageModelSession(model: model)
      let error = await #expect(throws: LanguageModelError.self) {
        try await session.respond(to: "Hallo")
      }
      #expect(error?.caseName == "unsupportedLanguageOrLocale")
      #expect(
        error?.failureReason
          == "The model is asked to be for people with the locale de_CH, but is made for these languages: \(languages)."
      )
      #expect(await session.engine.statistics == nil)
      #expect(session.transcript.isEmpty)
    }
  }

  @Test func aSupportedLocaleChangesNothing() async throws {
    let model = SampleModels.plain.required(for: Locale(identifier: "en_US"))
    let content = try await LanguageModelSession(model: model).respond(to: SampleModels.note)
      .content
    #expect(content == "traffic, travel")
  }
}
