/// Why one attempt at a transfer ended early.
package enum TransferFault: Error, Sendable {
  /// The task was cancelled.
  case cancelled
  /// The receiver did not want it; its error.
  case refused(any Error)
  /// The address cannot be used: malformed, or of a scheme that is not allowed; the reason is a sentence's end.
  case address(url: String, reason: String)
  /// The host has no address, or does not answer.
  case unreachable(host: String, reason: String)
  /// Nothing listens at a port of this machine; the place is a host with its port.
  case nobody(place: String)
  /// The other side's certificate is not to be trusted.
  case untrusted(host: String, reason: String)
  /// A redirect that is not followed: too many, to a scheme not allowed, or from https to http.
  case redirect(url: String, reason: String)
  /// The connection ended before the body did.
  case cut(host: String, received: Int)
  /// Less than the least speed over the window.
  case slow(host: String, seconds: Int)
  /// More bytes came than were allowed.
  case tooLong(host: String, limit: Int)
  /// Something else in libcurl's words.
  case other(host: String, reason: String)
}

extension TransferFault {
  /// Whether another attempt may fare better.
  package var isTransient: Bool {
    switch self {
    case .unreachable, .nobody, .cut, .slow, .other: true
    case .cancelled, .refused, .address, .untrusted, .redirect, .tooLong: false
    }
  }
}
