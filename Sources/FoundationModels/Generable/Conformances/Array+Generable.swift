extension Array: Generable where Element: Generable {
  /// The elements that are there, each as far as it is there.
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  /// A list of any number of elements.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      .list(SchemaList(element: .type(SchemaType(type: Element.self, rules: [])))))
  }
}

extension Array: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  /// The elements as content, in their order.
  public var generatedContent: GeneratedContent {
    GeneratedContent(kind: .array(map(\.generatedContent)))
  }
}

extension Array: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  /// Reads a list; a last element that is too short to be read yet is left out.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else, or what an element throws.
  public init(_ content: GeneratedContent) throws {
    guard case .array(let elements) = content.kind else { throw content.mismatch(Self.self) }
    self = []
    reserveCapacity(elements.count)
    for element in elements {
      do {
        append(try Element(element))
      } catch {
        guard !element.isComplete else { throw error }
      }
    }
  }
}
