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
  public subscript(index: Int) -> Entry { entries[index] }
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

    /// The identity of the entry in its transcript.
    public var id: String {
      switch self {
      case .instructions(let entry): entry.id
      case .prompt(let entry): entry.id
      case .toolCalls(let entry): entry.id
      case .toolOutput(let entry): entry.id
      case .response(let entry): entry.id
      }
    }
  }
}
