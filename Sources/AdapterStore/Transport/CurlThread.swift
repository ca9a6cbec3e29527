import CCurl
import Foundation
import Synchronization

/// The thread that drives all transfers of a transport; no handle of libcurl is used on another one.
@safe final class CurlThread: Sendable {
  private struct Inbox {
    var jobs: [TransferJob] = []
    var cancelled: Set<Int> = []
    var isRunning = false
    var isStopping = false
    var lastNumber = 0
  }

  private let inbox = Mutex(Inbox())
  /// Of all calls only `curl_multi_wakeup` is made from other threads, which it is made for.
  private nonisolated(unsafe) let multi = unsafe curl_multi_init()

  deinit { unsafe curl_multi_cleanup(multi) }

  /// A number for the next job, by which it can be cancelled before it is added.
  func nextNumber() -> Int {
    inbox.withLock { inbox in
      inbox.lastNumber += 1
      return inbox.lastNumber
    }
  }

  func add(_ job: TransferJob) {
    let starts = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isRunning = true }
      return !inbox.isRunning
    }
    if starts {
      Thread.detachNewThread { [self] in run() }
    } else {
      wake()
    }
  }

  func cancel(_ number: Int) {
    inbox.withLock { _ = $0.cancelled.insert(number) }
    wake()
  }

  /// Ends the thread once its transfers have ended.
  func stop() {
    inbox.withLock { $0.isStopping = true }
    wake()
  }

  private func wake() { unsafe curl_multi_wakeup(multi) }

  private func run() {
    var transfers: [CurlTransfer] = []
    while takeInbox(&transfers) {
      var running: Int32 = 0
      unsafe curl_multi_perform(multi, &running)
      readMessages(transfers)
      let now = ContinuousClock.now
      for transfer in transfers { transfer.checkSpeed(now) }
      for transfer in transfers where transfer.result != nil { finish(transfer) }
      transfers.removeAll { $0.result != nil }
      let pause: Int32 = transfers.isEmpty ? 60_000 : 100
      if inbox.withLock({ $0.jobs.isEmpty && $0.cancelled.isEmpty }) {
        unsafe curl_multi_poll(multi, nil, 0, pause, nil)
      }
    }
  }

  /// Begins what was added and ends what was cancelled; false when the thread has to end.
  private func takeInbox(_ transfers: inout [CurlTransfer]) -> Bool {
    let (jobs, cancelled, isStopping) = inbox.withLock { inbox in
      defer { (inbox.jobs, inbox.cancelled) = ([], []) }
      return (inbox.jobs, inbox.cancelled, inbox.isStopping)
    }
    for job in jobs {
      let transfer = CurlTransfer(job)
      transfers.append(transfer)
      if transfer.result == nil { unsafe curl_multi_add_handle(multi, transfer.easy) }
    }
    for transfer in transfers where cancelled.contains(transfer.job.number) {
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
      let code = unsafe message.pointee.data.result
      transfer.complete(code)
      guard transfer.result == nil else { continue }
      // A redirect: the same handle starts again with its new address.
      unsafe curl_multi_remove_handle(multi, transfer.easy)
      unsafe curl_multi_add_handle(multi, transfer.easy)
    }
  }

  private func finish(_ transfer: CurlTransfer) {
    unsafe curl_multi_remove_handle(multi, transfer.easy)
    if let result = transfer.result { transfer.job.end(result) }
  }
}
