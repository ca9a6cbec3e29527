import FoundationEssentials
import SystemFiles

/// Bearer tokens, each for one origin: scheme, host and port.
///
/// One with a colon in it, which no bearer token has (RFC 6750), is a user's name and password, and is sent as such.
/// A token is sent to its own origin alone, whatever redirects to where. It is in no text that this type makes of itself.
public struct Credentials: Sendable {
  private var tokens: [String: String] = [:]

  /// No tokens.
  public init() {}

  /// The tokens of the user's file, then the one of the variable `FMADAPTER_TOKEN`.
  ///
  /// The file is `$XDG_CONFIG_HOME/fmadapter/tokens`, else `$HOME/.config/fmadapter/tokens`; it need not exist. The one server
  /// that gets the variable's token is the value of a second variable, `FMADAPTER_TOKEN_HOST`, whose name is always that:
  ///
  ///     FMADAPTER_TOKEN_HOST=models.my-host.example          https, port 443
  ///     FMADAPTER_TOKEN_HOST=models.my-host.example:8443     https, port 8443
  ///     FMADAPTER_TOKEN_HOST=http://localhost:8080           http, on this machine alone
  ///
  /// - Throws: `StoreError.credentials`.
  public init(environment: [String: String]) throws(StoreError) {
    if let path = Self.file(environment), FileManager.default.fileExists(atPath: path) {
      try read(path)
    }
    guard let token = environment["FMADAPTER_TOKEN"], !token.isEmpty else { return }
    guard let host = environment["FMADAPTER_TOKEN_HOST"], !host.isEmpty else {
      throw .credentials(
        place: "FMADAPTER_TOKEN",
        reason: "no host may have it"
          + "\(remedy: "set FMADAPTER_TOKEN_HOST to the one that may, such as models.my-host.example:8443")"
      )
    }
    let address = host.contains("://") ? host : "https://" + host
    try add(token, for: address, place: "FMADAPTER_TOKEN")
  }

  /// Adds the token for the origin of `address`, such as `https://host:8443`; it replaces an earlier one.
  ///
  /// - Throws: `StoreError.credentials`, which names `place`, where the token comes from.
  public mutating func add(
    _ token: String, for address: String, place: String
  ) throws(StoreError) {
    guard let address = WebAddress(address), !address.hasLogin, !address.host.isEmpty else {
      throw .credentials(
        place: place, reason: "a token belongs to an address such as https://host")
    }
    guard address.scheme == "https" || (address.scheme == "http" && address.isLoopback) else {
      throw .credentials(
        place: place, reason: "a token is sent by https only; \(address.origin) is something else")
    }
    guard Self.isPossible(token) else {
      throw .credentials(
        place: place,
        reason: "the token for \(address.origin) has characters that no token has"
          + "\(remedy: "copy it once more")")
    }
    tokens[address.origin] = token
  }

  /// Whether nothing is in it that no token has; a password may have blanks, and letters of any language.
  private static func isPossible(_ token: String) -> Bool {
    guard isLogin(token) else {
      return !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
    return !token.prefix { $0 != ":" }.contains(where: \.isWhitespace)
      && !token.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// The token for exactly this origin.
  func token(for origin: String) -> String? { tokens[origin] }

  /// Whether a token is a name and a password.
  static func isLogin(_ token: String) -> Bool { token.contains(":") }

  /// The field that gives `token` to its server.
  static func field(_ token: String) -> String {
    isLogin(token)
      ? "Authorization: Basic \(Data(token.utf8).base64EncodedString())"
      : "Authorization: Bearer \(token)"
  }

  /// Where the file of ``init(environment:)`` is, as texts call it; nil where there is no place for one.
  static func shownFile(_ environment: [String: String]) -> String? {
    guard let file = file(environment) else { return nil }
    return file == environment["HOME"].map { $0 + homeFile } ? "~" + homeFile : file
  }

  private static let homeFile = "/.config/fmadapter/tokens"

  private static func file(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      return folder + "/fmadapter/tokens"
    }
    return environment["HOME"].flatMap {
      $0.hasPrefix("/") ? $0 + homeFile : nil
    }
  }

  /// Reads lines of an address and its token; empty ones, and those that begin with `#`, mean nothing.
  private mutating func read(_ path: String) throws(StoreError) {
    let real = (try? FileSystem.resolved(path)) ?? path
    let facts = try? FileSystem.info(real)
    guard (facts?.mode ?? 0) & 0o077 == 0 else {
      throw .credentials(
        place: path,
        reason: "others may read these tokens\(remedy: "run 'chmod 600 \(path.shellWord)'")")
    }
    guard let file = try? FileReader(path: real), file.size <= 1 << 20,
      let bytes = try? file.read(0..<file.size)
    else {
      throw .credentials(place: path, reason: "it cannot be read\(remedy: "check its permissions")")
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(\.trimmed)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard words.count == 2, Self.isLogin(words[1]) || !words[1].contains(where: \.isWhitespace)
      else {
        throw .credentials(
          place: "\(path):\(index + 1)",
          reason: "a line is an address such as https://host and its token")
      }
      try add(words[1], for: first, place: "\(path):\(index + 1)")
    }
  }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
  /// The origins that there are tokens for, without the tokens.
  public var description: String {
    tokens.isEmpty
      ? "no tokens" : tokens.keys.sorted().map { "token for \($0)" }.joined(separator: ", ")
  }

  /// Nothing, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebAddress {
  /// What to do where its server wants a token, or a name and a password: whence one would be read, `file` first, by the
  /// words to write there.
  func tokenAdvice(file: String?, isLogin: Bool = false) -> ErrorText {
    guard scheme == "https" || isLoopback else {
      return "\(remedy: "use an address with https: a token is not sent by plain http")"
    }
    let host = scheme == "https" ? String(origin.dropFirst("https://".count)) : origin
    let (kind, word) = isLogin ? ("name and password", "USER:PASSWORD") : ("a token", "TOKEN")
    let line = file.map { "a line '\(origin) \(word)' in \($0), or " } ?? ""
    return
      "\(remedy: "give \(kind) for \(origin): \(line)FMADAPTER_TOKEN=\(word) with FMADAPTER_TOKEN_HOST=\(host)")"
  }
}

extension TransportPolicy {
  /// Sends each of these tokens to its own origin.
  package mutating func use(_ credentials: Credentials) {
    token = { credentials.token(for: $0) }
  }
}
