import TensorFiles

/// Why an attempt did not bring all that it was asked for.
enum AttemptFault: Error, Equatable {
  /// Another attempt may fare better, after so many seconds where the server names them.
  case retry(String, after: Double? = nil)
  /// Nothing listens there, which few attempts are enough to know.
  case nobody(String)
  /// The server does not give the range that was asked for, of the version that is wanted.
  case noRange(String)
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
    case .refused(let error as TensorFileError): self = .final(.storage(error))
    case .tooLong:
      self = .final(.corrupted(url: url, reason: fault.sentence))
    case .nobody: self = .nobody(fault.sentence)
    case _ where fault.isTransient: self = .retry(fault.sentence)
    default: self = .final(.network(url: url, reason: fault.sentence))
    }
  }
}

extension TransferFault {
  /// What happened, as the end of a sentence about an address.
  var sentence: String {
    switch self {
    case .cancelled: "the transfer was cancelled"
    case .refused(let error): "\(error)"
    case .address(_, let reason): reason
    case .unreachable(let host, let reason): "cannot reach \(host): \(reason)"
    case .nobody(let place):
      "nothing listens at \(place) on this machine; start the server, or check the port"
    case .untrusted(let host, let reason): "cannot trust \(host): \(reason)"
    case .redirect(let url, let reason): "the redirect to \(url) is not followed: \(reason)"
    case .cut(let host, let received):
      "\(host) closed the connection after \(received) bytes"
    case .slow(let host, let seconds): "\(host) has sent almost nothing for \(seconds) s"
    case .tooLong(let host, let limit):
      "\(host) sends more than the \(limit) bytes that were expected"
    case .other(let host, let reason): "the transfer from \(host) failed: \(reason)"
    }
  }
}
