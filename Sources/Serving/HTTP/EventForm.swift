/// How the events of an interface say that more is to come, and why nothing comes any more.
struct EventForm: Sendable {
  /// What may be sent between two events, and says nothing: a comment (WHATWG HTML, server-sent events), or what the interface has for it.
  var ping = Array(":\n\n".utf8)
  /// The events of an answer of which no other has come.
  let failure: @Sendable (ServingError) -> [UInt8]
}

/// Events that are all there.
final class LastEvents: HTTPStream {
  private var events: [UInt8]?

  init(_ events: [UInt8]) { self.events = events }

  func next() -> [UInt8]? {
    defer { events = nil }
    return events
  }
}

extension HTTPRequest {
  /// The answer that `body` makes, which comes as events of `form`; not as events where that is nil.
  ///
  /// While it waits for its place its head goes out, and then pings; why there is no answer behind those is an event.
  func awaiting(
    _ form: EventForm?, _ body: () throws(ServingError) -> HTTPResponse?
  ) throws(ServingError) -> HTTPResponse? {
    guard let form, let pulse else { return try body() }
    pulse.begin(form.ping)
    do throws(ServingError) {
      return try body()
    } catch {
      guard pulse.hasBegun else { throw error }
      return .events(LastEvents(form.failure(error)))
    }
  }
}
