import CFMCurl
import FoundationEssentials
import Glibc
package import SystemFiles

/// Why one attempt at a transfer ended early.
package enum TransferFault: Error, Sendable {
  /// The task was cancelled.
  case cancelled
  /// The receiver did not want it; its error.
  case refused(any Error)
  /// The address cannot be used: malformed, or of a scheme that is not allowed; the reason is a sentence's end.
  case address(url: String, reason: ErrorText)
  /// The host has no address, or does not answer.
  case unreachable(host: String, reason: String)
  /// Nothing listens at a port of this machine; the place is a host with its port.
  case nobody(place: String)
  /// The other side's certificate is not to be trusted.
  case untrusted(host: String, reason: ErrorText)
  /// What answers does not speak HTTP.
  case noWebServer(host: String)
  /// A redirect to the address that is not followed: too many, to a scheme not allowed, or from https to http.
  case redirect(url: String, reason: ErrorText)
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
    case .cancelled, .refused, .address, .untrusted, .noWebServer, .redirect, .tooLong: false
    }
  }

  /// What happened, as the end of a sentence about an address.
  package var sentence: ErrorText {
    switch self {
    case .cancelled: "the transfer was cancelled"
    case .refused(let error): "\(error)"
    case .address(_, let reason): reason
    case .unreachable(let host, let reason): "cannot reach \(host): \(reason)"
    case .nobody(let place):
      "nothing listens at \(place) on this machine"
        + "\(remedy: "start the server, or check the port")"
    case .untrusted(let host, let reason): "cannot trust \(host): \(reason)"
    case .noWebServer(let host):
      "\(host) does not answer as a web server does\(remedy: "check the address and its port")"
    case .redirect(let url, let reason): "the redirect to \(url) is not followed: \(reason)"
    case .cut(let host, let received):
      "\(host) closed the connection after \(Figures.size(received))"
    case .slow(let host, let seconds):
      "\(host) has sent almost nothing for \(Figures.wait(Double(seconds)))"
    case .tooLong(let host, let limit):
      "\(host) sends more than the \(Figures.bytes(limit)) that were expected"
    case .other(let host, let reason): "the transfer from \(host) failed: \(reason)"
    }
  }
}

extension TransferFault {
  /// What libcurl's `code` means to people.
  ///
  /// `text` is libcurl's own word for it, `detail` what it and OpenSSL say besides; `verification` is OpenSSL's result of checking the certificate, 0 when nothing
  /// was wrong with its chain; `system` the system's error; `proxy` the proxy in use, without its password; `local` the
  /// host and port that were connected to, if they are of this machine.
  init(
    _ code: CURLcode, text: String, detail: String = "", host: String, received: Int,
    verification: Int, system: Int, proxy: String?, local: String? = nil
  ) {
    let proxyName = proxy.map { "the proxy \($0)" } ?? "the proxy"
    switch code {
    // The other side closes the connection then.
    case _ where detail.contains("alert certificate required"):
      self = .address(
        url: host,
        reason: "\(host) wants a certificate of whoever asks, and none can be given here"
          + "\(remedy: "let a proxy on this machine hold one, and use its address")")
    // The scheme was looked at before anything was sent: what remains is an answer that is not of HTTP.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      self = .noWebServer(host: host)
    case CURLE_URL_MALFORMAT:
      self = .address(url: host, reason: "\(text)")
    case CURLE_COULDNT_RESOLVE_HOST:
      self = .unreachable(host: host, reason: "no such host, or no network")
    case CURLE_COULDNT_RESOLVE_PROXY:
      self = .unreachable(host: host, reason: "\(proxyName) has no address")
    case CURLE_COULDNT_CONNECT where system == EMFILE || system == ENFILE:
      self = .refused(
        FileError.system(.connect, path: host, code: Int32(truncatingIfNeeded: system)))
    case CURLE_COULDNT_CONNECT where system == ECONNREFUSED && local != nil:
      self = .nobody(place: local ?? host)
    case CURLE_COULDNT_CONNECT:
      self = .unreachable(host: host, reason: Self.connectDefect(system, proxy: proxy))
    case CURLE_PROXY:
      self = .unreachable(host: host, reason: "\(proxyName) refused the connection")
    case CURLE_OPERATION_TIMEDOUT:
      self = .unreachable(host: host, reason: "no connection in time")
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      self = .cut(host: host, received: received)
    case CURLE_PEER_FAILED_VERIFICATION:
      self = .untrusted(host: host, reason: Self.certificateDefect(verification))
    case CURLE_SSL_CACERT_BADFILE:
      self = .untrusted(
        host: host,
        reason: "the file of certificate authorities cannot be read"
          + "\(remedy: "install the package ca-certificates, or look at CURL_CA_BUNDLE")")
    case CURLE_SSL_CONNECT_ERROR:
      self = .other(host: host, reason: "no secure connection could be agreed on")
    default:
      self = .other(host: host, reason: text.lowercased())
    }
  }

  private static func connectDefect(_ system: Int, proxy: String?) -> String {
    let reason =
      switch Int32(truncatingIfNeeded: system) {
      case ECONNREFUSED: "the connection was refused"
      case ENETUNREACH, EHOSTUNREACH: "no network leads there"
      default: "no connection could be made"
      }
    return reason + (proxy.map { ", on the way through the proxy \($0)" } ?? "")
  }

  /// By the numbers of OpenSSL's `X509_V_ERR_...`.
  private static func certificateDefect(_ verification: Int) -> ErrorText {
    switch verification {
    case 9: "its certificate is not valid yet\(remedy: "is the clock right?")"
    case 10: "its certificate has expired"
    case 2, 18, 19, 20, 21:
      "its certificate comes from an unknown authority"
        + "\(remedy: "name a private one's file in CURL_CA_BUNDLE")"
    // Libcurl compares the name itself, after OpenSSL has found nothing wrong: the result is then 0 or still unset.
    case 0, 1, 62: "its certificate is for another name"
    default: "its certificate is not valid (OpenSSL's error \(verification))"
    }
  }
}
