import CCurl

/// An address taken apart by the same parser that fetches it.
package struct WebAddress: Sendable, Equatable {
  /// In small letters: `https`, `http`, `file`, or what may not be fetched.
  package let scheme: String
  package let host: String
  package let port: Int?
  /// Whether a user or a password is part of it.
  package let hasLogin: Bool
  /// As text, without what follows `?`, which may be a secret.
  package let shown: String

  /// Takes `text` apart; nil when it is no absolute address.
  package init?(_ text: String) {
    guard !text.utf8.contains(where: { $0 < 0x21 || $0 == 0x7F }),
      let parser = unsafe curl_url()
    else { return nil }
    defer { unsafe curl_url_cleanup(parser) }
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
    guard unsafe curl_url_set(parser, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard unsafe curl_url_get(parser, part, &value, UInt32(flags)) == CURLUE_OK,
        let value = unsafe value
      else { return nil }
      defer { unsafe curl_free(value) }
      return unsafe String(cString: value)
    }
    guard let scheme = part(CURLUPART_SCHEME)?.lowercased() else { return nil }
    let host = (part(CURLUPART_HOST) ?? "").lowercased()
    let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap { Int($0) }
    (self.scheme, self.host, self.port) = (scheme, host, port)
    hasLogin = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
    let number = port == Self.usualPort(scheme) ? nil : port
    let place = number.map { ":\($0)" } ?? ""
    shown = "\(scheme)://" + host + place + (part(CURLUPART_PATH) ?? "")
  }

  /// `https://host`, with the port where it is not the usual one.
  package var origin: String {
    let place = port == Self.usualPort(scheme) ? nil : port
    return "\(scheme)://\(host)" + (place.map { ":\($0)" } ?? "")
  }

  /// Whether the host can only be this machine.
  package var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Why it may not be fetched under `policy`; nil when it may.
  package func refusal(_ policy: TransportPolicy) -> String? {
    if hasLogin { return "an address with a password in it is not used; put a token into a file" }
    switch scheme {
    case "https": return nil
    case "http" where isLoopback || policy.allowsHTTP: return nil
    case "http": return "plain http is open to everyone on the way; use https, or --allow-http"
    case "file" where policy.allowsFiles: return nil
    default: return "only https addresses are fetched"
    }
  }

  private static func usualPort(_ scheme: String) -> Int? {
    ["https": 443, "http": 80][scheme]
  }
}
