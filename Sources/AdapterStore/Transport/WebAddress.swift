import CFMCurl
import FoundationEssentials
package import SystemFiles

/// An address taken apart by the same parser that fetches it.
package struct WebAddress: Sendable, Equatable {
  /// In small letters: `https`, `http`, `file`, or what may not be fetched.
  package let scheme: String
  package let host: String
  package let port: Int?
  /// Whether a user or a password is part of it.
  let hasLogin: Bool
  /// As text that may be kept and shown: without credentials.
  package let shown: String
  private let isMasked: Bool

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
    guard let scheme = part(CURLUPART_SCHEME)?.lowercased(),
      scheme == "file" || Self.statesHost(text)
    else { return nil }
    let host = (part(CURLUPART_HOST) ?? "").lowercased()
    let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap { Int($0) }
    (self.scheme, self.host, self.port) = (scheme, host, port)
    hasLogin = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
    let number = port == Self.usualPort(scheme) ? nil : port
    let place = number.map { ":\($0)" } ?? ""
    let query = part(CURLUPART_QUERY).map { "?" + $0 } ?? ""
    shown = Self.shown("\(scheme)://" + host + place + (part(CURLUPART_PATH) ?? "") + query)
    isMasked = Self.isMasked(text)
  }

  /// Whether a host follows the scheme: libcurl would take a part of the path for one.
  private static func statesHost(_ text: String) -> Bool {
    guard let scheme = text.firstRange(of: "://") else { return false }
    return text[scheme.upperBound...].first.map { !"/?#\\".contains($0) } ?? false
  }

  /// Refuses what is no address before anything is made of it.
  static func check(_ text: String) throws(StoreError) {
    guard WebAddress(text) == nil else { return }
    throw .network(url: shown(text), reason: noAddress)
  }

  static let noAddress: ErrorText = "it is no address\(remedy: "write https://host/path")"

  /// `https://host`, with the port where it is not the usual one.
  package var origin: String {
    let place = port == Self.usualPort(scheme) ? nil : port
    return "\(scheme)://\(host)" + (place.map { ":\($0)" } ?? "")
  }

  /// Host and port.
  var place: String { host + (port.map { ":\($0)" } ?? "") }

  /// Whether the host can only be this machine.
  package var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let host = host.hasPrefix("[::ffff:") ? String(host.dropFirst(8).dropLast()) : host
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Why it may not be fetched under `policy`; nil when it may.
  package func refusal(_ policy: TransportPolicy) -> ErrorText? {
    if isMasked {
      return "the signature or token of this address was not kept"
        + "\(remedy: "install again from a fresh address")"
    }
    if hasLogin {
      return "an address with a password in it is not used"
        + "\(remedy: "leave it out there, and give USER:PASSWORD as a token")"
    }
    switch scheme {
    case "https": return nil
    case "http" where isLoopback || policy.allowsHTTP: return nil
    case "http":
      return "plain http is open to everyone on the way"
        + "\(remedy: "use https, or \(policy.allowHTTPName)")"
    case "file" where policy.allowsFiles: return nil
    default: return "only https addresses are fetched"
    }
  }

  /// The host of `text` with its port, for people, whatever else is wrong with it.
  static func place(of text: String) -> String {
    let text = shown(text)
    guard let scheme = text.firstRange(of: "://") else { return text }
    let authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
    return host.isEmpty ? "this machine" : String(host)
  }

  /// The file `name` in the folder at `address`; a query stays at the end.
  static func join(_ address: String, _ name: String) -> String {
    let (path, query) = cut(address)
    return path + (path.hasSuffix("/") ? "" : "/") + name + query
  }

  /// `address` with `ending` at the end of its path; a query stays behind it.
  static func appending(_ address: String, _ ending: String) -> String {
    let (path, query) = cut(address)
    return path + ending + query
  }

  /// The file `name` in the folder that the file at `address` is in; nil when the address has no path.
  static func sibling(_ address: String, _ name: String) -> String? {
    let (path, query) = cut(address)
    guard let start = path.firstRange(of: "://")?.upperBound,
      let slash = path[start...].lastIndex(of: "/")
    else { return nil }
    return String(path[...slash]) + name + query
  }

  /// What stands before the query, and the query; a fragment is in neither.
  private static func cut(_ address: String) -> (path: String, query: String) {
    let end = address.firstIndex { "?#".contains($0) } ?? address.endIndex
    return (String(address[..<end]), String(address[end...].prefix { $0 != "#" }))
  }

  /// The last component of the path, without escapes and credentials; "base" when there is none.
  package static func fileName(_ address: String) -> String {
    let text = shown(address)
    let path = text[(text.firstRange(of: "://")?.upperBound ?? text.startIndex)...]
      .prefix { !"?#".contains($0) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let name = parts.last { !$0.isEmpty }.map(String.init) ?? ""
    let plain = (name.percentDecoded ?? name).filter { $0 != "/" && $0 != "\0" }
    return plain.isEmpty ? "base" : plain
  }

  private static func usualPort(_ scheme: String) -> Int? {
    ["https": 443, "http": 80][scheme]
  }
}
