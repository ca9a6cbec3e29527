extension Never: Generable {
  /// No value.
  public static var generationSchema: GenerationSchema { GenerationSchema(.nothing) }

  /// Refuses all content.
  ///
  /// - Throws: ``GeneratedContentError`` always.
  public init(_ content: GeneratedContent) throws {
    throw content.mismatch(Never.self)
  }

  /// Never asked for.
  public var generatedContent: GeneratedContent {
    switch self {}
  }
}
