import AdapterStore
import FoundationModels
import JSON
import Synchronization
import SystemFiles

/// Reads the answer to one request on the thread that brings it: a stream of events, one JSON, or an error.
final class AnswerReader<Answer: ServerAnswer>: TransferReceiver {
  private struct State {
    var answer: Answer
    var head: ResponseHead?
    var events = ServerSentEvents()
    var characters = CutCharacters()
    /// What is no stream, up to ``limit``.
    var body: [UInt8] = []
    var hasBegun = false
    /// Whether what comes is a stream of events: so says its type, or its beginning where a server gives it no type of its own.
    var isStream = false

    mutating func begin(_ head: ResponseHead) {
      self.head = head
      isStream = head.status == 200 && head.mediaType == "text/event-stream"
    }

    /// Looks at the first bytes of what is said to be something else.
    mutating func look(at bytes: [UInt8]) {
      guard !isStream, body.isEmpty, head?.status == 200, head?.mediaType != "application/json"
      else { return }
      isStream = ServerSentEvents.beginnings.contains { bytes.starts(with: $0.utf8) }
    }

    /// The object that `bytes` are, also where a character of it is cut.
    mutating func json(_ bytes: [UInt8]) -> JSONObject? {
      do throws(JSONError) {
        let object = try JSONDocument(parsing: bytes).root.object
        characters.pass()
        return object
      } catch {
        guard error.reason == .malformedEscape || error.reason == .invalidUTF8 else { return nil }
        return try? JSONDocument(parsing: characters.mend(bytes)).root.object
      }
    }

    /// The beginning of what is no stream.
    var text: String { String(decoding: body.prefix(4096), as: UTF8.self) }
  }

  private let asked: AskedServer
  private let emit: @Sendable (Answer.Event) -> Void
  private let state: Mutex<State>

  /// Bytes of an answer that is no stream at most.
  private static var limit: Int { 16 << 20 }

  init(_ asked: AskedServer, emit: @escaping @Sendable (Answer.Event) -> Void) {
    (self.asked, self.emit) = (asked, emit)
    state = Mutex(State(answer: Answer(asked)))
  }

  /// Whether something of the answer has been handed out.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  func receive(_ head: ResponseHead) throws { state.withLock { $0.begin(head) } }

  func receive(_ bytes: RawSpan) throws {
    var copy: [UInt8] = []
    copy.append(copying: bytes)
    let bytes = copy
    var said: [Answer.Event] = []
    // Also what came before a fault. Not under the lock: who takes it may ask whether the answer has begun.
    defer { said.forEach(emit) }
    try state.withLock { state in
      state.look(at: bytes)
      guard state.isStream else {
        state.body += bytes
        // Of an error only the beginning matters.
        if state.body.count > Self.limit { state.body.removeLast(state.body.count - Self.limit) }
        return
      }
      let events: [[UInt8]]
      do throws(ServerSentEvents.Endless) {
        events = try state.events.append(bytes)
      } catch {
        throw malformed("it has an event without end")
      }
      for event in events { said += try take(piece(event, &state), &state) }
    }
  }

  /// Hands out what is left, when all has come.
  ///
  /// - Throws: ``ServerFault``, ``ModelServerError``, or `LanguageModelError`.
  func end() throws {
    var said: [Answer.Event] = []
    defer { said.forEach(emit) }
    try state.withLock { state in
      guard let head = state.head else { throw malformed("it has no head") }
      if !state.isStream {
        let json = state.json(state.body)
        guard head.status == 200 else {
          throw ServerFault(
            status: head.status, said: json?["error"] ?? json?["detail"] ?? json?["message"],
            asked: asked, text: state.text, retryAfter: head.retryAfter)
        }
        guard let json else { throw malformed("it is no JSON object") }
        said += try take(.json(json), &state)
        said += try take(.done, &state)
      }
      said += try state.answer.finish()
    }
  }

  private func take(_ piece: ServerPiece, _ state: inout State) throws -> [Answer.Event] {
    do {
      let events = try state.answer.take(piece)
      state.hasBegun = state.hasBegun || !events.isEmpty
      return events
    } catch {
      guard var fault = error as? ServerFault else { throw error }
      fault.isInAnswer = state.hasBegun
      throw fault
    }
  }

  private func piece(_ event: [UInt8], _ state: inout State) throws -> ServerPiece {
    if event.elementsEqual("[DONE]".utf8) { return .done }
    guard let json = state.json(event) else {
      throw malformed("an event of it is no JSON object")
    }
    return .json(json)
  }

  private func malformed(_ reason: String) -> ModelServerError {
    .malformed(server: asked.origin, interface: asked.interface, reason: reason)
  }
}
