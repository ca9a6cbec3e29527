import AdapterStore
import JSON
import Synchronization
import SystemFiles

/// Reads one answer of a server on the thread that brings it: a stream of events, or one object.
final class ServerReader: TransferReceiver {
  private struct State {
    var head: ResponseHead?
    var events = ServerSentEvents()
    /// What is no stream, up to a limit.
    var body: [UInt8] = []
    var error: JSONValue?
    /// Whether the end of a stream was said.
    var isDone = false
  }

  /// Bytes of an answer that is no stream, at most.
  private static let limit = 16 << 20
  private let emit: @Sendable (JSONObject) -> Void
  private let state = Mutex(State())

  init(emit: @escaping @Sendable (JSONObject) -> Void) { self.emit = emit }

  var status: Int { state.withLock { $0.head?.status ?? 0 } }

  /// An error that came within a stream.
  var error: JSONValue? { state.withLock(\.error) }

  /// What came that is no stream.
  var body: [UInt8] { state.withLock(\.body) }

  /// The object that came whole.
  var json: JSONObject? { try? JSONDocument(parsing: body).root.object }

  /// Whether all has come, of which servers that do not stream hand out one object.
  var isComplete: Bool {
    if let json {
      emit(json)
      return json["choices"] != nil
    }
    return state.withLock(\.isDone)
  }

  func receive(_ head: ResponseHead) throws { state.withLock { $0.head = head } }

  func receive(_ bytes: RawSpan) throws {
    var part: [UInt8] = []
    part.append(copying: bytes)
    let bytes = part
    let objects = try state.withLock { state throws -> [JSONObject] in
      guard state.head?.status == 200, state.head?.mediaType == "text/event-stream" else {
        state.body += bytes.prefix(Self.limit - state.body.count)
        return []
      }
      return try Self.objects(state.events.append(bytes), &state)
    }
    objects.forEach(emit)
  }

  private static func objects(_ events: [[UInt8]], _ state: inout State) throws -> [JSONObject] {
    var objects: [JSONObject] = []
    for event in events {
      if event.elementsEqual("[DONE]".utf8) {
        state.isDone = true
        continue
      }
      guard let object = try JSONDocument(parsing: event).root.object else { continue }
      if let error = object["error"], error != .null {
        state.error = error
      } else {
        objects.append(object)
      }
      // Some servers end without saying so.
      let reasons = object["choices"]?.array?.compactMap { $0.object?["finish_reason"]?.string }
      state.isDone = state.isDone || reasons?.isEmpty == false
    }
    return objects
  }
}
