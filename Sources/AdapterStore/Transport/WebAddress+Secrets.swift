import FoundationEssentials
import SystemFiles

/// What may be kept and shown of an address.
///
/// Addresses carry credentials: `user:password@`, the signatures of storage services, tokens in queries. Whatever looks
/// like one is replaced by `***` before an address is written to a file or a message, so that what is kept names the
/// place and opens nothing.
extension WebAddress {
  private static let mask = "***"

  /// `text` with what looks like a credential masked; text that is no address comes back as it is.
  ///
  /// Two addresses may become the same: what stands behind each is told apart by ``key(_:)``.
  package static func shown(_ text: String) -> String {
    guard let scheme = text.firstRange(of: "://") else { return text }
    let rest = text[scheme.upperBound...]
    let (login, place) = Self.login(rest)
    let end = place.firstIndex { "?#".contains($0) } ?? place.endIndex
    let path = masked(pieces(place[..<end], "/;"), in: .path)
    let query = masked(pieces(place[end...], "?#&;"), in: .query)
    return text[..<scheme.upperBound] + (login ? mask + "@" : "") + path + query
  }

  /// `text` with every address in it as ``shown(_:)`` has it.
  package static func shown(in text: String) -> String {
    var shown = ""
    var rest = text[...]
    // Texts may be long, and a search for what may be a scheme would begin at each of their letters.
    while let mark = rest.firstRange(of: "://") {
      let start = schemeStart(in: rest, before: mark.lowerBound)
      let body = rest[mark.upperBound...].prefix { !$0.isWhitespace && !"\"'<>".contains($0) }
      guard start < mark.lowerBound, !body.isEmpty else {
        shown += rest[..<mark.upperBound]
        rest = rest[mark.upperBound...]
        continue
      }
      // The punctuation of the sentence is not the address's.
      let match = rest[start..<body.endIndex]
      let address = match.prefix(
        upTo: match.lastIndex { !":;,.)".contains($0) }.map(match.index(after:)) ?? match.endIndex)
      shown += rest[..<start] + Self.shown(String(address)) + match[address.endIndex...]
      rest = rest[body.endIndex...]
    }
    return shown + rest
  }

  /// Where the scheme begins that ends at `end`; `end` where there is none.
  private static func schemeStart(in text: Substring, before end: String.Index) -> String.Index {
    var (start, index) = (end, end)
    while index > text.startIndex {
      index = text.index(before: index)
      let character = text[index]
      guard character.isASCII, character.isLetter || character.isNumber || "+.-".contains(character)
      else { break }
      if character.isLetter { start = index }
    }
    return start
  }

  /// Whether something in `text`, which may be any, looks like a credential: in an address, as a token of a well-known
  /// service, as the value of a name such as `password`, or as a private key.
  package static func hasCredential(in text: String) -> Bool {
    shown(in: text) != text || text.contains(/-----BEGIN [A-Z0-9 ]*PRIVATE KEY/)
      || text.contains(/\bBearer \S{16}/)
      || text.split { !SecretNames.isOfToken($0) }.contains { SecretNames.isToken(amid: $0) }
      || assignsSecret(in: text)
  }

  /// Whether a value that looks secret stands behind a name and `=` or `:`, both in quotes or not.
  private static func assignsSecret(in text: String) -> Bool {
    var rest = text[...]
    while let sign = rest.firstIndex(where: { "=:".contains($0) }) {
      var before = rest[..<sign]
      while before.last?.isWhitespace == true { before.removeLast() }
      let hasSpace = before.endIndex < sign
      if let last = before.last, "\"'".contains(last) { before.removeLast() }
      let name = before[nameStart(in: before)...]
      rest = rest[rest.index(after: sign)...]
      guard !name.isEmpty else { continue }
      let trimmed = rest.drop(while: \.isWhitespace)
      let isAssigned = text[sign] == "=" && !hasSpace && trimmed.startIndex == rest.startIndex
      let unquoted =
        trimmed.first.map { "\"'".contains($0) } == true ? trimmed.dropFirst() : trimmed
      let value = unquoted.prefix { !$0.isWhitespace && !"\"'".contains($0) }
      guard value.count >= 6 else { continue }
      if SecretNames.isSecret(name, isAssigned: isAssigned, value) { return true }
      rest = rest[value.endIndex...]
    }
    return false
  }

  /// Where the name begins that `text` ends with: a letter, and more letters, numbers and signs of names.
  private static func nameStart(in text: Substring) -> String.Index {
    var (start, index) = (text.endIndex, text.endIndex)
    while index > text.startIndex {
      index = text.index(before: index)
      let character = text[index]
      guard character.isLetter || character.isNumber || "_.-".contains(character) else { break }
      if character.isLetter, character.isASCII { start = index }
    }
    return start
  }

