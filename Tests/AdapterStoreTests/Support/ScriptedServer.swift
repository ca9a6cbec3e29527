import Synchronization
import TestSupport

@testable import AdapterStore

/// A server without a network: it has files, and does to each request what the script says next.
final class ScriptedServer: Transferring {
  struct Object: Sendable {
    var bytes: [UInt8]
    var entityTag: String? = "\"v1\""
    /// Whether the answer says how long it is.
    var statesLength = true
    var mediaType = "application/octet-stream"
  }

  /// What happens to one request.
  enum Step: Sendable {
    case serve
    /// The connection ends after so many bytes of body.
    case cut(after: Int)
    /// The body ends in order, though too early.
    case end(after: Int)
    case status(Int, retryAfter: Double? = nil)
    /// As `status`, at an address that the request was redirected to.
    case redirected(Int)
    /// All bytes, whatever was asked for.
    case ignoreRange
    /// Says that the part begins so many bytes later than it does.
    case shiftedRange(by: Int)
    case noContentRange
    /// Adds one to the byte at the offset.
    case flip(at: Int)
    case page
    /// As `serve`, by this media type.
    case media(String)
    case gzip
    /// More bytes than announced.
    case surplus(Int)
    case fault(TransferFault)
    /// Takes the request and says nothing, until patience ends.
    case silence
    /// Another version from now on, for this request too.
    case change(to: Object)
    /// Waits until the task is cancelled.
    case hang
  }

  struct Request: Sendable, Equatable {
    let url: String
    let range: Range<Int>?
    /// Whether caches were to ask the origin.
    let isFresh: Bool
    /// Offsets of the bytes that were sent.
    var sent: Range<Int>
  }

  private struct State {
    var objects: [String: Object]
    var script: [Step]
    var log: [Request] = []
  }

  private let state: Mutex<State>
  /// Finishes with the first request.
  let began: AsyncStream<Void>
  private let beginning: AsyncStream<Void>.Continuation
  /// What is done once the script has ended.
  private let usual: Step
  private let pieceSize: Int

  init(
    _ objects: [String: Object], script: [Step] = [], usual: Step = .serve, pieceSize: Int = 50_000
  ) {
    state = Mutex(State(objects: objects, script: script))
    self.usual = usual
    self.pieceSize = pieceSize
    (began, beginning) = AsyncStream.makeStream()
  }

  /// What was asked for and sent, in order of the requests.
  var log: [Request] { state.withLock(\.log) }
  /// Bytes that were sent, however often.
  var sentCount: Int { log.reduce(0) { $0 + $1.sent.count } }

