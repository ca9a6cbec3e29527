import Foundation
import Synchronization

/// Puts an answer together from the events of an executor, and hands its text out as it comes.
final class AnswerAssembly: Sendable {
  private struct State {
    var parts = AnswerParts()
    /// What waits to be handed out.
    var pieces: [String?] = []
    /// Whether a thread is about it.
    var isHandingOut = false

    /// Takes an event; whether what waits is the caller's to hand out.
    mutating func take(_ event: LanguageModelExecutorGenerationChannel.Event) -> Bool {
      switch parts.take(event) {
      case .nothing: return false
      case .more(let text): pieces.append(text)
      case .anew: pieces += [nil, parts.text]
      }
      defer { isHandingOut = true }
      return !isHandingOut
    }
  }

  private let state = Mutex(State())
  private let emit: @Sendable (String?) -> Void

  init(emit: @escaping @Sendable (String?) -> Void) { self.emit = emit }

  func take(_ event: LanguageModelExecutorGenerationChannel.Event) {
    let (isMine, gone) = state.withLock { ($0.take(event), $0.parts.takeGone()) }
    withExtendedLifetime(gone) {}
    if isMine { handOut() }
  }

  /// Hands out what waits, one thread at a time, so that it has the order of the events; not under the lock, as whoever reads may do
  /// anything.
  private func handOut() {
    while let pieces = state.withLock({ state -> [String?]? in
      guard !state.pieces.isEmpty else {
        state.isHandingOut = false
        return nil
      }
      defer { state.pieces = [] }
      return state.pieces
    }) {
      pieces.forEach(emit)
    }
  }

  /// All of it, once the executor has returned.
  ///
  /// - Throws: `GenerationError.decodingFailure` for calls whose arguments are no JSON.
  func answer() throws -> SessionEngine.Answer { try state.withLock { $0.parts }.answer() }

  /// The thoughts and responses that there are so far.
  var entries: [Transcript.Entry] { state.withLock { $0.parts }.entries }

  /// What it has taken so far, as the executor has said, or else as its events count.
  var usage: LanguageModelSession.Usage { state.withLock { $0.parts.usage } }
}

/// What there is of an answer.
private struct AnswerParts {
  private typealias Channel = LanguageModelExecutorGenerationChannel

  /// What an event does to the text of the answer.
  enum Change {
    case nothing
    case more(String)
    /// It is another text now.
    case anew
  }

  /// A segment; one of text while ``other`` is nil.
  private struct Piece {
    let id: String
    var text = ""
    var other: Transcript.Segment?

    var segment: Transcript.Segment {
      other ?? .text(Transcript.TextSegment(id: id, content: text))
    }
  }

  /// A response or what the model thinks.
  private struct Part {
    let id: String
    let isReasoning: Bool
    var pieces: [Piece] = []
    var metadata: EntryMetadata = [:]
    var signature: Data?

    /// Whether the transcript has a place for it.
    var isSaid: Bool { !pieces.isEmpty || signature != nil || !metadata.isEmpty }

    var entry: Transcript.Entry {
      let segments = pieces.map(\.segment)
      return isReasoning
        ? .reasoning(
          Transcript.Reasoning(
            id: id, metadata: metadata, segments: segments, signature: signature))
        : .response(Transcript.Response(id: id, metadata: metadata, segments: segments))
    }
  }

  private struct Call {
    let id, name: String
    var arguments = ""
    var metadata: EntryMetadata = [:]
  }

  private enum Kind { case response, reasoning, calls }

  private var parts: [Part] = []
  private var calls: [Call] = []
  private var callsID: String?
  private var callsMetadata: EntryMetadata = [:]
  private var last: Kind?
  private var stated: LanguageModelSession.Usage?
  private var counted = LanguageModelSession.Usage.Output(
    totalTokenCount: 0, reasoningTokenCount: 0)
  private var own: SessionEngine.Answer?
  /// Segments that were taken back.
  private var gone: [Transcript.Segment] = []

