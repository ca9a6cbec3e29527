import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite struct LineHistoryTests {
  @Test(
    arguments: [
      (["FMADAPTER_HISTORY": "/a", "HOME": "/c"], "/a"),
      (["FMADAPTER_HISTORY": "", "HOME": "/c"], nil),
      (["XDG_STATE_HOME": "/b", "HOME": "/c"], "/b/fmadapter/history"),
      (["XDG_STATE_HOME": "b", "HOME": "/c"], "/c/.local/state/fmadapter/history"), ([:], nil),
    ] as [([String: String], String?)])
  func standsWhereStateDoes(_ environment: [String: String], _ path: String?) {
    #expect(LineHistory.path(environment) == path)
  }

  @Test func linesComeBackAsTheyWere() throws {
    let folder = try TemporaryDirectory()
    let environment = ["XDG_STATE_HOME": folder.path("state")]
    let lines = ["one", "two\nlines", #"a \n and \\"#, "é 語"]
    var history = LineHistory(environment: environment)
    for line in lines + ["é 語", "", "  "] { history.add(line) }
    #expect(history.lines == lines)
    #expect(LineHistory(environment: environment).lines == lines)
    let path = folder.path("state/fmadapter/history")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let place = try FileManager.default.attributesOfItem(atPath: folder.path("state/fmadapter"))
    #expect(place[.posixPermissions] as? Int == 0o700)
  }

  @Test(arguments: [
    " hidden", "get https://me:secret@host/x", "https://host/x?X-Amz-Signature=abcdef0123456789",
    "my key is sk-0123456789abcdef0", "hf_0123456789abcdefg",
    "AKIAIOSFODNN7EXAMPLE", "is (AKIAIOSFODNN7EXAMPLE) mine?", "password=hunter2hunter2",
    "password=correcthorse", "my password: hunter22", "api_key=abcdef0123456789",
    #"{"apiKey": "abcdef0123456789"}"#, "xoxb-123456789012-abcdefghijkl",
    "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "export X_SECRET=abcdefgh", "github_token: 0123456789abcdef",
    "-----BEGIN PRIVATE KEY-----", "so:\n-----BEGIN RSA PRIVATE KEY-----\nMIIE",
    "Authorization: Bearer abcdefghijklmnop",
  ])
  func whatLooksLikeACredentialIsNotKept(_ line: String) {
    var history = LineHistory()
    history.add(line)
    #expect(history.lines.isEmpty)
  }

  @Test(arguments: [
    "what is a password?", "The password: what makes a good one?", "explain password=",
    "Is sk-learn-contributions a package?", "sorted(names, key=operator.itemgetter(1))",
    "password = getpass.getpass()", "set max_tokens=1024000", "exit code: 1234567",
    "export X_SECRET=$(cat secret.txt)", "a token: one of many words", "api_key=<yours here>",
    "the bearer of bad news that nobody wants to hear", "https://host/page?id=7",
    "What does -----BEGIN CERTIFICATE----- mean?", "a secret that nobody knows: nobody",
  ])
  func ordinarySentencesAreKept(_ line: String) {
    var history = LineHistory()
    history.add(line)
    #expect(history.lines == [line])
  }

  @Test func theFileStaysShort() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("history")
    let text = (1...2 * LineHistory.limit + 1).map { "line \($0)\n" }.joined()
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let history = LineHistory(environment: ["FMADAPTER_HISTORY": path])
    #expect(history.lines.count == LineHistory.limit && history.lines.last == "line 2001")
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(kept.split(separator: "\n").count == LineHistory.limit)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
  }
}
