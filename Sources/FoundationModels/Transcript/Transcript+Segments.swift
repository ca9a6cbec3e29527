public import Foundation

extension Transcript {
  /// A piece of an entry.
  public enum Segment: Sendable, Identifiable, Equatable {
    /// A piece of text.
    case text(TextSegment)

    /// The identity of the piece in its entry.
    public var id: String {
      switch self {
      case .text(let segment): segment.id
      }
    }

    /// The piece as the model reads it.
    package var text: String {
      switch self {
      case .text(let segment): segment.content
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

extension [Transcript.Segment] {
  /// One piece of text.
  package init(text: String) { self = [.text(Transcript.TextSegment(content: text))] }

  /// The pieces as the model reads them: one after the other, each on a line of its own.
  package var text: String { map(\.text).joined(separator: "\n") }
}
