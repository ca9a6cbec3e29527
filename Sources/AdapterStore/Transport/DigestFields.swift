import FoundationEssentials
import SystemFiles

/// Digests of a file in the head of a response, as far as they are strong enough to tell it from every other.
///
/// A field that breaks its grammar says nothing, and weak digests (MD5, SHA-1, CRC) never do.
enum DigestFields {
  /// Fields whose lines belong together, joined by commas.
  static let lists: Set<String> = ["repr-digest", "content-digest", "digest"]

  /// What a head with `status` says of the whole file; `field` gives values by names in small letters.
  ///
  /// The fields of a redirect are about its own body, but for the hub's, which is about the file that it leads to.
  static func claims(status: Int, field: (String) -> String?) -> [DigestClaim] {
    var claims: [DigestClaim] = []
    func add(_ voucher: DigestVoucher, _ digest: String?) {
      if let digest { claims.append(DigestClaim(voucher, digest)) }
    }
    if status == 200 || status == 206 || (300..<400).contains(status) {
      add(.linkedTag, field("x-linked-etag").flatMap { hex($0.trimming("\"")) })
    }
    guard status == 200 || status == 206 else { return claims }
    add(.reprDigest, field("repr-digest").flatMap { strongest(dictionary($0)) })
    add(.digest, field("digest").flatMap { strongest(list($0)) })
    add(.artifactory, field("x-checksum-sha256").flatMap(hex))
    // These are about the body of this response, or may be: of a part they say nothing about the whole.
    guard status == 200 else { return claims }
    add(.contentDigest, field("content-digest").flatMap { strongest(dictionary($0)) })
    // A checksum of parts' checksums is not one of the file.
    if field("x-amz-checksum-type")?.uppercased() != "COMPOSITE" {
      add(.amazon, field("x-amz-checksum-sha256").flatMap { bytes($0, count: 32) })
    }
    if let text = field("docker-content-digest"), text.hasPrefix("sha256:") {
      add(.registry, hex(String(text.dropFirst(7))))
    }
    return claims
  }

  /// SHA-256, which receipts can be compared with, else SHA-512.
  private static func strongest(_ values: [String: String]) -> String? {
    values["sha-256"].flatMap { bytes($0, count: 32) }
      ?? values["sha-512"].flatMap { bytes($0, count: 64) }
  }

  /// `sha-256=<base64>, …`, names in any case.
  private static func list(_ text: String) -> [String: String] {
    text.split(separator: ",").reduce(into: [:]) { values, part in
      guard let equals = part.firstIndex(of: "=") else { return }
      let name = part[..<equals].trimmed.lowercased()
      values[name] = part[part.index(after: equals)...].trimmed
    }
  }

  /// The byte sequences of a dictionary of RFC 9651 by their keys, in base64; none when it is no dictionary.
  static func dictionary(_ text: String) -> [String: String] {
    var rest = text[...]
    var values: [String: String] = [:]
    rest.skip(" \t")
    while !rest.isEmpty {
      guard let key = rest.key() else { return [:] }
      var value: String?
      if rest.first == "=" {
        rest.removeFirst()
        guard rest.item(&value) else { return [:] }
      }
      while rest.first == ";" {
        rest.removeFirst()
        rest.skip(" ")
        var ignored: String?
        guard rest.key() != nil else { return [:] }
        if rest.first == "=" {
          rest.removeFirst()
          guard rest.item(&ignored) else { return [:] }
        }
      }
      // Of a key that comes twice the last counts.
      values[key] = value
      rest.skip(" \t")
      guard !rest.isEmpty else { break }
      guard rest.removeFirst() == "," else { return [:] }
      rest.skip(" \t")
      if rest.isEmpty { return [:] }
    }
    return values
  }

  private static func bytes(_ base64: String, count: Int) -> String? {
    guard let data = Data(base64Encoded: base64), data.count == count else { return nil }
    return hexadecimal(Array(data))
  }

  private static func hex(_ text: String) -> String? {
    let lower = text.lowercased()
    return isSHA256(lower) ? lower : nil
  }
}

extension String {
  fileprivate func trimming(_ character: Character) -> String {
    guard count >= 2, first == character, last == character else { return self }
    return String(dropFirst().dropLast())
  }
}

extension Substring {
  fileprivate mutating func skip(_ characters: String) {
    while let first, characters.contains(first) { removeFirst() }
  }

  /// Takes a key of a dictionary.
  fileprivate mutating func key() -> String? {
    guard let first, first == "*" || ("a"..."z").contains(first) else { return nil }
    let key = prefix {
      ("a"..."z").contains($0) || ("0"..."9").contains($0) || "_-.*".contains($0)
    }
    removeFirst(key.count)
    return String(key)
  }

  /// Takes an item; its text is given only if it is a byte sequence.
  fileprivate mutating func item(_ value: inout String?) -> Bool {
    switch first {
    case ":":
      guard let end = dropFirst().firstIndex(of: ":") else { return false }
      value = String(self[index(after: startIndex)..<end])
      self = self[index(after: end)...]
    case "\"":
      removeFirst()
      while let next = popFirst(), next != "\"" {
        if next == "\\" { guard popFirst() != nil else { return false } }
        if isEmpty { return false }
      }
    case "(":
      guard let end = firstIndex(of: ")") else { return false }
      self = self[index(after: end)...]
    default:
      let word = prefix { !",; \t".contains($0) }
      guard !word.isEmpty else { return false }
      removeFirst(word.count)
    }
    return true
  }
}
