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
  /// Hosts that were waited for.
  var waits: [String] = []

  /// The fault's kind and texts.
  var faultText: String { fault.map { "\($0)" } ?? "none" }

  /// Fetches `url`.
  static func run(
    _ url: String, range: Range<Int>? = nil, ifRange: String? = nil, limit: Int = 100 << 20,
    policy: TransportPolicy = TransportPolicy(), stopAfter: Int = .max
  ) async -> Transfer {
    await run(
      TransferRequest(url: url, range: range, ifRange: ifRange, limit: limit),
      with: CurlTransport(policy: policy), stopAfter: stopAfter)
  }

  static func run(
    _ request: TransferRequest, with transport: CurlTransport, stopAfter: Int = .max
  ) async -> Transfer {
    let recorder = Recorder(stopAfter: stopAfter)
    // On a thread of its own: the pool's may all be busy with what other tests wait for.
    let (fault, duration) = await withTaskExecutorPreference(QueueExecutor()) {
      let start = ContinuousClock.now
      do throws(TransferFault) {
        try await transport.perform(request, recorder)
        return (nil as TransferFault?, ContinuousClock.now - start)
      } catch {
        return (error, ContinuousClock.now - start)
      }
    }
    var transfer = recorder.transfer.withLock { $0 }
    transfer.fault = fault
    transfer.duration = duration
    return transfer
  }
}

extension TransportPolicy {
  /// Two seconds of near silence are too much; a server of this machine, where it does much else, may be as long silent.
  static var quick: TransportPolicy {
    var policy = TransportPolicy()
    policy.slowSeconds = 2
    policy.leastSpeed = 1000
    return policy
  }
}

/// Runs a task on a thread of its own.
final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "fmadapter.tests.task")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Keeps what a transfer brings, up to 8 MiB: an endless body may outlast a busy machine's patience.
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

  func wait(for host: String) { transfer.withLock { $0.waits.append(host) } }

  func receive(_ bytes: RawSpan) throws {
    let part = bytes.withUnsafeBytes { Array($0) }
    let count = transfer.withLock {
      if $0.body.count < 8 << 20 { $0.body += part }
      return $0.body.count
    }
    beginning.finish()
    if count > stopAfter { throw Enough() }
  }
}
