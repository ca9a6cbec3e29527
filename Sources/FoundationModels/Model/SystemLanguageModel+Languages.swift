public import Foundation

// Whom a model is for.

extension SystemLanguageModel {
  /// The languages that the base states in its file as `general.languages`, or those of the adapters that the model was chosen from; empty where
  /// nothing is stated.
  public var supportedLanguages: Set<Locale.Language> {
    Set(languages ?? ((try? load())?.base.languages ?? []).map { Locale.Language(identifier: $0) })
  }

  /// Whether the model is made for people with `locale`, whatever their region.
  ///
  /// A base that states no languages is not refused: then this tells whether the model is available. Nothing looks at the language of prompts: a
  /// session throws `unsupportedLanguageOrLocale` for a model that was made for people with a locale, by ``required(for:)`` or
  /// ``init(adapters:locale:guardrails:)``.
  public func supportsLocale(_ locale: Locale = Locale.current) -> Bool {
    guard (try? load()) != nil else { return false }
    return Self.languages(supportedLanguages, include: locale)
  }

  /// The model for people with `locale`: a session whose model does not support it throws `unsupportedLanguageOrLocale` before the first token: an extension.
  public func required(for locale: Locale = Locale.current) -> SystemLanguageModel {
    SystemLanguageModel(source, guardrails, locale: locale, languages: languages)
  }

  /// The base with the adapter for the language of `locale`, of several for one base: an extension.
  ///
  /// An adapter for the same region goes before one for the same language elsewhere; scripts have to be the same. Where none fits, a session throws
  /// `unsupportedLanguageOrLocale` before the first token: nothing falls back to another language, or to the base alone.
  public convenience init(
    adapters: [Locale.Language: Adapter], locale: Locale = Locale.current,
    guardrails: Guardrails = .default
  ) {
    precondition(!adapters.isEmpty, "there is no adapter to choose from")
    let fitting = adapters.compactMap { language, adapter in
      Self.fit(language, locale.language).map {
        (fit: $0, name: language.minimalIdentifier, adapter: adapter)
      }
    }
    // Of equals the first by name, so that it is always the same.
    let chosen = fitting.max { ($0.fit, $1.name) < ($1.fit, $0.name) }?.adapter
    let source = (chosen ?? adapters.values.first).map(ModelSource.adapter)
    self.init(
      source ?? .configured(.general), guardrails, locale: locale, languages: Array(adapters.keys))
  }

  /// Whether `locale` has one of these languages, or there are none to compare with.
  static func languages(_ stated: Set<Locale.Language>, include locale: Locale) -> Bool {
    stated.isEmpty || stated.contains { fit($0, locale.language) != nil }
  }

  /// How well something in `language` is for people who speak `other`; nil for not at all.
  static func fit(_ language: Locale.Language, _ other: Locale.Language) -> Int? {
    guard let code = language.languageCode, code == other.languageCode else { return nil }
    if let script = language.script, let needed = other.script, script != needed { return nil }
    return (language.region == other.region ? 2 : 0) + (language.script == other.script ? 1 : 0)
  }

  /// - Throws: `LanguageModelError.unsupportedLanguageOrLocale` where the model is for people whose language it does not speak, or
  ///   `.assetsUnavailable`.
  func checkLocale() throws {
    guard let locale else { return }
    _ = try opened()
    guard !supportsLocale(locale) else { return }
    let names = supportedLanguages.map(\.minimalIdentifier).sorted().joined(separator: ", ")
    throw LanguageModelError.unsupportedLanguageOrLocale(
      LanguageModelError.UnsupportedLanguageOrLocale(
        languageCode: locale.language.languageCode ?? .unidentified,
        debugDescription:
          "The model is asked to be for people with the locale \(locale.identifier), but is made for these languages: \(names)."
      ))
  }
}
