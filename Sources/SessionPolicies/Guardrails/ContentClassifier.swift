public import FoundationModels

/// Lets a model judge texts.
///
/// The model may be a base with an adapter that was trained for it. Each text is judged in a session of its own, greedily; one that is too long for the
/// model's context is judged in halves. What the classifier's own model reads and says is not judged.
public struct ContentClassifier: ContentCheck {
  /// What it is called where it refuses something.
  public let name: String
  /// What it judges.
  public let sources: Set<CheckedContent.Source>
  private let judge: @Sendable (String) async throws -> ContentVerdict

  /// A classifier whose model answers with one of `labels`, and can answer nothing else; those in `refused` are violations.
  ///
  /// Without `instructions` the model is asked which of the labels the text is.
  public init(
    _ model: some LanguageModel, labels: [String], refused: Set<String>,
    instructions: String? = nil, name: String = "ContentClassifier",
    sources: Set<CheckedContent.Source> = Set(CheckedContent.Source.allCases)
  ) {
    precondition(refused.isSubset(of: labels), "a refused label is none of the labels")
    (self.name, self.sources) = (name, sources)
    let asked =
      instructions ?? "Say which of these the text is: \(labels.joined(separator: ", "))."
    judge = { text in
      let schema = try GenerationSchema(
        root: DynamicGenerationSchema(name: "Label", anyOf: labels), dependencies: [])
      let session = LanguageModelSession(model: model, instructions: asked)
      let content = try await session.respond(
        to: Prompt(text), schema: schema, includeSchemaInPrompt: false
      ).content
      let label = try content.value(String.self)
      return refused.contains(label) ? .violation("it is '\(label)'") : .pass
    }
  }

  /// A classifier whose model answers in its own words, of which `verdict` makes something: for adapters that have a form of their own.
  public init(
    _ model: some LanguageModel, instructions: String? = nil, name: String = "ContentClassifier",
    sources: Set<CheckedContent.Source> = Set(CheckedContent.Source.allCases),
    verdict: @escaping @Sendable (String) throws -> ContentVerdict
  ) {
    (self.name, self.sources) = (name, sources)
    judge = { text in
      let session = LanguageModelSession(model: model, instructions: instructions)
      return try verdict(try await session.respond(to: Prompt(text)).content)
    }
  }

  /// What the model makes of the text.
  ///
  /// - Throws: What a session over the model throws.
  public func verdict(on content: CheckedContent) async throws -> ContentVerdict {
    try await verdict(on: content.text)
  }

  private func verdict(on text: String) async throws -> ContentVerdict {
    do {
      return try await judge(text)
    } catch {
      guard LanguageModelSession.isContextFull(error), text.count > 1 else { throw error }
      let middle = text.index(text.startIndex, offsetBy: text.count / 2)
      for half in [text[..<middle], text[middle...]] {
        let verdict = try await verdict(on: String(half))
        guard verdict == .pass else { return verdict }
      }
      return .pass
    }
  }
}
