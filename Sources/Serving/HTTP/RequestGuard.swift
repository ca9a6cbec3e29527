import SystemFiles

/// Lets only those requests in that may come: of hosts that this server is, of its own pages, and with a key where there are keys.
///
/// A page of another site can make a browser send requests to this machine; the browser then names the host that the page believes in,
/// and the site. Both are checked before anything is done.
package struct RequestGuard: Sendable {
  /// Names of this server, in lowercase, beside those of this machine itself; nil lets any name in.
  package var hosts: Set<String>? = []
  /// Sites whose pages may send requests, such as `http://localhost:3000`.
  package var origins: Set<String> = []
  /// Digests of the keys; empty lets all in.
  private var keys: [[UInt8]] = []

  package init() {}

  /// Takes the keys of a text: one on a line, blank lines and those that begin with `#` left out.
  package mutating func setKeys(_ text: String) {
    keys = text.split(whereSeparator: \.isNewline).map { $0.trimmed }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { Self.digest($0) }
  }

  /// Whether a key is needed.
  package var needsKey: Bool { !keys.isEmpty }

  /// - Throws: `.forbidden`, `.unsupportedMediaType`, `.unauthorized`.
  func check(_ request: HTTPRequest, isOpen: Bool) throws(ServingError) {
    try checkHost(request["host"] ?? "")
    if let origin = request["origin"] {
      guard origins.contains(origin) || isOwn(origin, host: request["host"]) else {
        throw ServingError(.forbidden, "Pages of this origin may not send requests here.")
      }
      // A page can send any other type without asking first.
      let type = request["content-type"]?.lowercased().prefix { $0 != ";" } ?? ""
      guard request.method != "POST" || type == "application/json" else {
        throw ServingError(
          .unsupportedMediaType, "Pages have to send bodies as application/json.")
      }
    }
    guard isOpen || keys.isEmpty || key(of: request) != nil else {
      throw ServingError(
        .unauthorized, "A key is needed, as 'Authorization: Bearer KEY' or 'x-api-key: KEY'.",
        code: "invalid_api_key")
    }
  }

  private func checkHost(_ field: String) throws(ServingError) {
    guard let hosts else { return }
    guard let name = Self.name(ofHost: field), Self.isLoopback(name) || hosts.contains(name) else {
      throw ServingError(
        .forbidden, "This server does not go by the name that Host has; it has to be told of it.")
    }
  }

  /// The name in a Host field, in lowercase, without port, brackets and a last dot; nil for what no name has.
  static func name(ofHost field: String) -> String? {
    var name = field.lowercased()[...]
    let isAddress = name.hasPrefix("[")
    if isAddress {
      guard let end = name.firstIndex(of: "]") else { return nil }
      let rest = name[name.index(after: end)...]
      guard rest.isEmpty || Self.isPort(rest) else { return nil }
      name = name[name.index(after: name.startIndex)..<end]
    } else if let colon = name.firstIndex(of: ":") {
      guard Self.isPort(name[colon...]) else { return nil }
      name = name[..<colon]
    }
    if name.hasSuffix(".") { name = name.dropLast() }
    let isName = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F].contains(byte)
        || isAddress && byte == 0x3A
    }
    return isName && !name.isEmpty ? String(name) : nil
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && UInt16(text.dropFirst()) != nil
  }

  /// Whether a name or an address is always this machine's own.
  package static func isLoopback(_ name: String) -> Bool {
    if name == "localhost" || name == "::1" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether a page is one of this server itself.
  private func isOwn(_ origin: String, host: String?) -> Bool {
    guard let host else { return false }
    return ["http://\(host)", "https://\(host)"].contains(origin)
  }

  /// Whom a request is from, so that places are shared fairly: an address, and the number of a key.
  ///
  /// A proxy on this machine, or at the server's socket, puts the address that it sees behind others in `X-Forwarded-For`; those
  /// others may be made up.
  func sender(of request: HTTPRequest) -> String {
    var address = request.client
    // A socket for both kinds of addresses tells those of version 4 so.
    if address.hasPrefix("::ffff:"), address.contains(".") { address.removeFirst(7) }
    if Self.isLoopback(address) || address == HTTPSocket.local,
      let seen = request.fields.last(where: { $0.name == "x-forwarded-for" })?.value
        .split(separator: ",").last?.trimmed, !seen.isEmpty
    {
      address = String(seen.prefix(64))
    }
    return key(of: request).map { "\(address) \($0)" } ?? address
  }

  /// The place of the key that a request has; nil without one that is known.
  private func key(of request: HTTPRequest) -> Int? {
    var given = request["x-api-key"]
    if let field = request["authorization"], field.lowercased().hasPrefix("bearer ") {
      given = String(field.dropFirst(7))
    }
    guard let given else { return nil }
    let digest = Self.digest(given)
    // All of them, byte for byte, so that the time tells nothing.
    return keys.indices.reduce(nil) { found, place in
      let difference = zip(keys[place], digest).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
      return difference == 0 ? place : found
    }
  }

  private static func digest(_ key: String) -> [UInt8] {
    var digest = SHA256()
    digest.update(Array(key.utf8))
    return digest.finish()
  }
}
