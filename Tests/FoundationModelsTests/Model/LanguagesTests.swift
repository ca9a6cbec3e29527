import Foundation
import Testing

@testable import FoundationModels

@Suite struct LanguagesTests {
  @Test(arguments: [
    (["en", "de"], "de_CH", true), (["en", "de"], "fr_CH", false), (["en-US"], "en_AU", true),
    (["zh-Hans", "ja"], "zh_Hans_CN", true), (["pt-BR"], "pt_PT", true), ([], "fr_CH", true),
  ])
  func theLanguageCountsAndNotTheRegion(_ codes: [String], _ locale: String, _ isSupported: Bool) {
    #expect(
      SystemLanguageModel.languages(codes, include: Locale(identifier: locale)) == isSupported)
  }
}
