extension Optional where Wrapped: Generable {
  /// As much of the value as is there.
  public typealias PartiallyGenerated = Wrapped.PartiallyGenerated
}

extension Optional: ConvertibleToGeneratedContent where Wrapped: ConvertibleToGeneratedContent {
  /// The value as content, or null.
  public var generatedContent: GeneratedContent {
    map(\.generatedContent) ?? GeneratedContent(kind: .null)
  }
}

extension Optional: InstructionsRepresentable where Wrapped: ConvertibleToGeneratedContent {}

extension Optional: PromptRepresentable where Wrapped: ConvertibleToGeneratedContent {}
