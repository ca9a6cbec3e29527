import Synchronization

/// Fetches over the network with libcurl: one thread for all transfers of one value.
package final class CurlTransport: Transferring {
  private let policy: TransportPolicy
  private let thread = CurlThread()

  /// A transport with rules of its own.
  package init(policy: TransportPolicy) {
    self.policy = policy
  }

  deinit { thread.stop() }

  package func perform(
    _ request: TransferRequest, _ receiver: any TransferReceiver
  ) async throws(TransferFault) {
    if let defect = CurlLibrary.defect { throw .other(host: "libcurl", reason: defect) }
    guard let address = WebAddress(request.url) else {
      throw .address(url: WebAddress.shown(request.url), reason: "it is no address")
    }
    if let refusal = address.refusal(policy) {
      throw .address(url: address.shown, reason: refusal)
    }
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        thread.add(
          TransferJob(
            cancellation: cancellation, request: request, address: address, policy: policy,
            receiver: receiver,
            end: { continuation.resume(returning: $0) }))
      }
    } onCancel: {
      cancellation.set()
      thread.wake()
    }
    try result.get()
  }
}

/// A request on its way to the thread.
struct TransferJob: Sendable {
  let cancellation: Cancellation
  let request: TransferRequest
  let address: WebAddress
  let policy: TransportPolicy
  let receiver: any TransferReceiver
  let end: @Sendable (Result<Void, TransferFault>) -> Void
}

/// Whether a job is wanted no more; it may be set before the job reaches the thread.
final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}
