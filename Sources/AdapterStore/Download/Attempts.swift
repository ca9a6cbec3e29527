import SystemFiles

/// Why an attempt did not bring all that it was asked for.
enum AttemptFault: Error, Equatable {
  /// Another attempt may fare better, after so many seconds where the server names them.
  case retry(ErrorText, after: Double? = nil)
  /// Nothing listens there, which few attempts are enough to know.
  case nobody(ErrorText)
  /// The server takes the request and says nothing, or next to nothing.
  case silent(ErrorText)
  /// The server does not give the range that was asked for, of the version that is wanted.
  case noRange(ErrorText)
  /// There is nothing in the range that was asked for (416).
  case beyondTheEnd
  /// Nothing helps.
  case final(StoreError)
  /// Paused or cancelled.
  case interrupted
  /// The rest is another stream's.
  case enough
}

extension AttemptFault {
  /// What `fault` means for a download from `url`.
  init(_ fault: TransferFault, url: String) {
    let url = WebAddress.shown(url)
    switch fault {
    case .cancelled: self = .interrupted
    case .refused(let error as AttemptFault): self = error
    case .refused(let error as FileError): self = .final(.storage(error))
    case .tooLong:
      self = .final(.corrupted(url: url, reason: fault.sentence.problem))
    case .nobody: self = .nobody(fault.sentence)
    case .slow: self = .silent(fault.sentence)
    case _ where fault.isTransient: self = .retry(fault.sentence)
    default: self = .final(.network(url: url, reason: fault.sentence))
    }
  }
}

/// Counts attempts, and says how long to wait for the next one.
struct RetryCount: Sendable {
  let policy: DownloadPolicy
  private(set) var failures = 0
  private var best: Int
  private var since: Double

  /// Starts counting at `seconds`, with `received` bytes there.
  init(_ policy: DownloadPolicy, received: Int = 0, seconds: Double) {
    self.policy = policy
    best = received
    since = seconds
  }

  /// Starts anew once enough bytes have come that were never there before.
  ///
  /// A download that is restarted again and again makes no progress by this measure, and so ends.
  mutating func note(received: Int, seconds: Double) {
    guard received >= best + policy.progress else { return }
    best = received
    failures = 0
    since = seconds
  }

  /// Counts a failure and gives the seconds to wait; nil when it is time to give up, at the latest after `attempts`.
  mutating func wait(
    after asked: Double?, seconds: Double, random: Double, attempts: Int? = nil
  ) -> Double? {
    failures += 1
    guard failures < attempts ?? policy.attempts else { return nil }
    let steps = Double(1 << min(failures - 1, 20))
    let usual = min(policy.firstDelay * steps, policy.longestDelay) * (0.5 + random / 2)
    let wait = max(usual, min(asked ?? 0, policy.longestRetryAfter))
    return seconds - since + wait <= policy.patience ? wait : nil
  }
}
