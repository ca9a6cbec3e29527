/// What was said in a session, in order.
public struct Transcript: Sendable, Equatable {
  package var entries: [Entry]

  /// A transcript of `entries`.
  public init(entries: some Sequence<Entry> = []) {
    self.entries = Array(entries)
  }
}

extension Transcript: RandomAccessCollection {
  /// The number of entries before one.
  public typealias Index = Int

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of entries.
  public var endIndex: Int { entries.count }

  /// The entry with `index` entries before it.
  public subscript(index: Int) -> Entry {
    get { entries[index] }
    set { entries[index] = newValue }
  }
}

extension Transcript {
  /// One thing that was said, and by whom.
  public enum Entry: Sendable, Identifiable, Equatable {
    /// What the model is to do or to be; only ever first.
    case instructions(Instructions)
    /// What a person asked.
    case prompt(Prompt)
    /// The tools that the model called.
    case toolCalls(ToolCalls)
    /// What a tool answered.
    case toolOutput(ToolOutput)
    /// What the model said.
    case response(Response)
    /// What the model thought.
    case reasoning(Reasoning)

    /// The identity of the entry in its transcript.
    public var id: String {
      switch self {
      case .instructions(let entry): entry.id
      case .prompt(let entry): entry.id
      case .toolCalls(let entry): entry.id
      case .toolOutput(let entry): entry.id
      case .response(let entry): entry.id
      case .reasoning(let entry): entry.id
      }
    }
  }
}

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
    case .reasoning(let entry): entry.description
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
