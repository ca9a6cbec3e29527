/// What a person asks a model: one or more pieces of text.
public struct Prompt: Sendable {
  /// The pieces in their order; each starts a new line.
  package var parts: [String]

  package init(parts: [String]) { self.parts = parts }

  /// The prompt that `content` stands for.
  public init(_ content: some PromptRepresentable) {
    self = content.promptRepresentation
  }

  /// The prompt that a builder puts together.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows {
    self = try content()
  }

  /// The text that the model reads.
  package var text: String { parts.joined(separator: "\n") }
}

extension Prompt: PromptRepresentable {
  // Here and below `return` matters: without it the builder of the requirement would call the property again.
  /// The prompt itself.
  public var promptRepresentation: Prompt { return self }
}

/// Something that can be a prompt, or a part of one.
public protocol PromptRepresentable {
  /// The prompt that stands for the value.
  @PromptBuilder var promptRepresentation: Prompt { get }
}

extension String: PromptRepresentable {
  /// A prompt of this text.
  public var promptRepresentation: Prompt { return Prompt(parts: [self]) }
}

extension Array: PromptRepresentable where Element: PromptRepresentable {
  /// The prompts of all elements, one after the other.
  public var promptRepresentation: Prompt {
    return Prompt(parts: flatMap { $0.promptRepresentation.parts })
  }
}