  /// Whether the variable `name` of an environment looks like a credential, or has one in its value.
  package static func isCredential(variable name: String, _ value: String) -> Bool {
    SecretNames.isSecret(variable: name) || hasCredential(in: value)
  }

  /// Whether ``shown(_:)`` has taken something from `text` that it cannot be fetched without.
  static func isMasked(_ text: String) -> Bool { text.contains(mask) }

  // MARK: - What tells addresses apart

  /// 32 digits that tell `text`, an address, a path or a place on a hub, from every other: of a digest of all of it, and so without
  /// what is secret in it.
  ///
  /// Storage services sign the same place anew each time, so that such a signature is no part of it.
  static func key(_ text: String) -> String {
    String(SHA256.hex(Array(unsigned(text).utf8)).prefix(32))
  }

  /// The key of `text` behind who answers for it: a host, `hf` for the hub, `file` for this machine.
  static func identity(_ text: String) -> String {
    let who = text.contains("://") ? place(of: text) : text.hasPrefix("hf:") ? "hf" : "file"
    let slug = who.lowercased().prefix(64).map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
    }
    return String(slug) + "-" + key(text)
  }

  /// The identity of the address that is `shown`; nil where what is masked may be what told it from others.
  static func identity(ofShown shown: String) -> String? {
    isMasked(unsigned(shown)) ? nil : identity(shown)
  }

  /// `text` without the signature of a storage service and what belongs to that.
  private static func unsigned(_ text: String) -> String {
    guard text.contains("://"), let start = text.firstIndex(of: "?") else { return text }
    let pieces = pieces(text[start...], "?#&;")
    let names = pieces.map { Field($0, in: .query).name }
    guard names.contains(where: SecretNames.isSignature),
      names.contains(where: SecretNames.isOfSignature)
    else { return text }
    let kept = zip(pieces, names).filter { _, name in
      !SecretNames.isSignature(name) && !SecretNames.isOfSignature(name)
    }
    return text[..<start] + kept.map(\.0).joined()
  }

  // MARK: - Parts

  private enum Part { case path, query }

  /// Whether a user's name and password stand before the host, and what follows them.
  private static func login(_ rest: Substring) -> (isThere: Bool, place: Substring) {
    let authority = rest.prefix { !"/?#".contains($0) }
    if let at = authority.lastIndex(of: "@") { return (true, rest[rest.index(after: at)...]) }
    // A password with a slash in it ends no authority for people, though it does for parsers.
    let port = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard port.count == 2, !authority.hasPrefix("["), !port[1].allSatisfy(\.isNumber),
      let at = rest.lastIndex(of: "@")
    else { return (false, rest) }
    return (true, rest[rest.index(after: at)...])
  }

  /// `text` cut before each of `separators`, which stay at the start of their pieces.
  private static func pieces(_ text: Substring, _ separators: String) -> [Substring] {
    var pieces: [Substring] = []
    var start = text.startIndex
    for index in text.indices where separators.contains(text[index]) && index != start {
      pieces.append(text[start..<index])
      start = index
    }
    return start < text.endIndex ? pieces + [text[start...]] : pieces
  }

  private static func masked(_ pieces: [Substring], in part: Part) -> String {
    let fields = pieces.map { Field($0, in: part) }
    let isSigned = fields.contains { $0.isSecret }
    return fields.map { field in
      guard field.isSecret || (isSigned && field.isCompanion) else { return field.text }
      return field.head + mask
    }.joined()
  }

  /// A component of a path, or a parameter.
  private struct Field {
    let text: String
    /// All before the value: separator, name and equals sign.
    let head: String
    let name: String
    let value: String
    let part: Part

    init(_ piece: Substring, in part: Part) {
      text = String(piece)
      self.part = part
      let body = piece.drop { "/;?#&".contains($0) }
      let equals = body.firstIndex(of: "=")
      head = String(piece[..<(equals.map { piece.index(after: $0) } ?? body.startIndex)])
      func plain(_ text: Substring) -> String {
        text.percentDecoded ?? String(text)
      }
      name = equals.map { plain(body[..<$0]) } ?? ""
      value = plain(equals.map { body[body.index(after: $0)...] } ?? body)
    }

    var isSecret: Bool {
      guard !value.isEmpty else { return false }
      if value.contains("://"), WebAddress.shown(value) != value { return true }
      if !name.isEmpty { return SecretNames.isSecret(name) || SecretNames.isToken(value) }
      return SecretNames.isToken(value) || (part == .query && SecretNames.isOpaque(value))
    }

    /// Whether it belongs to a signature, and means nothing without it.
    var isCompanion: Bool { !name.isEmpty && SecretNames.isOfSignature(name) }
  }
}

