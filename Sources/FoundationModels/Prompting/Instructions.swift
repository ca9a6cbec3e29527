/// What a model is to do or to be in a session: one or more pieces of text.
public struct Instructions: Sendable {
  /// The pieces in their order; each starts a new line.
  package var parts: [String]

  package init(parts: [String]) { self.parts = parts }

  /// The instructions that `content` stands for.
  public init(_ content: some InstructionsRepresentable) {
    self = content.instructionsRepresentation
  }

  /// The instructions that a builder puts together.
  public init(@InstructionsBuilder _ content: () throws -> Instructions) rethrows {
    self = try content()
  }

  /// The text that the model reads.
  package var text: String { parts.joined(separator: "\n") }
}

extension Instructions: InstructionsRepresentable {
  // Here and below `return` matters: without it the builder of the requirement would call the property again.
  /// The instructions themselves.
  public var instructionsRepresentation: Instructions { return self }
}

/// Something that can be instructions, or a part of them.
public protocol InstructionsRepresentable {
  /// The instructions that stand for the value.
  @InstructionsBuilder var instructionsRepresentation: Instructions { get }
}

extension String: InstructionsRepresentable {
  /// Instructions of this text.
  public var instructionsRepresentation: Instructions { return Instructions(parts: [self]) }
}

extension Array: InstructionsRepresentable where Element: InstructionsRepresentable {
  /// The instructions of all elements, one after the other.
  public var instructionsRepresentation: Instructions {
    return Instructions(parts: flatMap { $0.instructionsRepresentation.parts })
  }
}
