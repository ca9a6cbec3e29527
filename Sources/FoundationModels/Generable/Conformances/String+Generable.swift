extension String: Generable {
  /// Any text.
  public static var generationSchema: GenerationSchema { GenerationSchema(.string(SchemaString())) }

  /// Reads a text, or as much of it as there is.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else.
  public init(_ content: GeneratedContent) throws {
    guard case .string(let value) = content.kind else { throw content.mismatch(Self.self) }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent { GeneratedContent(kind: .string(self)) }
}
