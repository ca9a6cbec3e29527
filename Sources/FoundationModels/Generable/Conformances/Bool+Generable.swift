extension Bool: Generable {
  /// `true` or `false`.
  public static var generationSchema: GenerationSchema { GenerationSchema(.boolean) }

  /// Reads a boolean.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else.
  public init(_ content: GeneratedContent) throws {
    guard case .bool(let value) = content.kind else { throw content.mismatch(Self.self) }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent { GeneratedContent(kind: .bool(self)) }
}
