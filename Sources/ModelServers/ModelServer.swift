import AdapterStore
import Foundation
import FoundationModels
import JSON
import Synchronization
import SystemFiles

/// A server of models, and how it is asked.
final class ModelServer: Sendable {
  /// Scheme, host and port, for texts.
  let origin: String
  private let url: String
  private let configuration: ServerConfiguration
  private let transport: any Transferring
  /// What all waits are multiplied by, 1 but in tests.
  private let scale: Double

  init(_ configuration: ServerConfiguration) throws(ModelServerError) {
    let environment = configuration.environment ?? ProcessInfo.processInfo.environment
    var policy = TransportPolicy(environment: environment)
    policy.allowsHTTP = configuration.options.allowsHTTP
    policy.allowHTTPName = "ServerOptions.allowsHTTP"
    policy.redirects = 0
    // A byte in all that time, and at least one a second, which is less than any model writes.
    let seconds = configuration.options.timeout
    let timeout = seconds > 0.001 ? min(seconds, 1e9) : 0.001
    policy.slowSeconds = timeout
    policy.leastSpeed = max(1, Int((1 / timeout).rounded(.up)))
    self.configuration = configuration
    let separator = configuration.address.hasSuffix("/") ? "" : "/"
    url = configuration.address + separator + configuration.interface.path
    guard let address = WebAddress(url) else {
      throw .address(reason: "'\(WebAddress.shown(configuration.address))' is no address.")
    }
    if let refusal = address.refusal(policy) {
      throw .address(reason: "\(WebAddress.shown(url)) is not asked: \(refusal).")
    }
    origin = address.origin
    try Self.check(configuration, address)
    transport = CurlTransport(policy: policy)
    scale = environment["FMADAPTER_WAIT_SCALE"].flatMap(Double.init) ?? 1
  }

  /// That no field breaks out of its line, and that the key goes where nobody reads it on the way.
  private static func check(
    _ configuration: ServerConfiguration, _ address: WebAddress
  ) throws(ModelServerError) {
    for field in configuration.fields
    where field.isEmpty || !field.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
      throw .credential(name: "version")
    }
    guard let key = configuration.key else { return }
    guard !key.text.isEmpty, key.text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .credential(name: "key")
    }
    guard address.scheme == "https" || address.isLoopback else {
      throw .address(reason: "A key is sent by https only; \(address.origin) is something else.")
    }
  }

  /// Whom a request for `model` is for.
  func asked(_ model: String) -> AskedServer {
    AskedServer(
      origin: origin, interface: configuration.interface, model: model, key: configuration.key)
  }

  /// Sends the answer to `body` into `channel`, as it comes.
  ///
  /// - Throws: ``ModelServerError``, `LanguageModelError`, or `CancellationError`.
  nonisolated(nonsending) func respond<Answer: ServerAnswer>(
    _ type: Answer.Type, to body: JSONValue, of asked: AskedServer,
    into channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let (stream, continuation) = AsyncThrowingStream<Answer.Event, any Error>.makeStream()
    let task = Task {
      do {
        try await ask(Array(body.line.utf8)) {
          AnswerReader<Answer>(asked) { continuation.yield($0) }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
    for try await event in stream { await channel.send(event) }
    // A stream whose reader is cancelled ends as if it were whole, and before the transfer does.
    await task.value
    try Task.checkCancellation()
  }

  /// Makes the request until it succeeds, has brought something, or there is no use; each attempt has a reader of its own.
  private func ask<Answer: ServerAnswer>(
    _ body: [UInt8], _ reader: () -> AnswerReader<Answer>
  ) async throws {
    let options = configuration.options
    var failures = 0
    while true {
      let failure = await attempt(body, reader())
      try Task.checkCancellation()
      failures += 1
      guard let failure else { return }
      guard failure.isTransient, failures < options.attempts,
        failure.retryAfter ?? 0 <= options.longestWait
      else { throw failure.error }
      let usual = min(Double(1 << min(failures - 1, 6)) / 2, options.longestWait)
      let wait = max(usual * Double.random(in: 0.5...1), failure.retryAfter ?? 0)
      try await Task.sleep(for: .seconds(wait * scale))
    }
  }

  /// Why an attempt has failed.
  private struct Failure {
    let error: any Error
    /// Whether another attempt may fare better and would repeat nothing.
    var isTransient = false
    var retryAfter: Double?

    init(_ error: any Error) {
      guard let fault = error as? ServerFault else {
        self.error = error
        return
      }
      self.error = fault.error
      (isTransient, retryAfter) = (fault.isTransient, fault.retryAfter)
    }
  }

  private func attempt<Answer: ServerAnswer>(
    _ body: [UInt8], _ reader: AnswerReader<Answer>
  ) async -> Failure? {
    var request = TransferRequest(url: url, limit: 1 << 30)
    request.body = body
    request.fields =
      [
        "Content-Type: application/json", "Accept: text/event-stream, application/json",
      ] + configuration.fields
    if let key = configuration.key {
      request.fields.append(configuration.interface.field(key))
    }
    var transfer: TransferFault?
    do throws(TransferFault) {
      try await transport.perform(request, reader)
    } catch {
      transfer = error
    }
    if let transfer {
      var failure = Failure(error(of: transfer))
      if transfer.isTransient { failure.isTransient = !reader.hasBegun }
      return failure
    }
    do {
      try reader.end()
      return nil
    } catch {
      return Failure(error)
    }
  }

  private func error(of fault: TransferFault) -> any Error {
    switch fault {
    case .cancelled: CancellationError()
    case .refused(let error): error
    case .slow(_, let seconds):
      LanguageModelError.timeout(
        LanguageModelError.Timeout(
          debugDescription: "\(origin) has sent nothing for \(seconds) seconds."))
    case .cut: ModelServerError.cut(server: origin, reason: fault.sentence.problem)
    case .tooLong:
      ModelServerError.malformed(
        server: origin, interface: configuration.interface, reason: "it has no end")
    case .address(_, let reason): ModelServerError.address(reason: reason.problem)
    default: ModelServerError.unreachable(server: origin, reason: fault.sentence.problem)
    }
  }
}
