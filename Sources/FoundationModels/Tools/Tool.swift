public import Foundation

/// Code that a model can call, to learn what it does not know or to have something done.
///
/// A session tells the model the name, the description and the schema of the arguments, and the model chooses with each
/// answer whether it calls tools or answers. A call always has arguments of the schema. Several calls of one answer run at
/// once, so a tool that keeps something between calls is a final class with a `Mutex`, or an actor whose name, description
/// and `call` are `nonisolated`, and whose `call` awaits its other methods. What a tool returns goes back to the model, as
/// text: no mark of a chat format in it means anything.
public protocol Tool<Arguments, Output>: Sendable {
  /// What the tool gives back to the model: mostly a text or a `Generable` value.
  associatedtype Output: PromptRepresentable
  /// What the tool is called with: mostly a `@Generable` structure.
  associatedtype Arguments: ConvertibleFromGeneratedContent

  /// What the model calls the tool by, which no other tool of a session has; the type's name unless given.
  var name: String { get }
  /// What the tool does, and when to call it, in a short sentence for the model.
  var description: String { get }
  /// What the arguments have to be like: an object; the schema of ``Arguments`` unless given.
  var parameters: GenerationSchema { get }
  /// Whether the model is told of the tool; true unless given.
  ///
  /// A model that was trained with the tool need not be told; it may call it all the same.
  var includesSchemaInInstructions: Bool { get }

  /// Does what the tool is for.
  ///
  /// Any error that is thrown ends the response with ``LanguageModelSession/ToolCallError``. What the model is to know of and
  /// to go on after is better returned as an output.
  @concurrent func call(arguments: Arguments) async throws -> Output
}

extension Tool {
  /// The name of the type.
  public var name: String { "\(Self.self)" }

  /// True.
  public var includesSchemaInInstructions: Bool { true }
}

extension Tool where Arguments: Generable {
  /// The schema of the type of the arguments.
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

// Arguments without names: what Apple's framework refuses to compile is refused here, too.

extension Tool where Arguments == String {
  /// Not to be had.
  @available(
    *, unavailable,
    message:
      "'Tool' that uses 'String' as 'Arguments' type is unsupported. Use '@Generable' struct instead."
  )
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Int {
  /// Not to be had.
  @available(
    *, unavailable,
    message:
      "'Tool' that uses 'Int' as 'Arguments' type is unsupported. Use '@Generable' struct instead."
  )
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Double {
  /// Not to be had.
  @available(
    *, unavailable,
    message:
      "'Tool' that uses 'Double' as 'Arguments' type is unsupported. Use '@Generable' struct instead."
  )
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Float {
  /// Not to be had.
  @available(
    *, unavailable,
    message:
      "'Tool' that uses 'Float' as 'Arguments' type is unsupported. Use '@Generable' struct instead."
  )
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Decimal {
  /// Not to be had.
  @available(
    *, unavailable,
    message:
      "'Tool' that uses 'Decimal' as 'Arguments' type is unsupported. Use '@Generable' struct instead."
  )
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Bool {
  /// Not to be had.
  @available(
    *, unavailable,
    message:
      "'Tool' that uses 'Bool' as 'Arguments' type is unsupported. Use '@Generable' struct instead."
  )
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

/// What a tool gives back: a text or a structure.
///
/// An extension: the first betas of Apple's framework had it, and samples still do. Any `PromptRepresentable` will do as well.
public struct ToolOutput: Sendable, PromptRepresentable {
  let segments: [Transcript.Segment]

  /// A text.
  public init(_ text: String) { segments = [Transcript.Segment](text: text) }

  /// A structure, which the model reads as JSON.
  public init(_ content: GeneratedContent) {
    segments = [
      .structure(Transcript.StructuredSegment(source: "GeneratedContent", content: content))
    ]
  }

  /// The text that the model reads.
  public var promptRepresentation: Prompt { return Prompt(parts: [segments.text]) }
}

extension LanguageModelSession {
  /// A tool that the model called has thrown an error.
  public struct ToolCallError: LocalizedError, Sendable {
    /// The tool.
    public var tool: any Tool
    /// What it threw, or why it could not read its arguments.
    public var underlyingError: any Swift.Error

    /// The error of a tool.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      (self.tool, self.underlyingError) = (tool, underlyingError)
    }

    /// One sentence that names the tool, and what is known of the error.
    public var errorDescription: String? {
      let reason =
        (underlyingError as? any LocalizedError)?.errorDescription ?? "\(underlyingError)"
      return "The tool '\(tool.name)' failed: \(reason)"
    }
  }
}

extension LanguageModelSession {
  /// Why a model cannot be told of the tools of a session: an extension.
  public enum ToolNameError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// Two tools have this name.
    case duplicate(String)
    /// The name is empty, or has a character that no format of chats could write as it is.
    case unusable(String)

    /// One sentence that names the tool, and what to do.
    public var description: String {
      switch self {
      case .duplicate(let name): "Two tools of the session are named '\(name)'; rename one."
      case .unusable(let name):
        "'\(name)' cannot be the name of a tool; use letters, digits and underscores."
      }
    }

    /// The same.
    public var errorDescription: String? { description }

    /// What to change.
    public var recoverySuggestion: String? {
      switch self {
      case .duplicate: "Give each tool of the session a name of its own."
      case .unusable: "Use letters, digits and underscores."
      }
    }
  }
}

extension Tool {
  /// Runs the tool with what the model wrote; its output as it goes into the transcript.
  func output(of arguments: GeneratedContent) async throws -> [Transcript.Segment] {
    let output = try await call(arguments: Arguments(arguments))
    if let output = output as? ToolOutput { return output.segments }
    if let structure = output as? any ConvertibleToGeneratedContent {
      let content = structure.generatedContent
      guard case .string = content.kind else {
        let source = "\(type(of: output))"
        return [.structure(Transcript.StructuredSegment(source: source, content: content))]
      }
    }
    return [Transcript.Segment](text: output.promptRepresentation.text)
  }
}
