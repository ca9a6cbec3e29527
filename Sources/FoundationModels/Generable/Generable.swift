/// A type that a model can generate: its schema is the grammar of what the model may write.
///
/// `@Generable` writes the conformance for structures and enumerations.
public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  /// What of a value is there while it is still being generated.
  associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self

  /// Properties, order and limits of what is generated.
  static var generationSchema: GenerationSchema { get }
}

/// A type whose values can be read from content.
public protocol ConvertibleFromGeneratedContent: SendableMetatype {
  /// Reads a value.
  ///
  /// - Throws: ``GeneratedContentError`` when the content is not such a value.
  init(_ content: GeneratedContent) throws
}

/// A type whose values can be written as content.
public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable {
  /// The value as content.
  var generatedContent: GeneratedContent { get }
}

extension Generable {
  /// The whole value in the form of one that is still being generated.
  ///
  /// Where a hand-written partial type refuses the content of its own whole type, this traps.
  public func asPartiallyGenerated() -> PartiallyGenerated {
    do {
      return try PartiallyGenerated(generatedContent)
    } catch {
      preconditionFailure("\(PartiallyGenerated.self) cannot be read from \(Self.self): \(error)")
    }
  }
}

extension ConvertibleToGeneratedContent {
  /// The value as JSON.
  public var instructionsRepresentation: Instructions {
    return generatedContent.jsonString.instructionsRepresentation
  }

  /// The value as JSON.
  public var promptRepresentation: Prompt {
    return generatedContent.jsonString.promptRepresentation
  }
}
