public import Adapters

/// One example of a data set: a chat whose answers are learnt, or a text of which all is.
public struct TrainingExample: Sendable, Equatable {
  /// What an example consists of.
  public enum Content: Sendable, Equatable {
    /// Messages that end with an answer, and the tools that they may call, as JSON schemas.
    case chat([TrainingMessage], tools: [JSONValue])
    /// A text without roles.
    case text(String)
  }

  /// How the line is written.
  public let form: ExampleForm
  /// What the line says.
  public let content: Content
  /// Line in the file, from 1.
  public let line: Int
  /// Bytes from the start of the file to the line.
  public let offset: Int

  /// An example from a line.
  public init(_ form: ExampleForm, _ content: Content, line: Int, offset: Int) {
    self.form = form
    self.content = content
    self.line = line
    self.offset = offset
  }
}

extension TrainingExample {
  /// The messages of a chat; empty for a text.
  public var messages: [TrainingMessage] {
    if case .chat(let messages, _) = content { messages } else { [] }
  }

  /// The tools of a chat; empty for a text.
  public var tools: [JSONValue] {
    if case .chat(_, let tools) = content { tools } else { [] }
  }
}
