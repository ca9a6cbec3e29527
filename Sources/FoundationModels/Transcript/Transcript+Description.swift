// How entries print: who said it, and the text.

extension Transcript.TextSegment: CustomStringConvertible {
  /// The text.
  public var description: String { content }
}

extension Transcript.Segment: CustomStringConvertible {
  /// The piece as the model reads it.
  public var description: String { text }
}

extension Transcript.StructuredSegment: CustomStringConvertible {
  /// The content as JSON.
  public var description: String { content.jsonString }
}

extension Transcript.Entry: CustomStringConvertible {
  /// Who said it, a colon, and what.
  public var description: String {
    switch self {
    case .instructions(let entry): entry.description
    case .prompt(let entry): entry.description
    case .toolCalls(let entry): entry.description
    case .toolOutput(let entry): entry.description
    case .response(let entry): entry.description
    }
  }
}

extension Transcript.Instructions: CustomStringConvertible {
  /// `Instructions: ` and the text.
  public var description: String { "Instructions: \(segments.text)" }
}

extension Transcript.Prompt: CustomStringConvertible {
  /// `Prompt: ` and the text.
  public var description: String { "Prompt: \(segments.text)" }
}

extension Transcript.ToolCall: CustomStringConvertible {
  /// The tool's name and, in parentheses, its arguments as JSON.
  public var description: String { "\(toolName)(\(arguments.jsonString))" }
}

extension Transcript.ToolCalls: CustomStringConvertible {
  /// `Tool calls: ` and the calls, separated by commas.
  public var description: String { "Tool calls: " + map(\.description).joined(separator: ", ") }
}

extension Transcript.ResponseFormat: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

extension Transcript.ToolOutput: CustomStringConvertible {
  /// `Tool NAME: ` and the text.
  public var description: String { "Tool \(toolName): \(segments.text)" }
}

extension Transcript.Response: CustomStringConvertible {
  /// `Response: ` and the text.
  public var description: String { "Response: \(segments.text)" }
}

extension Transcript: CustomStringConvertible {
  /// The entries, one after the other.
  public var description: String { entries.map(\.description).joined(separator: "\n") }
}