/// How credentials look.
private enum SecretNames {
  private static let words: Set<String> = [
    "auth", "authentication", "authorization", "bearer", "code", "cookie", "cred", "credential",
    "credentials", "creds", "hash", "hdnea", "hdnts", "hmac", "jwt", "key", "license", "login",
    "nonce", "oauth", "otp", "pass", "passcode", "passphrase", "passwd", "password", "pin",
    "policy", "private", "pw", "pwd", "refresh", "sas", "secret", "session", "sid", "sig",
    "sign", "signature", "ticket", "tk", "tok", "token",
  ]
  /// Those that mean something else in the name of a variable, such as `DESKTOP_SESSION`.
  private static let notOfVariables: Set<String> = [
    "code", "hash", "license", "login", "policy", "refresh", "session", "sign",
  ]
  private static let endings = [
    "key", "password", "secret", "sessid", "sessionid", "signature", "token",
  ]
  /// Of storage services: Amazon's, Google's and their likes in words, Azure's in letters.
  private static let companions: Set<String> = [
    "expires", "expiry", "expire", "exp", "keypairid", "awsaccesskeyid", "googleaccessid", "policy",
    "se", "st", "sp", "sv", "sr", "spr", "sip", "ske", "skt", "sks", "skv", "skoid", "sktid",
  ]
  private static let services = ["x-amz-", "x-goog-", "x-ms-", "x-oss-", "x-cos-"]
  private static let tokens = [
    "hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "xoxa-", "xoxb-",
    "xoxp-", "xoxr-", "xoxs-", "AKIA", "ASIA", "eyJ",
  ]

  static func isSecret(_ name: String) -> Bool {
    let small = name.lowercased()
    if endings.contains(where: small.hasSuffix) { return true }
    return !words.isDisjoint(with: parts(of: name))
  }

  static func isSecret(variable name: String) -> Bool {
    let small = name.lowercased()
    // The working directory is no password.
    guard small != "pwd" else { return false }
    let words = words.subtracting(notOfVariables).union(["pat", "sshpass"])
    return endings.contains(where: small.hasSuffix) || !words.isDisjoint(with: parts(of: name))
  }

  static func isOfSignature(_ name: String) -> Bool {
    let small = name.lowercased()
    return services.contains(where: small.hasPrefix)
      || companions.contains(small.filter { $0 != "-" && $0 != "_" })
  }

  /// Whether it is of a signature over an address itself.
  static func isSignature(_ name: String) -> Bool {
    let small = name.lowercased()
    return small == "sig" || small.hasSuffix("signature")
  }

  /// Whether `value` begins as the tokens of well-known services do.
  static func isToken(_ value: String) -> Bool {
    tokens.contains { value.hasPrefix($0) && value.utf8.count >= $0.utf8.count + 12 }
  }

  /// Whether a token may have `character` in it.
  static func isOfToken(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }

  /// The same of a word in a sentence, where `sk-` may begin another one, too.
  static func isToken(amid word: Substring) -> Bool {
    isToken(String(word)) && word.dropFirst(4).contains { $0.isNumber || $0.isUppercase }
  }

  /// Whether `value` is a secret that stands behind `name` in a sentence or in code; one of letters alone is so only
  /// where it `isAssigned` without a space.
  static func isSecret(_ name: Substring, isAssigned: Bool, _ value: Substring) -> Bool {
    // A call, a variable or a place for a value.
    guard !value.contains("("), let first = value.first, !"$<{[*".contains(first) else {
      return false
    }
    let small = name.lowercased().filter(\.isLetter)
    let hasNumber = value.contains(where: \.isNumber)
    if ["password", "passwd", "passphrase", "secret", "credential"].contains(where: small.contains)
    {
      return isAssigned || hasNumber
    }
    return hasNumber
      && ["token", "apikey", "accesskey", "privatekey", "authkey", "pwd"]
        .contains(where: small.hasSuffix)
  }

  /// Whether a parameter without a name is long and mixed enough to be a token.
  static func isOpaque(_ value: String) -> Bool {
    value.utf8.count >= 16 && !value.contains(".") && value.contains(where: \.isNumber)
      && value.contains(where: \.isLetter)
  }

  /// The words of a name such as `X-Amz-Signature` or `authToken`, in small letters.
  private static func parts(of name: String) -> Set<String> {
    var parts: [String] = [""]
    var previous: Character = "a"
    for character in name {
      if !character.isLetter {
        parts.append("")
      } else if character.isUppercase, previous.isLowercase {
        parts.append(character.lowercased())
      } else {
        parts[parts.count - 1] += character.lowercased()
      }
      previous = character
    }
    return Set(parts)
  }
}
