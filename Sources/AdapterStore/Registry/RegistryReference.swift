import SystemFiles

/// A place in an OCI registry: `oci://HOST[:PORT]/REPO[:TAG][@sha256:DIGEST]`.
public struct RegistryReference: Sendable, Equatable {
  /// Host and port, as they were written.
  package let host: String
  /// Path of the repository.
  package let repository: String
  /// Nil where none was written.
  package let tag: String?
  /// 64 lowercase hexadecimal digits of the manifest's SHA-256; nil where none was written.
  package let digest: String?

  /// Whether `text` is meant as such a place.
  package static func isReference(_ text: String) -> Bool { text.hasPrefix("oci:") }

  /// Takes `text` apart.
  ///
  /// - Throws: `StoreError.registry(.badReference)`.
  public init(_ text: String) throws(StoreError) {
    guard text.hasPrefix("oci://") else { throw Self.bad(text, "it does not begin with oci://") }
    let words = text.dropFirst(6).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, !words[1].isEmpty else {
      throw Self.bad(text, "it has no HOST/REPOSITORY")
    }
    host = words[0].lowercased()
    guard !host.contains("@") else {
      throw Self.bad(text, "a login is no part of it, and belongs to 'docker login'")
    }
    guard let address = WebAddress("https://" + host), !address.host.isEmpty,
      !host.contains(where: { "?#\\".contains($0) })
    else { throw Self.bad(text, "'\(words[0])' is no host") }
    let halves = words[1].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let names = halves[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    repository = String(names[0])
    guard Self.isRepository(repository) else {
      throw Self.bad(
        text,
        "'\(repository)' is no name of a repository, which has small letters and digits, with '.', '_' and '-' between them"
      )
    }
    tag = names.count == 2 ? String(names[1]) : nil
    if let tag, !Self.isTag(tag) { throw Self.bad(text, "'\(tag)' is no tag") }
    guard halves.count == 2 else {
      digest = nil
      return
    }
    guard let digest = Self.sha256(String(halves[1])) else {
      throw Self.bad(text, "'\(halves[1])' is no digest; write sha256: and 64 digits")
    }
    self.digest = digest
  }

  private init(_ host: String, _ repository: String, _ tag: String?, _ digest: String?) {
    (self.host, self.repository, self.tag, self.digest) = (host, repository, tag, digest)
  }

  /// The same repository's manifest with this digest.
  func at(digest: String) -> RegistryReference {
    RegistryReference(host, repository, tag, digest)
  }

  /// The address of the repository, without tag and digest.
  var repositoryAddress: String { "oci://\(host)/\(repository)" }

  private static func bad(_ text: String, _ reason: String) -> StoreError {
    .registry(.badReference(reason), place: WebAddress.shown(text))
  }

  /// The digits of a digest such as `sha256:…`; nil for what is none.
  static func sha256(_ text: String) -> String? {
    guard text.hasPrefix("sha256:") else { return nil }
    let digits = String(text.dropFirst(7))
    return isSHA256(digits) ? digits : nil
  }

  /// The distribution specification's rule: words of small letters and digits, which `.`, `_`, `__` or hyphens join.
  static func isRepository(_ text: String) -> Bool {
    guard 1...255 ~= text.utf8.count else { return false }
    return text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { word in
      word.wholeMatch(of: /[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*/) != nil
    }
  }

  /// The distribution specification's rule for tags.
  static func isTag(_ text: String) -> Bool {
    text.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9._\-]{0,127}/) != nil
  }

  /// What the manifest is asked for by.
  var manifest: String { digest.map { "sha256:" + $0 } ?? tag ?? "latest" }

  /// The host that answers: that of Docker's hub has another name than people know it by.
  var server: String { host == "docker.io" ? "registry-1.docker.io" : host }

  /// The addresses that a token for its registry is given for.
  package var tokenAddresses: [String] {
    ["https://" + server] + (isLoopback ? ["http://" + server] : [])
  }

  /// Whether plain http may be spoken there.
  var isLoopback: Bool { WebAddress("https://" + host)?.isLoopback ?? false }
}

extension RegistryReference: CustomStringConvertible {
  /// The text that it is written as.
  public var description: String {
    "oci://\(host)/\(repository)" + (tag.map { ":" + $0 } ?? "")
      + (digest.map { "@sha256:" + $0 } ?? "")
  }
}
