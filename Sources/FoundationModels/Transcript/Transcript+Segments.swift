public import Foundation

extension Transcript {
  /// A piece of an entry.
  public enum Segment: Sendable, Identifiable, Equatable {
    /// A piece of text.
    case text(TextSegment)
    /// A piece of structured content.
    case structure(StructuredSegment)

    /// The identity of the piece in its entry.
    public var id: String {
      switch self {
      case .text(let segment): segment.id
      case .structure(let segment): segment.id
      }
    }

    /// The piece as the model reads it.
    package var text: String {
      switch self {
      case .text(let segment): segment.content
      case .structure(let segment): segment.content.jsonString
      }
    }
  }

  /// A piece of text.
  public struct TextSegment: Sendable, Identifiable, Equatable {
    /// The identity of the piece.
    public var id: String
    /// The text.
    public var content: String

    /// A piece with the text `content`.
    public init(id: String = UUID().uuidString, content: String) {
      self.id = id
      self.content = content
    }
  }
}

extension Transcript {
  /// A piece of structured content.
  public struct StructuredSegment: Sendable, Identifiable, Equatable {
    /// The identity of the piece.
    public var id: String
    /// Name of the type or schema that the content is of.
    public var source: String
    /// The content.
    public var content: GeneratedContent

    /// A piece with `content`, which is of the type or schema `source`.
    public init(id: String = UUID().uuidString, source: String, content: GeneratedContent) {
      self.id = id
      self.source = source
      self.content = content
    }
  }
}

extension [Transcript.Segment] {
  /// One piece of text.
  package init(text: String) { self = [.text(Transcript.TextSegment(content: text))] }

  /// The pieces as the model reads them: one after the other, each on a line of its own.
  package var text: String { map(\.text).joined(separator: "\n") }
}
