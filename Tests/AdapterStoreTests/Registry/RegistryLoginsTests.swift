import Foundation
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct RegistryLoginsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func logins(
    _ variables: [String: String] = [:], token: (String, String)? = nil,
    helper: @escaping RegistryLogins.Helper = { _, _ in nil }
  ) throws -> RegistryLogins {
    var credentials = Credentials()
    if let (origin, token) = token {
      try credentials.add(token, for: origin, place: "a test")
    }
    return RegistryLogins(
      environment: ["HOME": folder.path].merging(variables) { $1 }, credentials: credentials,
      helper: helper)
  }

  private static func auth(_ user: String) -> String {
    #"{"auth": "\#(Data("\(user):s3cret".utf8).base64EncodedString())"}"#
  }

  /// The user who is known to `host`.
  private func user(
    _ logins: RegistryLogins, _ host: String = "host", _ repository: String = "a/b"
  ) throws -> String? {
    switch try logins.login(origin: "https://" + host, repository: repository)?.login {
    case .password(let user, "s3cret"): user
    case .identity(let token): "identity " + token
    case .bearer(let token): "bearer " + token
    default: nil
    }
  }

  @Test func eachPlaceIsLookedAt() throws {
    let docker = #"{"auths": {"host": \#(Self.auth("docker"))}}"#
    try folder.write(docker, to: ".docker/config.json")
    #expect(try user(logins()) == "docker")
    try folder.write(#"{"auths": {"host": \#(Self.auth("other"))}}"#, to: "d/config.json")
    #expect(try user(logins(["DOCKER_CONFIG": folder.path("d")])) == "other")
    let config = #"{"auths": {"host": \#(Self.auth("config"))}}"#
    try folder.write(config, to: ".config/containers/auth.json")
    #expect(try user(logins()) == "config")
    let run = #"{"auths": {"host": \#(Self.auth("run"))}}"#
    try folder.write(run, to: "run/containers/auth.json")
    #expect(try user(logins(["XDG_RUNTIME_DIR": folder.path("run")])) == "run")
    // One that is named is the only one.
    let named = try folder.write("{}", to: "named.json")
    #expect(try user(logins(["REGISTRY_AUTH_FILE": named])) == nil)
    #expect(try user(logins(token: ("https://host", "typed:s3cret"))) == "typed")
    #expect(try user(logins(token: ("https://host", "t0ken"))) == "bearer t0ken")
    #expect(try user(logins(token: ("https://other", "t0ken"))) == "config")
  }

  @Test(
    arguments: [
      (#"{"auths": {"https://host/v1/": \#(auth("v1"))}}"#, "host", "v1"),
      (#"{"auths": {"host": \#(auth("all")), "host/a": \#(auth("some"))}}"#, "host", "some"),
      (#"{"auths": {"host": \#(auth("all")), "host/b": \#(auth("some"))}}"#, "host", "all"),
      (#"{"auths": {"host:5000": \#(auth("port"))}}"#, "host:5000", "port"),
      (#"{"auths": {"host:5000": \#(auth("port"))}}"#, "host", nil),
      (
        #"{"auths": {"https://index.docker.io/v1/": \#(auth("hub"))}}"#, "registry-1.docker.io",
        "hub"
      ),
      (
        #"{"auths": {"host": {"identitytoken": "i", "auth": "PHRva2VuPjo="}}}"#, "host",
        "identity i"
      ),
      (#"{"auths": {"host": {"registrytoken": "r"}}}"#, "host", "bearer r"),
      (#"{"auths": {"host": {"auth": "!"}, "x": 3}}"#, "host", nil),
      (#"{"auths": {"host": {}}}"#, "host", nil),
      (#"{"auths": []}"#, "host", nil),
    ] as [(String, String, String?)])
  func entriesAreRead(_ text: String, _ host: String, _ expected: String?) throws {
    try folder.write(text, to: ".docker/config.json")
    #expect(try user(logins(), host) == expected)
  }

  @Test func helpersGoBeforeWhatIsWritten() throws {
    let helper: RegistryLogins.Helper = { name, server in
      guard server == "host" else { return nil }
      return Array(#"{"Username": "\#(name)", "Secret": "s3cret"}"#.utf8)
    }
    let auths = #""auths": {"host": \#(Self.auth("written"))}"#
    try folder.write(#"{"credsStore": "store", \#(auths)}"#, to: ".docker/config.json")
    #expect(try user(logins(helper: helper)) == "store")
    #expect(try user(logins()) == "written")
    try folder.write(
      #"{"credsStore": "store", "credHelpers": {"host": "own"}, \#(auths)}"#,
      to: ".docker/config.json")
    #expect(try user(logins(helper: helper)) == "own")
    // Its own helper is the only one for a registry.
    #expect(try user(logins()) == nil)
    try folder.write(#"{"credHelpers": {"host": "../own"}}"#, to: ".docker/config.json")
    #expect(try user(logins(helper: helper)) == nil)
  }

  @Test func aBrokenFileIsNamedWithoutWhatIsInIt() throws {
    let path = try folder.write("{\"auths\":\n{\"host\": s3cret", to: ".docker/config.json")
    let error = #expect(throws: StoreError.self) { try user(logins()) }
    #expect(error?.description == "\(path): line 2 is not JSON; correct it, or log in anew")
  }

  @Test func nothingOfItIsShown() throws {
    let logins = try logins(token: ("https://host", "me:s3cret"))
    var text = "\(logins)"
    dump(logins, to: &text)
    #expect(!text.contains("s3cret"))
  }
}
