import JSON
import Synchronization

/// The requests of a connection, one after the other, and their answers.
struct HTTPConnection {
  private let server: HTTPServer
  private var socket: HTTPSocket
  private let client: String
  private let pulse: HTTPPulse

  init(_ server: HTTPServer, _ descriptor: Int32) {
    (self.server, socket) = (server, HTTPSocket(descriptor, server.limits))
    client = socket.client
    pulse = HTTPPulse(descriptor, server.limits)
    socket.prepare()
  }

  /// Answers until one side ends it.
  mutating func run() {
    var seconds = server.limits.headSeconds
    while goOn(seconds), !server.isClosed.load(ordering: .relaxed) {
      seconds = server.limits.idleSeconds
    }
    socket.endInOrder()
  }

  /// Answers one request; false where there is no other.
  private mutating func goOn(_ seconds: Double) -> Bool {
    let head: HTTPHead
    server.note(socket.descriptor, isWaiting: true)
    do throws(HTTPSocket.End) {
      let bytes = try socket.head(limit: server.limits.headBytes, until: socket.deadline(seconds))
      do throws(HTTPHead.Defect) { head = try HTTPHead(bytes) } catch {
        return recorded(RequestRecord(client: client)) { $0.refuse(error.error, $1) }
      }
    } catch {
      // Nobody has asked for anything.
      if case .closed = error { return false }
      if case .late = error, socket.isDry { return false }
      return recorded(RequestRecord(client: client)) { $0.refuse(error, isHead: true, $1) }
    }
    server.note(socket.descriptor, isWaiting: false)
    let record = RequestRecord(
      client: client, method: head.method, path: head.path, identity: head["x-request-id"])
    return recorded(record) { $0.answer(head, $1) }
  }

  /// Does what sends an answer, and tells of it.
  private mutating func recorded(
    _ record: RequestRecord, _ body: (inout Self, RequestRecord) -> Bool
  ) -> Bool {
    let goesOn = body(&self, record)
    record.noteEnd()
    server.ended(record)
    return goesOn
  }

  private mutating func answer(_ head: HTTPHead, _ record: RequestRecord) -> Bool {
    var framing = HTTPFraming(hidesBody: head.method == "HEAD", record: record)
    if let response = server.check(request(head, [], record)) {
      return send(response, framing)
    }
    if case .bytes(let count) = head.body, count > server.limits.bodyBytes {
      return refuse(.tooLarge, isHead: false, record)
    }
    if head["expect"] != nil, head.isPersistent, head.body != .none, socket.isDry {
      guard socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return false }
    }
    let body: [UInt8]
    do throws(HTTPSocket.End) { body = try self.body(head) } catch {
      return refuse(error, isHead: false, record)
    }
    record.noteArrival()
    framing.isChunked = head.isPersistent
    framing.keeps = head.isPersistent && head["connection"]?.lowercased() != "close"
    pulse.wait(for: framing)
    guard let response = server.handler(request(head, body, record)) else { return false }
    return send(response, framing)
  }

  private mutating func body(_ head: HTTPHead) throws(HTTPSocket.End) -> [UInt8] {
    let time = socket.deadline(server.limits.bodySeconds)
    switch head.body {
    case .none: return []
    case .bytes(let count): return try socket.bytes(count, until: time)
    case .chunks: return try socket.chunks(limit: server.limits.bodyBytes, until: time)
    }
  }

  private func request(
    _ head: HTTPHead, _ body: [UInt8], _ record: RequestRecord
  ) -> HTTPRequest {
    let descriptor = socket.descriptor
    var request = HTTPRequest(
      method: head.method == "HEAD" ? "GET" : head.method, path: head.path,
      fields: head.fields.map { ($0.name, $0.value) }, body: body, client: client,
      record: record,
      isGone: { [server, pulse] in
        server.isEnding.load(ordering: .relaxed) || HTTPSocket.isGone(descriptor) || !pulse.beat()
      })
    request.pulse = pulse
    return request
  }

  /// Says why nothing is read, unless the client has gone.
  private mutating func refuse(
    _ end: HTTPSocket.End, isHead: Bool, _ record: RequestRecord
  ) -> Bool {
    switch end {
    case .closed: false
    case .late: refuse(ServingError(.timeout, "The request has not come in time."), record)
    case .malformed:
      refuse(ServingError(.invalidRequest, "The request is not as this server reads HTTP."), record)
    case .tooLarge where isHead:
      refuse(
        ServingError(.headTooLarge, "The head is larger than \(server.limits.headBytes) bytes."),
        record)
    case .tooLarge:
      refuse(
        ServingError(.tooLarge, "The body is larger than \(server.limits.bodyBytes) bytes."), record
      )
    }
  }

  private mutating func refuse(_ error: ServingError, _ record: RequestRecord) -> Bool {
    let body = record.interface.body(of: error)
    let response = HTTPResponse.json(.object(body), status: error.kind.status)
    return send(response, HTTPFraming(record: record))
  }
}

extension HTTPConnection {
  /// Sends an answer; false where no other request may follow.
  private mutating func send(_ response: HTTPResponse, _ framing: HTTPFraming) -> Bool {
    framing.record.note(status: response.status)
    defer { pulse.end() }
    // The server may have been told to end while the answer was made.
    var framing = framing
    if server.isClosed.load(ordering: .relaxed) { framing.keeps = false }
    socket.beginAnswer()
    let isSent = sendAll(response, framing)
    if isSent { framing.record.noteWhole() }
    return isSent && framing.keeps
  }

  private mutating func sendAll(_ response: HTTPResponse, _ framing: HTTPFraming) -> Bool {
    switch response.body {
    case .bytes(let bytes):
      // Nobody would know where events that have begun end and this begins.
      guard !pulse.hasBegun else { return false }
      return socket.send(framing.head(response) + (framing.hidesBody ? [] : bytes))
    case .stream(let stream):
      guard pulse.hasBegun || socket.send(framing.head(response)) else { return false }
      pulse.note()
      pulse.begin(stream.ping)
      while !framing.hidesBody, let piece = stream.next() {
        guard socket.send(framing.framed(piece)) else { return false }
        pulse.note()
      }
      // A stream without its end is one that was cut: the client has to see that.
      guard !server.isEnding.load(ordering: .relaxed) else { return false }
      return socket.send(framing.end)
    }
  }
}
