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

// Members are named one by one: with arbitrary names Swift 6.3 overlooks the type's own `==` when it makes the conformance.

/// Makes a structure or an enumeration one that a model can generate.
///
/// The properties are generated in the order of declaration. A property of type ``GenerationID`` is not generated: it
/// takes the name of the content; a constant with a value keeps that. An enumeration is generated as the name of a case or, where its raw values are
/// texts, as one of those; with associated values as a structure of `case` and the values.
///
/// - Parameter description: What the type is, for the model.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: named(generationSchema), named(PartiallyGenerated))
public macro Generable(description: String? = nil) =
  #externalMacro(module: "FoundationModelsMacros", type: "GenerableMacro")

/// As above; with `representNilExplicitlyInGeneratedContent` a missing value is generated as `null`, not left out.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: named(generationSchema), named(PartiallyGenerated))
public macro Generable(
  description: String? = nil, representNilExplicitlyInGeneratedContent: Bool
) = #externalMacro(module: "FoundationModelsMacros", type: "GenerableMacro")

/// As above; `name` is what the schema is called, in place of the type's own name.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: named(generationSchema), named(PartiallyGenerated))
public macro Generable(
  name: String, description: String? = nil, representNilExplicitlyInGeneratedContent: Bool = false
) = #externalMacro(module: "FoundationModelsMacros", type: "GenerableMacro")

/// Tells the model what a property is.
@attached(peer)
public macro Guide(description: String) =
  #externalMacro(module: "FoundationModelsMacros", type: "GuideMacro")

/// Tells the model what a property is, and limits its values.
@attached(peer)
public macro Guide<Value: Generable>(
  description: String? = nil, _ guides: GenerationGuide<Value>...
) = #externalMacro(module: "FoundationModelsMacros", type: "GuideMacro")

/// Tells the model what a text is, and the expression that the whole of it has to match.
@attached(peer)
public macro Guide<RegexOutput>(
  description: String? = nil, _ guides: Regex<RegexOutput>
) = #externalMacro(module: "FoundationModelsMacros", type: "GuideMacro")