  /// What people read of the answer.
  var text: String {
    parts.filter { !$0.isReasoning }.flatMap(\.pieces).filter { $0.other == nil }.map(\.text)
      .joined()
  }

  mutating func take(_ event: LanguageModelExecutorGenerationChannel.Event) -> Change {
    switch event.kind {
    case .response(let event):
      defer { last = .response }
      return take(event)
    case .reasoning(let event):
      take(event)
      last = .reasoning
    case .toolCalls(let event):
      take(event)
      last = .calls
    case .answer(let answer): own = answer
    }
    return .nothing
  }

  /// The segments that were taken back since, to be let go where no lock is held: they are a provider's, and so is what happens then.
  mutating func takeGone() -> [Transcript.Segment] {
    defer { gone = [] }
    return gone
  }

  // MARK: - Responses and thoughts

  private mutating func take(_ event: Channel.Response) -> Change {
    if case .usage(let usage) = event.action.kind {
      stated = LanguageModelSession.Usage(usage)
      return .nothing
    }
    let index = part(event.entryID, isReasoning: false, isAbout: event.action.isAbout)
    switch event.action.kind {
    case .append(let fragment):
      count(fragment.tokenCount)
      return append(fragment, to: index)
    case .replace(let replacement):
      count(replacement.tokenCount)
      replace(replacement, in: index)
      return .anew
    case .custom(let segment, let id): put(.custom(segment), id, into: index)
    case .attach(let segment):
      parts[index].pieces.append(Piece(id: segment.id, other: .attachment(segment)))
    case .detach(let id):
      let isMeant = { (piece: Piece) in piece.id == id && piece.other != nil }
      gone += parts[index].pieces.filter(isMeant).compactMap(\.other)
      parts[index].pieces.removeAll(where: isMeant)
    case .metadata(let metadata): parts[index].metadata = metadata.values
    case .usage: break
    }
    return .nothing
  }

  private mutating func take(_ event: Channel.Reasoning) {
    if case .usage(let usage) = event.action.kind {
      stated = LanguageModelSession.Usage(usage)
      return
    }
    let index = part(event.entryID, isReasoning: true)
    switch event.action.kind {
    case .append(let fragment):
      count(fragment.tokenCount, isReasoning: true)
      _ = append(fragment, to: index)
    case .replace(let replacement):
      count(replacement.tokenCount, isReasoning: true)
      replace(replacement, in: index)
    case .signature(let signature):
      count(signature.tokenCount, isReasoning: true)
      parts[index].signature = signature.signature
    case .metadata(let metadata): parts[index].metadata = metadata.values
    case .usage: break
    }
  }

  /// The place of the entry that an event is of; what is only about an entry begins no other one.
  private mutating func part(_ id: String?, isReasoning: Bool, isAbout: Bool = false) -> Int {
    let kind: Kind = isReasoning ? .reasoning : .response
    if let id {
      if let index = parts.firstIndex(where: { $0.id == id && $0.isReasoning == isReasoning }) {
        return index
      }
    } else if isAbout, let index = parts.lastIndex(where: { $0.isReasoning == isReasoning }) {
      return index
    } else if last == kind, parts.last?.isReasoning == isReasoning {
      return parts.count - 1
    }
    parts.append(Part(id: id ?? UUID().uuidString, isReasoning: isReasoning))
    return parts.count - 1
  }

  private mutating func append(_ fragment: Channel.TextFragment, to index: Int) -> Change {
    // Nothing in a segment with a name keeps its place.
    guard !fragment.content.isEmpty || fragment.segmentID != nil else { return .nothing }
    let piece = piece(fragment.segmentID, in: index)
    guard !fragment.content.isEmpty else { return .nothing }
    parts[index].pieces[piece].text += fragment.content
    let isLast =
      piece == parts[index].pieces.count - 1
      && !parts[(index + 1)...].contains { !$0.isReasoning && !$0.pieces.isEmpty }
    return isLast ? .more(fragment.content) : .anew
  }

