import CFMCurl
import Synchronization
import SystemFiles

/// Fetches over the network with libcurl: one thread for all transfers of one value.
package final class CurlTransport: Transferring {
  private let policy: TransportPolicy
  /// Made for the first request, as it takes descriptors: whoever only looks into a store has one of these, too.
  private let made = Mutex<CurlThread?>(nil)

  /// A transport with rules of its own.
  package init(policy: TransportPolicy) {
    self.policy = policy
  }

  deinit { made.withLock { $0 }?.stop() }

  private var thread: CurlThread {
    made.withLock { made in
      let thread = made ?? CurlThread()
      made = thread
      return thread
    }
  }

  package func perform(
    _ request: TransferRequest, _ receiver: any TransferReceiver
  ) async throws(TransferFault) {
    if let defect = CurlLibrary.defect { throw .other(host: "libcurl", reason: defect) }
    guard let address = WebAddress(request.url) else {
      throw .address(url: WebAddress.shown(request.url), reason: WebAddress.noAddress)
    }
    if let refusal = address.refusal(policy) {
      throw .address(url: address.shown, reason: refusal)
    }
    let (cancellation, thread) = (Cancellation(), thread)
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

/// The libcurl that this program runs with.
enum CurlLibrary {
  /// The oldest version that can be told which schemes it may use: 7.85.
  static let floor: UInt32 = 0x075500

  /// Such as `7.88.1`.
  static var version: String {
    guard let info = unsafe curl_version_info(CURLVERSION_TENTH),
      let text = unsafe info.pointee.version
    else { return "unknown" }
    return unsafe String(cString: text)
  }

  /// Whether the file of certificate authorities is there that libcurl takes when it is told no other.
  static let hasAuthorityFile: Bool = {
    guard let info = unsafe curl_version_info(CURLVERSION_TENTH),
      let path = unsafe info.pointee.cainfo
    else { return false }
    return FileSystem.kind(of: unsafe String(cString: path)) != nil
  }()

  /// What is wrong with it, after preparing it for use; nil when nothing is.
  static let defect: String? = {
    let number = unsafe curl_version_info(CURLVERSION_TENTH)?.pointee.version_num ?? 0
    if let defect = defect(version: version, number: number) { return defect }
    let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    return isReady ? nil : "libcurl \(version) cannot be started"
  }()

  static func defect(version: String, number: UInt32) -> String? {
    number >= floor
      ? nil
      : "libcurl \(version) is too old: 7.85 or later is needed; update the package libcurl4"
  }
}
