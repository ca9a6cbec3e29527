import CFMCurl
import FoundationEssentials
import Glibc
import Kernels
import Synchronization
import SystemFiles

/// The thread that drives all transfers of a transport; no handle of libcurl is used on another one.
@safe final class CurlThread: Sendable {
  private struct Inbox {
    var jobs: [TransferJob] = []
    var isRunning = false
    var isStopping = false
  }

  private let inbox = Mutex(Inbox())
  /// Of all calls only `curl_multi_wakeup` is made from other threads, which it is made for.
  private nonisolated(unsafe) let multi = unsafe curl_multi_init()

  /// How long the thread may sleep when there is nothing to do: short where there are no descriptors to wake it with.
  private let idle: Int32

  init() { idle = unsafe curl_multi_wakeup(multi) == CURLM_OK ? 60_000 : 100 }

  deinit { unsafe curl_multi_cleanup(multi) }

  func add(_ job: TransferJob) {
    guard unsafe multi != nil else {
      let error = FileError.system(.connect, path: job.address.host, code: ENOMEM)
      return job.end(.failure(.refused(error)))
    }
    let starts = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isRunning = true }
      return !inbox.isRunning
    }
    if !starts { return wake() }
    if !OwnThread.run({ self.run() }) { giveUp() }
  }

  /// Ends what waits for a thread that cannot be had; the next transfer tries again.
  private func giveUp() {
    let jobs = inbox.withLock { inbox in
      defer { (inbox.jobs, inbox.isRunning) = ([], false) }
      return inbox.jobs
    }
    for job in jobs {
      let reason = "the system allows no more threads"
      job.end(.failure(.other(host: job.address.host, reason: reason)))
    }
  }

  /// Ends the thread once its transfers have ended.
  func stop() {
    inbox.withLock { $0.isStopping = true }
    wake()
  }

  /// Makes the thread look at what was added and cancelled.
  func wake() { unsafe curl_multi_wakeup(multi) }

  private func run() {
    Self.blockBrokenPipes()
    var transfers: [CurlTransfer] = []
    while takeInbox(&transfers) {
      var running: Int32 = 0
      unsafe curl_multi_perform(multi, &running)
      readMessages(transfers)
      let now = SuspendingClock.now
      for transfer in transfers { transfer.checkSpeed(now) }
      for transfer in transfers where transfer.result != nil { finish(transfer) }
      transfers.removeAll { $0.result != nil }
      let pause: Int32 = transfers.isEmpty ? idle : 100
      // A wake-up since the inbox was taken is not lost: this returns at once then.
      unsafe curl_multi_poll(multi, nil, 0, pause, nil)
    }
  }

  /// TLS libraries write to sockets that the other side has closed; the signal for that would end the program.
  private static func blockBrokenPipes() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Begins what was added and ends what was cancelled; false when the thread has to end.
  private func takeInbox(_ transfers: inout [CurlTransfer]) -> Bool {
    let (jobs, isStopping) = inbox.withLock { inbox in
      defer { inbox.jobs = [] }
      return (inbox.jobs, inbox.isStopping)
    }
    for job in jobs {
      let transfer = CurlTransfer(job)
      transfers.append(transfer)
      if transfer.result == nil { unsafe curl_multi_add_handle(multi, transfer.easy) }
    }
    for transfer in transfers where transfer.job.cancellation.isSet {
      transfer.end(.failure(.cancelled))
    }
    return !(isStopping && transfers.isEmpty)
  }

  private func readMessages(_ transfers: [CurlTransfer]) {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE,
        let transfer = transfers.first(where: {
          unsafe $0.easy == message.pointee.easy_handle
        })
      else { continue }
      // Removing the handle frees the message.
      let code = unsafe message.pointee.data.result
      unsafe curl_multi_remove_handle(multi, transfer.easy)
      transfer.complete(code)
      // After a redirect the same handle starts again with its new address.
      if transfer.result == nil { unsafe curl_multi_add_handle(multi, transfer.easy) }
    }
  }

  private func finish(_ transfer: CurlTransfer) {
    unsafe curl_multi_remove_handle(multi, transfer.easy)
    if let result = transfer.result { transfer.job.end(result) }
  }
}
