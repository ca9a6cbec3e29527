import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite struct CredentialsTests {
  private static let canary = "canary-4711"

  @Test func readsTheFile() throws {
    let folder = try file(
      "# mine\n\nhttps://Example.com  \(Self.canary)\nhttp://127.0.0.1:81 two\n")
    let credentials = try Credentials(environment: ["XDG_CONFIG_HOME": folder.path])
    #expect(credentials.token(for: "https://example.com") == Self.canary)
    #expect(credentials.token(for: "http://127.0.0.1:81") == "two")
    for other in ["http://example.com", "https://example.com:8443", "https://www.example.com"] {
      #expect(credentials.token(for: other) == nil)
    }
    var dumped = ""
    dump(credentials, to: &dumped)
    #expect(
      "\(credentials)" == "token for http://127.0.0.1:81, token for https://example.com")
    #expect(!(dumped + String(reflecting: credentials)).contains(Self.canary))
  }

  /// A token has no blanks, and a password may have.
  @Test(arguments: ["me:pass word", "me:a:b  c", "me:gehäim", "me:", ":x"])
  func aPasswordIsTakenAsItIs(_ login: String) throws {
    let folder = try file("https://example.com \t\(login) \n")
    let credentials = try Credentials(environment: ["XDG_CONFIG_HOME": folder.path])
    #expect(credentials.token(for: "https://example.com") == login)
    #expect(
      Credentials.field(login)
        == "Authorization: Basic \(Data(login.utf8).base64EncodedString())")
  }

  @Test(arguments: [0o640, 0o604, 0o666])
  func refusesAFileThatOthersMayRead(mode: Int) throws {
    let folder = try file("https://example.com \(Self.canary)\n", mode: mode)
    let path = folder.path("fmadapter/tokens")
    #expect(
      throws: StoreError.credentials(
        place: path, reason: "others may read these tokens\(remedy: "run 'chmod 600 \(path)'")")
    ) { try Credentials(environment: ["XDG_CONFIG_HOME": folder.path]) }
  }

  @Test func aPathWithBlanksIsOneWordOfTheCommand() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("https://example.com x\n", to: "my conf/fmadapter/tokens")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(
      throws: StoreError.credentials(
        place: path,
        reason: "others may read these tokens\(remedy: "run 'chmod 600 \"\(path)\"'")")
    ) { try Credentials(environment: ["XDG_CONFIG_HOME": folder.path("my conf")]) }
  }

  @Test(
    arguments: [
      ("https://example.com", "a line is an address such as https://host and its token"),
      (
        "http://example.com \(canary)",
        "a token is sent by https only; http://example.com is something else"
      ),
      ("example.com \(canary)", "a token belongs to an address such as https://host"),
      (
        "https://example.com \(canary) x",
        "a line is an address such as https://host and its token"
      ),
      (
        "https://example.com \(canary) # for: me",
        "the token for https://example.com has characters that no token has\(remedy: "copy it once more")"
      ),
      ("https://u:p@example.com \(canary)", "a token belongs to an address such as https://host"),
      (
        "https://example.com \(canary)é",
        "the token for https://example.com has characters that no token has\(remedy: "copy it once more")"
      ),
    ] as [(String, ErrorText)])
  func namesALineThatIsWrong(line: String, reason: ErrorText) throws {
    let folder = try file("\n\(line)\n")
    let error = StoreError.credentials(
      place: folder.path("fmadapter/tokens") + ":2", reason: reason)
    #expect(throws: error) { try Credentials(environment: ["XDG_CONFIG_HOME": folder.path]) }
    #expect(!"\(error)".contains(Self.canary))
  }

  @Test(arguments: [
    ("example.com", "https://example.com"), ("example.com:8443", "https://example.com:8443"),
    ("https://example.com", "https://example.com"), ("http://localhost:9", "http://localhost:9"),
  ])
  func readsTheVariables(host: String, origin: String) throws {
    let credentials = try Credentials(environment: [
      "FMADAPTER_TOKEN": Self.canary, "FMADAPTER_TOKEN_HOST": host,
    ])
    #expect(credentials.token(for: origin) == Self.canary)
  }

  /// An address, and what the refusal of its server says is read for it.
  @Test(arguments: [
    (
      "https://models.my-host.example/f", "https://models.my-host.example", "models.my-host.example"
    ),
    ("https://Host.example:8443/f", "https://host.example:8443", "host.example:8443"),
    ("https://host.example:443/f", "https://host.example", "host.example"),
    ("http://127.0.0.1:81/f", "http://127.0.0.1:81", "http://127.0.0.1:81"),
    ("https://[::1]:9/f", "https://[::1]:9", "[::1]:9"),
  ])
  func aRefusalNamesWhatWouldBeRead(_ url: String, _ origin: String, _ host: String) throws {
    var head = ResponseHead(status: 401, url: url)
    head.tokenFile = "~/.config/fmadapter/tokens"
    let text = try #require(Self.refusal(head))
    #expect(text.problem == "\(url): the server wants to know who asks (401)")
    #expect(
      text.remedy
        == "give a token for \(origin): a line '\(origin) TOKEN' in ~/.config/fmadapter/tokens, or "
        + "FMADAPTER_TOKEN=TOKEN with FMADAPTER_TOKEN_HOST=\(host)")
    head.tokenFile = nil
    #expect(
      Self.refusal(head)?.remedy
        == "give a token for \(origin): FMADAPTER_TOKEN=TOKEN with FMADAPTER_TOKEN_HOST=\(host)")
    let read = try Credentials(environment: [
      "FMADAPTER_TOKEN": Self.canary, "FMADAPTER_TOKEN_HOST": host,
    ])
    #expect(read.token(for: try #require(WebAddress(url)?.origin)) == Self.canary)
    (head.status, head.hadToken) = (403, true)
    #expect(
      Self.refusal(head)?.description
        == "\(url): the server does not allow it (403), and does not take the token for \(origin); "
        + "check that token, or ask the server's owner")
    (head.status, head.wantsLogin) = (401, true)
    #expect(Self.refusal(head)?.remedy?.hasPrefix("give name and password for \(origin): ") == true)
    head.hadLogin = true
    #expect(
      Self.refusal(head)?.description
        == "\(url): the server wants to know who asks (401), and does not take the name and password for "
        + "\(origin); check them, or ask the server's owner")
  }

  @Test(
    arguments: [
      (["HOME": "/home/me"], "~/.config/fmadapter/tokens"),
      (["HOME": "/home/me", "XDG_CONFIG_HOME": "/etc/me"], "/etc/me/fmadapter/tokens"),
      (["HOME": "/home/me", "XDG_CONFIG_HOME": "me"], "~/.config/fmadapter/tokens"),
      (["XDG_CONFIG_HOME": "/etc/me"], "/etc/me/fmadapter/tokens"), (["HOME": "me"], nil),
      ([:], nil),
    ] as [([String: String], String?)])
  func theFileOfTokensIsNamedWhereItIs(_ environment: [String: String], _ file: String?) {
    #expect(Credentials.shownFile(environment) == file)
    #expect(TransportPolicy(environment: environment).tokenFile == file)
  }

  private static func refusal(_ head: ResponseHead) -> ErrorText? {
    do throws(AttemptFault) {
      _ = try Expectation(url: head.url).judge(head)
    } catch {
      if case .final(let failure) = error, failure.code == .network, let reason = failure.reason {
        return "\(failure.subject): \(reason)"
      }
    }
    return nil
  }

  @Test(arguments: [
    (401, "https://h/a/", false), (401, "https://h/a?sig=1", true), (401, "https://s/a", true),
    (401, "https://h/a", false), (403, "https://h/t/a", true), (403, "https://h/a", false),
  ])
  func onlyASignedAddressIsAskedForAgain(_ status: Int, _ other: String, _ isTried: Bool) {
    let fault = #expect(throws: AttemptFault.self) {
      try Expectation(url: "https://h/a").judge(ResponseHead(status: status, url: other))
    }
    let isRetry = if case .retry = fault { true } else { false }
    #expect(isRetry == isTried)
  }

  @Test func aTokenNeedsAHost() {
    #expect(
      throws: StoreError.credentials(
        place: "FMADAPTER_TOKEN",
        reason: "no host may have it"
          + "\(remedy: "set FMADAPTER_TOKEN_HOST to the one that may, such as models.my-host.example:8443")"
      )
    ) { try Credentials(environment: ["FMADAPTER_TOKEN": Self.canary]) }
  }

  private func file(_ text: String, mode: Int = 0o600) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    let path = try folder.write(text, to: "fmadapter/tokens")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return folder
  }
}
