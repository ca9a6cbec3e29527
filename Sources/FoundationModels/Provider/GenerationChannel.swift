public import Foundation

/// What an executor sends its answer into, event by event.
///
/// A session reads what it hands to an executor by itself. A channel that was made elsewhere, such as by a test of an executor, is a
/// sequence of the events, which ends with ``finish(throwing:)``.
public struct LanguageModelExecutorGenerationChannel: AsyncSequence, Sendable {
  /// What the channel is made of.
  public typealias Element = Event

  private let sink: @Sendable (Event) -> Void
  private let events: AsyncThrowingStream<Event, any Error>
  private let end: @Sendable ((any Error)?) -> Void

  /// A channel that keeps its events until they are read.
  public init() {
    let (events, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
    self.events = events
    sink = { continuation.yield($0) }
    end = { continuation.finish(throwing: $0) }
  }

  /// A channel that hands each event to `sink` before it takes the next one, and has none to be read.
  package init(sink: @escaping @Sendable (Event) -> Void) {
    (self.sink, end) = (sink, { _ in })
    events = AsyncThrowingStream { $0.finish() }
  }

  /// Sends an event.
  public nonisolated(nonsending) func send(_ event: Event) async {
    sink(event)
    // Who reads the stream gets a turn, even where all events are there at once.
    await Task.yield()
  }

  /// Sends an event from code that cannot wait.
  package func post(_ event: Event) { sink(event) }

  /// Ends the sequence of events, as a session does when its executor has returned: an extension.
  public func finish(throwing error: (any Error)? = nil) { end(error) }

  /// Goes through the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// What the channel is made of.
    public typealias Element = Event

    fileprivate var events: AsyncThrowingStream<Event, any Error>.Iterator

    /// The next event; nil at the end.
    ///
    /// - Throws: What the channel was ended with.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Event? {
      try await events.next(isolation: actor)
    }
  }

  /// An iterator over the events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(events: events.makeAsyncIterator())
  }
}

extension LanguageModelExecutorGenerationChannel {
  /// One piece of an answer.
  ///
  /// Events of one kind in a row belong to one entry of the transcript; others need the identity of theirs.
  public struct Event: Sendable {
    package enum Kind: Sendable {
      case response(Response)
      case reasoning(Reasoning)
      case toolCalls(ToolCalls)
      /// The answer of one of this machine's own models, whose text was sent before.
      case answer(SessionEngine.Answer)
    }

    package let kind: Kind

    /// Something about a response.
    public static func response(entryID: String? = nil, action: Response.Action) -> Event {
      Event(kind: .response(Response(entryID: entryID, action: action)))
    }

    /// Something about what the model thinks.
    public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event {
      Event(kind: .reasoning(Reasoning(entryID: entryID, action: action)))
    }

    /// Something about calls of tools.
    public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event {
      Event(kind: .toolCalls(ToolCalls(entryID: entryID, action: action)))
    }
  }

  /// What is to be known of an entry; it replaces what was known.
  public struct Metadata: Sendable {
    /// The values by their names.
    public var values: [String: any Sendable & Codable & Equatable]
  }

  /// What an answer has taken so far, in tokens; it replaces what was counted.
  public struct Usage: Sendable {
    /// What was read.
    public var input: Input
    /// What was written.
    public var output: Output
    /// What else the provider counts.
    public var metadata: [String: any Sendable & Codable & Equatable]

    /// What an answer has taken.
    public init(
      input: Input, output: Output,
      metadata: [String: any Sendable & Codable & Equatable] = [:]
    ) {
      (self.input, self.output, self.metadata) = (input, output, metadata)
    }

    /// Tokens that were read.
    public struct Input: Sendable {
      /// All of them.
      public var totalTokenCount: Int
      /// Those that had been read before.
      public var cachedTokenCount: Int

      /// Tokens that were read.
      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        (self.totalTokenCount, self.cachedTokenCount) = (totalTokenCount, cachedTokenCount)
      }
    }

    /// Tokens that were written.
    public struct Output: Sendable {
      /// All of them.
      public var totalTokenCount: Int
      /// Those that were thought.
      public var reasoningTokenCount: Int

      /// Tokens that were written.
      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        (self.totalTokenCount, self.reasoningTokenCount) = (totalTokenCount, reasoningTokenCount)
      }
    }
  }

  /// More of a text.
  public struct TextFragment: Sendable {
    /// What comes.
    public var content: String
    /// The segment that it belongs to; nil for the last one.
    public var segmentID: String?
    /// Tokens that it took.
    public var tokenCount: Int
  }

  /// Another text for a segment.
  public struct TextSegmentReplacement: Sendable {
    /// The whole text.
    public var content: String
    /// The segment; nil for the last one.
    public var segmentID: String?
    /// Tokens that it took.
    public var tokenCount: Int
  }

  /// The proof that the model thought something.
  public struct ReasoningSignature: Sendable {
    /// What the provider made, to be sent back as it is.
    public var signature: Data
    /// Tokens that it took.
    public var tokenCount: Int
  }
}
