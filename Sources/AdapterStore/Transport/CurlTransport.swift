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
      throw .address(url: request.url, reason: "it is no address")
    }
    if let refusal = address.refusal(policy) {
      throw .address(url: address.shown, reason: refusal)
    }
    let number = thread.nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        thread.add(
          TransferJob(
            number: number, request: request, address: address, policy: policy, receiver: receiver,
            end: { continuation.resume(returning: $0) }))
      }
    } onCancel: {
      thread.cancel(number)
    }
    try result.get()
  }
}

/// A request on its way to the thread.
struct TransferJob: Sendable {
  let number: Int
  let request: TransferRequest
  let address: WebAddress
  let policy: TransportPolicy
  let receiver: any TransferReceiver
  let end: @Sendable (Result<Void, TransferFault>) -> Void
}
