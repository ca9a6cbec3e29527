import Foundation
import Synchronization
import TestSupport

@testable import AdapterStore

/// One transfer by the real transport, and all that came of it.
struct Transfer {
  var head: ResponseHead?
  var heads = 0
  var body: [UInt8] = []
  var fault: TransferFault?
  var duration = Duration.zero

  /// The fault's kind and texts.
  var faultText: String { fault.map { "\($0)" } ?? "none" }

  /// Fetches `url` under small limits of time.
  static func run(
    _ url: String, range: Range<Int>? = nil, ifRange: String? = nil, limit: Int = 100 << 20,
    policy: TransportPolicy = .quick, stopAfter: Int = .max
  ) async -> Transfer {
    await run(
      TransferRequest(url: url, range: range, ifRange: ifRange, limit: limit),
      with: CurlTransport(policy: policy), stopAfter: stopAfter)
  }

  static func run(
    _ request: TransferRequest, with transport: CurlTransport, stopAfter: Int = .max
  ) async -> Transfer {
    let recorder = Recorder(stopAfter: stopAfter)
    let start = ContinuousClock.now
    var fault: TransferFault?
    do throws(TransferFault) {
      try await transport.perform(request, recorder)
    } catch {
      fault = error
    }
    var transfer = recorder.transfer.withLock { $0 }
    transfer.fault = fault
    transfer.duration = ContinuousClock.now - start
    return transfer
  }
}

extension TransportPolicy {
  /// Two seconds of near silence are too much.
  static var quick: TransportPolicy {
    var policy = TransportPolicy()
    policy.slowSeconds = 2
    policy.leastSpeed = 1000
    policy.connectSeconds = 5
    return policy
  }
}

/// Keeps everything that a transfer brings.
final class Recorder: TransferReceiver {
  struct Enough: Error {}

  let transfer = Mutex(Transfer())
  private let stopAfter: Int
  /// Finishes with the first bytes.
  let began: AsyncStream<Void>
  private let beginning: AsyncStream<Void>.Continuation

  init(stopAfter: Int = .max) {
    self.stopAfter = stopAfter
    (began, beginning) = AsyncStream.makeStream()
  }

  func receive(_ head: ResponseHead) {
    transfer.withLock {
      $0.head = head
      $0.heads += 1
    }
  }

  func receive(_ bytes: RawSpan) throws {
    let part = bytes.withUnsafeBytes { Array($0) }
    let count = transfer.withLock {
      $0.body += part
      return $0.body.count
    }
    beginning.finish()
    if count > stopAfter { throw Enough() }
  }
}