  private mutating func replace(_ replacement: Channel.TextSegmentReplacement, in index: Int) {
    let piece = piece(replacement.segmentID, in: index)
    parts[index].pieces[piece].text = replacement.content
  }

  /// The place of the segment of text with this identity, or of the last one.
  private mutating func piece(_ id: String?, in index: Int) -> Int {
    let pieces = parts[index].pieces
    if let id {
      if let place = pieces.firstIndex(where: { $0.id == id && $0.other == nil }) { return place }
    } else if let last = pieces.last, last.other == nil {
      return pieces.count - 1
    }
    parts[index].pieces.append(Piece(id: id ?? UUID().uuidString))
    return pieces.count
  }

  private mutating func put(_ segment: Transcript.Segment, _ id: String, into index: Int) {
    guard let place = parts[index].pieces.firstIndex(where: { $0.id == id && $0.other != nil })
    else { return parts[index].pieces.append(Piece(id: id, other: segment)) }
    if let before = parts[index].pieces[place].other { gone.append(before) }
    parts[index].pieces[place].other = segment
  }

  // MARK: - Calls

  private mutating func take(_ event: Channel.ToolCalls) {
    callsID = callsID ?? event.entryID
    switch event.action.kind {
    case .call(let call):
      let index =
        calls.firstIndex { $0.id == call.id }
        ?? {
          calls.append(Call(id: call.id, name: call.name))
          return calls.count - 1
        }()
      switch call.action.kind {
      case .append(let fragment):
        count(fragment.tokenCount)
        calls[index].arguments += fragment.content
      case .metadata(let metadata): calls[index].metadata = metadata.values
      }
    case .remove(let id): calls.removeAll { $0.id == id }
    case .metadata(let metadata): callsMetadata = metadata.values
    case .usage(let usage): stated = LanguageModelSession.Usage(usage)
    }
  }

  // MARK: - All of it

  private mutating func count(_ tokens: Int, isReasoning: Bool = false) {
    let tokens = max(0, tokens)
    counted.totalTokenCount = counted.totalTokenCount.plus(tokens)
    if isReasoning { counted.reasoningTokenCount = counted.reasoningTokenCount.plus(tokens) }
  }

  var usage: LanguageModelSession.Usage {
    stated
      ?? LanguageModelSession.Usage(
        input: LanguageModelSession.Usage.Input(totalTokenCount: 0, cachedTokenCount: 0),
        output: counted)
  }

  var entries: [Transcript.Entry] { parts.filter(\.isSaid).map(\.entry) }

  func answer() throws -> SessionEngine.Answer {
    var answer = SessionEngine.Answer(
      text: text, calls: try calls.map(Self.call), tokens: [], assetIDs: [])
    answer.entries = entries
    (answer.callsID, answer.callsMetadata) = (callsID, callsMetadata)
    answer.usage = usage
    // Somebody between the model and the session may have changed what the model said.
    if let own, own.text == text, own.calls.map(\.id) == calls.map(\.id) {
      answer.spoke(as: own)
    }
    return answer
  }

  private static func call(_ call: Call) throws -> Transcript.ToolCall {
    let text = call.arguments.contains { !$0.isWhitespace } ? call.arguments : "{}"
    guard let arguments = try? GeneratedContent(json: text), arguments.isComplete else {
      throw LanguageModelSession.GenerationError.decodingFailure(
        LanguageModelSession.GenerationError.Context(
          debugDescription:
            "The arguments of the model's call of the tool '\(call.name)' are not JSON."))
    }
    return Transcript.ToolCall(
      id: call.id, metadata: call.metadata, toolName: call.name, arguments: arguments)
  }
}

extension LanguageModelExecutorGenerationChannel.Response.Action {
  /// Whether the action tells something about what was said before.
  fileprivate var isAbout: Bool { if case .metadata = kind { true } else { false } }
}
