package import ChatTemplates
package import Tokenization

/// The text of an answer as its tokens come: thoughts and calls of tools apart, loops noticed.
package struct AnswerDecoder {
  private var pieces: StreamingDecoder
  /// Nil where no tools may be called.
  private var calls: ToolCallStream?
  /// Nil where thoughts are a part of the text.
  private var thoughts: ThoughtStream?
  /// Nil where loops are let be.
  private var watch: LoopWatch?
  /// All that came but for calls, as the model wrote it.
  package private(set) var whole = ""
  /// The text without thoughts.
  package private(set) var answer = ""
  /// What the model thought before.
  package private(set) var thought = ""
  /// The tools that were called, once the answer has ended.
  package private(set) var called: [ChatToolCall] = []
  /// Whether the answer ended within a call.
  package private(set) var isCutCall = false

  /// An answer that `pieces` makes text of where it calls no tools.
  package init(
    _ pieces: StreamingDecoder, calls: ToolCallStream? = nil, thoughts: ThoughtStream? = nil,
    watch: LoopWatch? = nil
  ) {
    (self.pieces, self.calls, self.thoughts, self.watch) = (pieces, calls, thoughts, watch)
  }

  /// What the answer goes round in; nil while it gets on, and in calls, which have to be whole.
  package var loop: LoopWatch.Loop? { calls?.isCalling ?? false ? nil : watch?.loop }

  /// The parts that are known now that `token` has come.
  package mutating func append(_ token: Token) -> [ThoughtStream.Part] {
    watch?.append(token)
    return add(calls?.append(token) ?? pieces.append(token))
  }

  /// What has become known of calls since this was asked last.
  package mutating func takeCallParts() -> [ToolCallPart] { calls?.takeNews() ?? [] }

  /// The rest, behind the last token; `makeID` gives calls their identities, unless the format of calls has one.
  package mutating func finish(makeID: () -> String = { "" }) -> [ThoughtStream.Part] {
    guard let (text, found) = calls?.finish(makeID: makeID) else {
      return add(pieces.finish()) + note(thoughts?.finish() ?? [])
    }
    called = found ?? []
    isCutCall = calls?.isCalling ?? false && found == nil
    return add(text) + note(thoughts?.finish() ?? [])
  }

  private mutating func add(_ text: String) -> [ThoughtStream.Part] {
    whole += text
    guard !text.isEmpty else { return [] }
    return note(thoughts?.append(text) ?? [.answer(text)])
  }

  private mutating func note(_ parts: [ThoughtStream.Part]) -> [ThoughtStream.Part] {
    for part in parts {
      switch part {
      case .answer(let text): answer += text
      case .thought(let text): thought += text
      }
    }
    return parts
  }
}
