import Adapters
import AdapterStore
import Foundation
import FoundationModels
import Synchronization
import TensorFiles

/// A server of chat completions, and how it is asked.
final class ChatServer: Sendable {
  /// Scheme, host and port, for texts.
  let origin: String
  private let url: String
  private let key: ServerKey?
  private let options: ChatCompletionsModel.Options
  private let transport: any Transferring
  /// What all waits are multiplied by, 1 but in tests.
  private let scale: Double

  init(_ configuration: ChatCompletionsModel.Executor.Configuration) throws(ChatServerError) {
    let environment = configuration.environment ?? ProcessInfo.processInfo.environment
    var policy = TransportPolicy(environment: environment)
    policy.allowsHTTP = configuration.options.allowsHTTP
    policy.redirects = 0
    // A byte in all that time, and at least one a second, which is less than any model writes.
    policy.slowSeconds = configuration.options.timeout
    policy.leastSpeed = max(1, Int((1 / configuration.options.timeout).rounded(.up)))
    (options, key) = (configuration.options, configuration.key)
    let ending = configuration.address.hasSuffix("/") ? "chat/completions" : "/chat/completions"
    url = configuration.address + ending
    guard let address = WebAddress(url) else {
      throw .address(reason: "'\(WebAddress.shown(configuration.address))' is no address.")
    }
    if let refusal = address.refusal(policy) {
      throw .address(reason: "\(WebAddress.shown(url)) is not asked: \(refusal).")
    }
    origin = address.origin
    if let key {
      guard !key.text.isEmpty, key.text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .credential(name: "key")
      }
      guard address.scheme == "https" || address.isLoopback else {
        throw .address(reason: "A key is sent by https only; \(address.origin) is something else.")
      }
    }
    transport = CurlTransport(policy: policy)
    scale = environment["FMADAPTER_WAIT_SCALE"].flatMap(Double.init) ?? 1
  }

  /// The pieces of the answer to `body`, as they come.
  ///
  /// - Throws: In the stream: ``ChatServerError``, `LanguageModelError`, or `CancellationError`.
  func ask(_ body: JSONValue, model: String) -> AsyncThrowingStream<ChatPiece, any Error> {
    let (stream, continuation) = AsyncThrowingStream<ChatPiece, any Error>.makeStream()
    let task = Task {
      do {
        try await ask(Array(body.line.utf8), model, continuation)
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
    return stream
  }

  /// Makes the request until it succeeds, has brought something, or there is no use.
  private func ask(
    _ body: [UInt8], _ model: String,
    _ continuation: AsyncThrowingStream<ChatPiece, any Error>.Continuation
  ) async throws {
    var failures = 0
    while true {
      let reader = ChatReader(origin, model, key) { continuation.yield($0) }
      let fault = await attempt(body, reader)
      try Task.checkCancellation()
      failures += 1
      guard let fault else { return }
      guard fault.isTransient, failures < options.attempts,
        fault.retryAfter ?? 0 <= options.longestWait
      else { throw fault.error }
      let usual = min(Double(1 << min(failures - 1, 6)) / 2, options.longestWait)
      let wait = max(usual * Double.random(in: 0.5...1), fault.retryAfter ?? 0)
      try await Task.sleep(for: .seconds(wait * scale))
    }
  }

  /// Why an attempt has failed.
  private struct Failure {
    let error: any Error
    /// Whether another attempt may fare better and would repeat nothing.
    let isTransient: Bool
    var retryAfter: Double?
  }

  private func attempt(_ body: [UInt8], _ reader: ChatReader) async -> Failure? {
    var request = TransferRequest(url: url, limit: 1 << 30)
    request.body = body
    request.fields = [
      "Content-Type: application/json", "Accept: text/event-stream, application/json",
    ]
    if let key { request.fields.append("Authorization: Bearer \(key.text)") }
    var transfer: TransferFault?
    do throws(TransferFault) {
      try await transport.perform(request, reader)
    } catch {
      transfer = error
    }
    if let transfer, let error = error(of: transfer) {
      return Failure(error: error, isTransient: transfer.isTransient && !reader.hasBegun)
    }
    do {
      guard let fault = try reader.end() else { return nil }
      return Failure(
        error: fault.error, isTransient: fault.isTransient, retryAfter: fault.retryAfter)
    } catch {
      return Failure(error: error, isTransient: false)
    }
  }

  private func error(of fault: TransferFault) -> (any Error)? {
    switch fault {
    case .cancelled: CancellationError()
    case .refused(let error): error
    case .slow(_, let seconds):
      LanguageModelError.timeout(
        LanguageModelError.Timeout(
          debugDescription: "\(origin) has sent nothing for \(seconds) seconds."))
    case .cut: ChatServerError.cut(server: origin, reason: fault.sentence.problem)
    case .tooLong: ChatServerError.malformed(server: origin, reason: "it has no end")
    case .address(_, let reason): ChatServerError.address(reason: reason.problem)
    default: ChatServerError.unreachable(server: origin, reason: fault.sentence.problem)
    }
  }
}
