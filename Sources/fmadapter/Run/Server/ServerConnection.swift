import AdapterStore
import JSON
import Synchronization
import SystemFiles

/// A server that speaks OpenAI's chat completions, asked over HTTP.
final class ServerConnection: Sendable {
  /// Where the key is; it goes by https, or on this machine, alone.
  static let keyVariable = "FMADAPTER_SERVER_KEY"
  /// Seconds without a byte after which a server is given up: it may read a long prompt meanwhile.
  private static let patience = 600.0

  /// Scheme, host and port, for texts.
  let origin: String
  /// Where the interface begins.
  let address: String
  private let key: String?
  private let transport: CurlTransport
  private let running = Mutex<Task<Void, Never>?>(nil)

  /// A server at `text`, to which `/v1` is added where that has no path.
  ///
  /// - Throws: `Failure` for what is no address, and for one that is not asked.
  init(_ text: String, allowsHTTP: Bool, _ environment: [String: String]) throws {
    var policy = TransportPolicy(environment: environment)
    (policy.allowsHTTP, policy.allowHTTPName) = (allowsHTTP, NetworkArguments.allowHTTP.name)
    (policy.redirects, policy.slowSeconds, policy.leastSpeed) = (0, Self.patience, 1)
    guard let place = WebAddress(text) else {
      throw Failure(
        .usage,
        "'\(text)' is no address of a server\(remedy: "write it as http://127.0.0.1:8080")")
    }
    if let refusal = place.refusal(policy) { throw Failure(.usage, "\(text): \(refusal)") }
    var address = text
    while address.hasSuffix("/") { address.removeLast() }
    // Behind the scheme.
    if !address.dropFirst(8).contains("/") { address += "/v1" }
    let (origin, key) = (place.origin, try Self.key(environment, for: place))
    // With a body a request has fields of its own.
    policy.token = { $0 == origin ? key : nil }
    (self.address, self.origin, self.key) = (address, origin, key)
    transport = CurlTransport(policy: policy)
  }

  private static func key(_ environment: [String: String], for place: WebAddress) throws -> String?
  {
    guard let key = environment[keyVariable], !key.isEmpty else { return nil }
    guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure(
        .usage, "\(keyVariable) is no key\(remedy: "give it the key alone, on one line")")
    }
    guard place.scheme == "https" || place.isLoopback else {
      throw Failure(
        .usage,
        "a key is not sent to \(place.origin), where others could read it on the way"
          + "\(remedy: "use https, or unset \(keyVariable)")")
    }
    return key
  }

  /// The names of the server's models.
  func models() async throws -> [String] {
    let json = try await fetch("/models")
    return json["data"]?.array?.compactMap { $0.object?["id"]?.string } ?? []
  }

  private func fetch(_ path: String) async throws -> JSONObject {
    let reader = ServerReader { _ in }
    try await perform(path, nil, reader)
    guard let object = reader.json else { throw ServerFault.noInterface(self) }
    return object
  }

  /// Sends `body`, and hands out the objects of the answer as they come.
  ///
  /// - Throws: `Failure`, or `CancellationError` after ``stop()`` and where the task is cancelled.
  func complete(_ body: JSONObject, _ take: (JSONObject) throws -> Void) async throws {
    let (pieces, continuation) = AsyncThrowingStream<JSONObject, any Error>.makeStream()
    let task = Task {
      do {
        let reader = ServerReader { continuation.yield($0) }
        try await perform("/chat/completions", body, reader)
        guard reader.isComplete else { throw ServerFault.cut(self) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    running.withLock { $0 = task }
    defer { running.withLock { $0 = nil } }
    try await withTaskCancellationHandler {
      for try await piece in pieces { try take(piece) }
      await task.value
    } onCancel: {
      task.cancel()
    }
    try Task.checkCancellation()
  }

  /// Ends what is being answered.
  @Sendable func stop() { running.withLock(\.self)?.cancel() }

  private func perform(
    _ path: String, _ body: JSONObject?, _ reader: ServerReader
  ) async throws {
    var request = TransferRequest(url: address + path, limit: 1 << 30)
    request.body = body.map { Array(JSONValue.object($0).line.utf8) }
    request.fields = ["Content-Type: application/json", "Accept: text/event-stream"]
    if let key { request.fields.append("Authorization: Bearer \(key)") }
    do throws(TransferFault) {
      try await transport.perform(request, reader)
    } catch {
      throw ServerFault.failure(error, self)
    }
    guard reader.status == 200 else {
      throw ServerFault.failure(reader.status, reader.body, hasKey: key != nil, self)
    }
    if let said = reader.error { throw ServerFault.failure(in: said, self) }
  }
}
