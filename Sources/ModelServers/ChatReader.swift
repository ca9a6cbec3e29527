import Adapters
import AdapterStore
import FoundationModels
import Synchronization
import TensorFiles

/// Reads the answer to one request on the thread that brings it: a stream of events, one JSON, or an error.
final class ChatReader: TransferReceiver {
  private struct State {
    var head: ResponseHead?
    var events = ServerSentEvents()
    /// What is no stream, up to ``limit``.
    var body: [UInt8] = []
    var hasBegun = false

    /// Whether what comes is a stream of events.
    var isStream: Bool { head?.status == 200 && head?.mediaType == "text/event-stream" }

    /// The beginning of what is no stream.
    var text: String { String(decoding: body.prefix(4096), as: UTF8.self) }
  }

  private let server: String
  private let model: String
  private let key: ServerKey?
  private let emit: @Sendable (ChatPiece) -> Void
  private let state = Mutex(State())

  /// Bytes of an answer that is no stream at most.
  private static let limit = 16 << 20

  init(
    _ server: String, _ model: String, _ key: ServerKey?,
    emit: @escaping @Sendable (ChatPiece) -> Void
  ) {
    (self.server, self.model, self.key, self.emit) = (server, model, key, emit)
  }

  /// Whether something of the answer has been handed out.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  func receive(_ head: ResponseHead) throws { state.withLock { $0.head = head } }

  func receive(_ bytes: RawSpan) throws {
    var copy: [UInt8] = []
    copy.append(copying: bytes)
    let bytes = copy
    try state.withLock { state in
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
        throw ChatServerError.malformed(server: server, reason: "it has an event without end")
      }
      for event in events {
        let piece = try piece(event)
        state.hasBegun = true
        emit(piece)
      }
    }
  }

  private func piece(_ event: [UInt8]) throws -> ChatPiece {
    if event.elementsEqual("[DONE]".utf8) { return .done }
    guard let json = try? JSONDocument(parsing: event).root.object else {
      throw ChatServerError.malformed(server: server, reason: "an event of it is no JSON object")
    }
    guard let said = json["error"], said != .null else { return .json(json) }
    return .json(["error": hide(said)])
  }

  /// Hands out what is no stream, when all of it has come; the error that the server has sent instead of an answer.
  ///
  /// - Throws: ``ChatServerError/malformed(server:reason:)``.
  func end() throws -> ChatFault? {
    let state = state.withLock { $0 }
    guard let head = state.head else {
      throw ChatServerError.malformed(server: server, reason: "it has no head")
    }
    guard !state.isStream else { return nil }
    let json = try? JSONDocument(parsing: state.body).root
    guard head.status == 200 else {
      let text = key?.hidden(in: state.text) ?? state.text
      let said = json?.object?["error"] ?? json?.object?["detail"] ?? json?.object?["message"]
      let hidden = said.map { hide($0) }
      return ChatFault(
        status: head.status, said: hidden, server: server, model: model, text: text,
        retryAfter: head.retryAfter)
    }
    guard let object = json?.object else {
      throw ChatServerError.malformed(server: server, reason: "it is no JSON object")
    }
    emit(.json(object))
    emit(.done)
    return nil
  }

  private func hide(_ value: JSONValue) -> JSONValue {
    guard let key else { return value }
    switch value {
    case .string(let text): return .string(key.hidden(in: text))
    case .object(let object):
      return .object(
        JSONObject(
          object.members.map { JSONObject.Member(key: $0.key, value: hide($0.value)) }))
    default: return value
    }
  }
}
