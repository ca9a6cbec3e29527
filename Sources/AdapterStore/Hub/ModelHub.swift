import FoundationEssentials
import SystemFiles

/// A Hugging Face Hub: where it is, and the addresses of what it has.
package struct ModelHub: Sendable, Equatable {
  /// Without a slash at its end.
  package let endpoint: String

  /// The hub that `HF_ENDPOINT` names, else `https://huggingface.co`.
  package init(environment: [String: String]) {
    let named = (environment["HF_ENDPOINT"] ?? "").trimmed
    var endpoint = named.isEmpty ? "https://huggingface.co" : named
    while endpoint.hasSuffix("/") { endpoint.removeLast() }
    self.endpoint = endpoint
  }

  /// The page of a repository, for people.
  func page(_ repository: String) -> String { "\(endpoint)/\(repository)" }

  /// What lists the files of a revision.
  func listing(_ reference: HubReference) -> String {
    "\(endpoint)/api/models/\(reference.repository)/revision/"
      + "\((reference.revision ?? "main").escaped)?blobs=true"
  }

  /// A file of a commit.
  func file(_ path: String, of repository: String, at commit: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return "\(endpoint)/\(repository)/resolve/\(commit)/"
      + parts.map { String($0).escaped }.joined(separator: "/")
  }
}

extension Credentials {
  /// Adds the token for the hub that `HF_ENDPOINT` names, else `https://huggingface.co`, unless there is one for its server
  /// already.
  ///
  /// It comes from where the hub's own programs keep it: `HF_TOKEN`, `HUGGING_FACE_HUB_TOKEN`, the file of `HF_TOKEN_PATH`,
  /// else `token` in `HF_HOME`, which is `~/.cache/huggingface` unless said otherwise. Over plain http it goes to this
  /// machine alone.
  ///
  /// - Throws: `StoreError.credentials`, which names the variable or the file.
  public mutating func addHubToken(environment: [String: String]) throws(StoreError) {
    guard let address = WebAddress(ModelHub(environment: environment).endpoint),
      token(for: address.origin) == nil,
      address.scheme == "https" || address.isLoopback,
      !Self.isSet(environment["HF_HUB_DISABLE_IMPLICIT_TOKEN"]),
      let (token, place) = try Self.hubToken(environment)
    else { return }
    try add(token, for: address.origin, place: place)
  }

  private static func isSet(_ value: String?) -> Bool {
    ["1", "on", "yes", "true"].contains(value?.lowercased())
  }

  private static func hubToken(
    _ environment: [String: String]
  ) throws(StoreError) -> (token: String, place: String)? {
    for name in ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"] {
      if let token = environment[name]?.trimmed, !token.isEmpty { return (token, name) }
    }
    guard let path = tokenPath(environment), FileSystem.kind(of: path) != nil else { return nil }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileSystem.read(FileSystem.resolved(path), limit: 64 << 10)
    } catch {
      throw .credentials(place: path, reason: "it cannot be read\(remedy: "check its permissions")")
    }
    let token = String(decoding: bytes, as: UTF8.self).trimmed
    return token.isEmpty ? nil : (token, path)
  }

  private static func tokenPath(_ environment: [String: String]) -> String? {
    func value(_ name: String) -> String? {
      guard let value = environment[name], !value.isEmpty else { return nil }
      guard value == "~" || value.hasPrefix("~/") else { return value }
      return environment["HOME"].map { $0 + value.dropFirst() }
    }
    if let path = value("HF_TOKEN_PATH") { return path }
    if let folder = value("HF_HOME") { return FilePath.join(folder, "token") }
    let cache = value("XDG_CACHE_HOME") ?? environment["HOME"].map { FilePath.join($0, ".cache") }
    return cache.map { FilePath.join($0, "huggingface/token") }
  }
}