  /// Bytes of which no two stretches are alike, made quickly also without optimization.
  static func content(_ count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: 21)
    var block = random.bytes(4096)
    var content: [UInt8] = []
    content.reserveCapacity(count + block.count)
    while content.count < count {
      for byte in 0..<4 { block[byte] = UInt8(truncatingIfNeeded: content.count >> (byte * 8)) }
      content += block
    }
    content.removeLast(content.count - count)
    return content
  }

  func replace(_ url: String, _ object: Object) { state.withLock { $0.objects[url] = object } }

  func perform(
    _ request: TransferRequest, _ receiver: any TransferReceiver
  ) async throws(TransferFault) {
    let (step, object) = state.withLock { state in
      let step = state.script.isEmpty ? usual : state.script.removeFirst()
      if case .change(let object) = step { state.objects[request.url] = object }
      return (step, state.objects[request.url])
    }
    if case .fault(let fault) = step { throw fault }
    if case .silence = step {
      note(request, 0..<0)
      receiver.wait(for: "server")
      throw .slow(host: "server", seconds: request.isSmall ? 10 : 30)
    }
    if case .hang = step {
      try? await Task.sleep(for: .seconds(100))
      throw .cancelled
    }
    do {
      try await answer(request, step, object, receiver)
    } catch let fault as TransferFault {
      throw fault
    } catch {
      throw .refused(error)
    }
  }

  private func answer(
    _ request: TransferRequest, _ step: Step, _ object: Object?, _ receiver: any TransferReceiver
  ) async throws {
    guard let object else { return try refuse(request, 404, receiver) }
    switch step {
    case .status(let code, let retryAfter):
      return try refuse(request, code, receiver, retryAfter: retryAfter)
    case .redirected(let code):
      return try refuse(request, code, receiver, url: "http://mirror/expired")
    case .page:
      var head = ResponseHead(status: 200, url: request.url)
      head.mediaType = "text/html"
      return try await send(head, Array("<html>log in</html>".utf8)[...], 0, request, receiver)
    default: break
    }
    var isPart = request.range != nil
    if case .ignoreRange = step { isPart = false }
    if let tag = request.ifRange, tag != object.entityTag { isPart = false }
    var range = 0..<object.bytes.count
    if isPart, let asked = request.range {
      guard asked.lowerBound < object.bytes.count else { return try refuse(request, 416, receiver) }
      range = asked.lowerBound..<min(asked.upperBound, object.bytes.count)
    }
    var head = ResponseHead(status: isPart ? 206 : 200, url: request.url)
    head.entityTag = object.entityTag
    head.mediaType = object.mediaType
    head.acceptsRanges = true
    head.contentLength = object.statesLength ? range.count : nil
    if isPart { head.contentRange = ContentRange(bytes: range, total: object.bytes.count) }
    var body = object.bytes[range]
    distort(step, &head, &body)
    try await send(head, body, range.lowerBound, request, receiver)
    if case .cut = step { throw TransferFault.cut(host: "server", received: body.count) }
  }

  private func distort(_ step: Step, _ head: inout ResponseHead, _ body: inout ArraySlice<UInt8>) {
    switch step {
    case .cut(let count), .end(let count): body = body.prefix(count)
    case .shiftedRange(let distance):
      if let range = head.contentRange {
        let bytes = range.bytes.lowerBound + distance..<range.bytes.upperBound + distance
        head.contentRange = ContentRange(bytes: bytes, total: range.total)
      }
    case .noContentRange: head.contentRange = nil
    case .flip(let offset): if body.indices.contains(offset) { body[offset] &+= 1 }
    case .gzip: head.contentEncoding = "gzip"
    case .media(let type): head.mediaType = type
    case .surplus(let count): body += [UInt8](repeating: 7, count: count)
    default: break
    }
  }

  private func refuse(
    _ request: TransferRequest, _ status: Int, _ receiver: any TransferReceiver,
    retryAfter: Double? = nil, url: String? = nil
  ) throws {
    note(request, 0..<0)
    var head = ResponseHead(status: status, url: url ?? request.url)
    head.retryAfter = retryAfter
    try receiver.receive(head)
  }

  private func send(
    _ head: ResponseHead, _ body: ArraySlice<UInt8>, _ offset: Int, _ request: TransferRequest,
    _ receiver: any TransferReceiver
  ) async throws {
    let index = note(request, offset..<offset)
    try receiver.receive(head)
    var sent = 0
    while sent < body.count {
      if Task.isCancelled { throw TransferFault.cancelled }
      let piece = Array(body.dropFirst(sent).prefix(pieceSize))
      sent += piece.count
      guard sent <= request.limit else {
        throw TransferFault.tooLong(host: "server", limit: request.limit)
      }
      let end = sent
      state.withLock { $0.log[index].sent = offset..<offset + end }
      let span = piece.span
      try receiver.receive(span.bytes)
      await Task.yield()
    }
  }

  @discardableResult
  private func note(_ request: TransferRequest, _ sent: Range<Int>) -> Int {
    defer { beginning.finish() }
    return state.withLock { state in
      state.log.append(
        Request(url: request.url, range: request.range, isFresh: request.isFresh, sent: sent))
      return state.log.count - 1
    }
  }
}

/// Answers ranges with a tag of another version.
struct LyingServer: Transferring {
  let honest: ScriptedServer
  let tag: String

  func perform(
    _ request: TransferRequest, _ receiver: any TransferReceiver
  ) async throws(TransferFault) {
    try await honest.perform(request, Retagger(receiver: receiver, tag: tag))
  }

  private final class Retagger: TransferReceiver {
    let receiver: any TransferReceiver
    let tag: String

    init(receiver: any TransferReceiver, tag: String) {
      self.receiver = receiver
      self.tag = tag
    }

    func receive(_ head: ResponseHead) throws {
      var head = head
      if head.status == 206 { head.entityTag = tag }
      try receiver.receive(head)
    }

    func receive(_ bytes: RawSpan) throws { try receiver.receive(bytes) }
  }
}

/// Time that passes only when somebody waits.
final class FakeTime: Sendable {
  private let state = Mutex<(now: Double, waits: [Double])>((1000, []))

  /// Seconds of the waits, in order; slices of one wait are one.
  var waits: [Double] { state.withLock(\.waits) }

  var surroundings: DownloadSurroundings {
    var surroundings = DownloadSurroundings()
    surroundings.seconds = { self.state.withLock(\.now) }
    surroundings.sleep = { seconds in
      self.state.withLock {
        $0.now += seconds
        $0.waits.append(seconds)
      }
      await Task.yield()
    }
    surroundings.random = { 1 }
    return surroundings
  }
}
