/// What prompts and instructions have in common: texts, each of which starts a new line, and what stands between them.
package protocol Pieces {
  /// The texts in their order.
  var parts: [String] { get set }
  /// What is no text.
  var attachments: [PlacedAttachment] { get set }

  init(parts: [String], attachments: [PlacedAttachment])
}

extension Pieces {
  /// All `pieces`, one after the other.
  init(joining pieces: [Self]) {
    self.init(parts: [], attachments: [])
    for piece in pieces {
      attachments += piece.attachments.map { attachment in
        var attachment = attachment
        attachment.place += parts.count
        return attachment
      }
      parts += piece.parts
    }
  }

  /// The text that the model reads.
  package var text: String { parts.joined(separator: "\n") }

  /// The pieces as they go into a transcript.
  var segments: [Transcript.Segment] {
    guard !attachments.isEmpty else { return [Transcript.Segment](text: text) }
    var (segments, place) = ([Transcript.Segment](), 0)
    func texts(to end: Int) -> [Transcript.Segment] {
      place < end
        ? [Transcript.Segment](text: parts[place..<end].joined(separator: "\n")) : []
    }
    for attachment in attachments {
      segments += texts(to: attachment.place) + [.attachment(attachment.segment)]
      place = attachment.place
    }
    return segments + texts(to: parts.count)
  }
}

/// What a person asks a model: one or more pieces of text.
public struct Prompt: Pieces, Sendable {
  /// The pieces in their order; each starts a new line.
  package var parts: [String]
  /// What stands between them that is no text.
  package var attachments: [PlacedAttachment]

  package init(parts: [String], attachments: [PlacedAttachment] = []) {
    (self.parts, self.attachments) = (parts, attachments)
  }

  /// The prompt that `content` stands for.
  public init(_ content: some PromptRepresentable) {
    self = content.promptRepresentation
  }

  /// The prompt that a builder puts together.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows {
    self = try content()
  }
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
    return Prompt(joining: map(\.promptRepresentation))
  }
}

/// What a model is to do or to be in a session: one or more pieces of text.
public struct Instructions: Pieces, Sendable {
  /// The pieces in their order; each starts a new line.
  package var parts: [String]
  /// What stands between them that is no text.
  package var attachments: [PlacedAttachment]

  package init(parts: [String], attachments: [PlacedAttachment] = []) {
    (self.parts, self.attachments) = (parts, attachments)
  }

  /// The instructions that `content` stands for.
  public init(_ content: some InstructionsRepresentable) {
    self = content.instructionsRepresentation
  }

  /// The instructions that a builder puts together.
  public init(@InstructionsBuilder _ content: () throws -> Instructions) rethrows {
    self = try content()
  }
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
    return Instructions(joining: map(\.instructionsRepresentation))
  }
}

/// Text in pieces, each of which starts a new line: a ``Prompt`` or ``Instructions``.
public protocol PiecewiseText: Sendable {
  /// The pieces of all `texts`, one after the other.
  init(_ texts: [Self])
}

extension Prompt: PiecewiseText {}

extension Instructions: PiecewiseText {}
