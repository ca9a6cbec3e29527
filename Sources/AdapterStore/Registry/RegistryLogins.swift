import FoundationEssentials
import JSON
import SystemFiles

/// How somebody is known to a registry; in no text.
enum RegistryLogin: Sendable, Equatable {
  case password(user: String, secret: String)
  /// What a token is asked for with (OAuth 2).
  case identity(String)
  /// A token itself.
  case bearer(String)

  /// The value of `Authorization`; nil where a token has to be asked for first.
  var authorization: String? {
    switch self {
    case .password(let user, let secret):
      "Basic " + Data("\(user):\(secret)".utf8).base64EncodedString()
    case .bearer(let token): "Bearer \(token)"
    case .identity: nil
    }
  }
}

/// Logins for registries, from where Docker and Podman keep them.
///
/// The file of `REGISTRY_AUTH_FILE` alone where that is set, else the first of `$XDG_RUNTIME_DIR/containers/auth.json`,
/// `$XDG_CONFIG_HOME/containers/auth.json` (`~/.config` unless set) and `$DOCKER_CONFIG/config.json` (`~/.docker` unless set)
/// that has one for the registry, itself or with a helper; a token that was given for the registry's origin goes before.
struct RegistryLogins: Sendable {
  /// Asks the program `docker-credential-NAME` for what it has of a server: what it prints; nil where it has nothing, or is not
  /// there.
  typealias Helper = @Sendable (_ name: String, _ server: String) -> [UInt8]?

  let environment: [String: String]
  let credentials: Credentials
  let helper: Helper

  /// A login, and where it is from, for texts.
  struct Found: Sendable, Equatable {
    var login: RegistryLogin
    var place: String
  }

  /// The login for the repository of the registry at `origin`; nil where there is none.
  ///
  /// - Throws: `StoreError.credentials` for a file that cannot be read.
  func login(origin: String, repository: String) throws(StoreError) -> Found? {
    if let token = credentials.token(for: origin) {
      let parts = token.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let login: RegistryLogin =
        parts.count == 2
        ? .password(user: String(parts[0]), secret: String(parts[1])) : .bearer(token)
      return Found(login: login, place: "the token for \(origin)")
    }
    guard let start = origin.firstRange(of: "://")?.upperBound else { return nil }
    let host = String(origin[start...])
    for path in paths where FileSystem.exists(following: path) {
      if let found = try login(in: path, host: host, repository: repository) { return found }
    }
    return nil
  }

  private var paths: [String] {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let path = value("REGISTRY_AUTH_FILE") { return [path] }
    let home = value("HOME")
    let config = value("XDG_CONFIG_HOME") ?? home.map { FilePath.join($0, ".config") }
    let docker = value("DOCKER_CONFIG") ?? home.map { FilePath.join($0, ".docker") }
    let podman = [value("XDG_RUNTIME_DIR"), config].compactMap { $0 }.map {
      FilePath.join($0, "containers/auth.json")
    }
    return podman + (docker.map { [FilePath.join($0, "config.json")] } ?? [])
  }

  private func login(
    in path: String, host: String, repository: String
  ) throws(StoreError) -> Found? {
    let root: JSONObject
    do {
      let bytes = try FileSystem.read(FileSystem.resolved(path), limit: 4 << 20)
      guard let object = try JSONDocument(parsing: bytes, limit: 4 << 20).root.object else {
        throw StoreError.credentials(place: path, reason: "it is no JSON object")
      }
      root = object
    } catch let error as StoreError {
      throw error
    } catch let error as JSONError {
      // What it says may quote a secret.
      throw .credentials(
        place: path,
        reason: "line \(error.line) is not JSON\(remedy: "correct it, or log in anew")")
    } catch {
      throw .credentials(place: path, reason: "it cannot be read\(remedy: "check its permissions")")
    }
    let names = Self.names(host)
    if let name = names.lazy.compactMap({ root["credHelpers"]?.object?[$0]?.string }).first {
      return ask(name, names, path)
    }
    if let name = root["credsStore"]?.string, !name.isEmpty, let found = ask(name, names, path) {
      return found
    }
    return Self.entry(root, names, repository).map { Found(login: $0, place: path) }
  }

  /// What the registry may be called in a file; Docker's hub is called by an address that has long been another one.
  private static func names(_ host: String) -> [String] {
    ["registry-1.docker.io", "index.docker.io", "docker.io"].contains(host)
      ? ["https://index.docker.io/v1/", "index.docker.io", "docker.io", "registry-1.docker.io"]
      : [host]
  }

  private func ask(_ name: String, _ servers: [String], _ path: String) -> Found? {
    guard name.wholeMatch(of: /[A-Za-z0-9._\-]{1,64}/) != nil else { return nil }
    for server in servers {
      guard let bytes = helper(name, server),
        let object = try? JSONDocument(parsing: bytes, limit: 1 << 20).root.object,
        let secret = object["Secret"]?.string, !secret.isEmpty
      else { continue }
      let user = object["Username"]?.string ?? ""
      let login: RegistryLogin =
        user == "<token>" ? .identity(secret) : .password(user: user, secret: secret)
      return Found(login: login, place: "docker-credential-\(name), which \(path) names")
    }
    return nil
  }

  /// The entry of the longest path that the repository is in, as Podman keeps them, else that of the registry.
  private static func entry(
    _ root: JSONObject, _ names: [String], _ repository: String
  ) -> RegistryLogin? {
    guard let entries = root["auths"]?.object else { return nil }
    let known = Dictionary(
      entries.members.map { (plain($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    for name in names.map(plain) {
      var path = name + "/" + repository
      while true {
        if let login = known[path]?.object.flatMap(login) { return login }
        guard path != name, let slash = path.lastIndex(of: "/") else { break }
        path = String(path[..<slash])
      }
    }
    return nil
  }

  /// A key of a file without what programs have written around the host.
  private static func plain(_ key: String) -> String {
    var key = key.firstRange(of: "://").map { String(key[$0.upperBound...]) } ?? key
    if key.hasSuffix("/") { key.removeLast() }
    for ending in ["/v1", "/v2"] where key.hasSuffix(ending) { key.removeLast(3) }
    return key
  }

  private static func login(_ entry: JSONObject) -> RegistryLogin? {
    if let token = entry["identitytoken"]?.string, !token.isEmpty { return .identity(token) }
    if let token = entry["registrytoken"]?.string, !token.isEmpty { return .bearer(token) }
    guard let data = entry["auth"]?.string.flatMap({ Data(base64Encoded: $0) }),
      let text = String(validating: Array(data), as: UTF8.self)
    else { return nil }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    // Some programs end it with zeros.
    let secret = String(parts[1].prefix { $0 != "\0" })
    return .password(user: String(parts[0]), secret: secret)
  }
}

extension RegistryLogins: CustomStringConvertible, CustomReflectable {
  /// Nothing of what it knows.
  var description: String { "logins" }

  /// Nothing, so that `dump` shows nothing.
  var customMirror: Mirror { Mirror(self, children: []) }
}
