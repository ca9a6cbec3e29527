public import Foundation

extension SystemLanguageModel {
  /// The languages that the base states in its file as `general.languages`; empty when it states none.
  public var supportedLanguages: Set<Locale.Language> {
    Set(((try? load())?.base.languages ?? []).map { Locale.Language(identifier: $0) })
  }

  /// Whether the model is made for people with `locale`, whatever their region.
  ///
  /// A base that states no languages is not refused: then this tells whether the model is available. Nothing looks at
  /// the language of prompts, so a session never throws `unsupportedLanguageOrLocale`.
  public func supportsLocale(_ locale: Locale = Locale.current) -> Bool {
    guard let model = try? load() else { return false }
    return Self.languages(model.base.languages, include: locale)
  }

  /// Whether `locale` has one of the languages with the BCP 47 `codes`, or there are none to compare with.
  static func languages(_ codes: [String], include locale: Locale) -> Bool {
    guard let language = locale.language.languageCode else { return codes.isEmpty }
    return codes.isEmpty
      || codes.contains { Locale.Language(identifier: $0).languageCode == language }
  }
}
