import Foundation
import TestSupport
import Testing

/// `tools/setup-swift`, with a server on this machine and an installer that is formed like swift.org's.
@Suite(.waits) struct SetupSwiftTests {
  /// Keys made once: two that sign, and one whose time is over.
  private static let keys = Result { try SigningKeys() }

  let folder: TemporaryDirectory
  let server: StaticServer
  private let keys: SigningKeys
  private let archive: String

  init() throws {
    folder = try TemporaryDirectory()
    keys = try Self.keys.get()
    let machine = try Subprocess.run("/bin/uname", ["-m"]).text.trimmingCharacters(in: .newlines)
    archive = "www/swiftly-\(machine).tar.gz"
    try folder.write(Self.installer, to: "made/swiftly")
    try folder.write("Not the program", to: "made/LICENSE.txt")
    try folder.write(keys.published, to: "www/all-keys.asc")
    for name in ["home", "tmp"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
    }
    server = try StaticServer(root: folder.path("www"))
    try pack(["swiftly", "LICENSE.txt"])
    try keys.sign(folder.path(archive), by: "swift")
  }

  /// Takes the options that swiftly has, and no others; a toolchain is a script that says its version.
  private static let installer = """
    #!/bin/bash
    set -eu
    bin=$HOME/.local/share/swiftly/bin
    echo "swiftly $*"
    case "$*" in
      "init --assume-yes --skip-install --no-modify-profile --quiet-shell-followup")
        mkdir -p "$bin"
        cp "$0" "$bin/swiftly" ;;
      "install "[0-9]*" --assume-yes --post-install-file "*)
        folder=$HOME/.local/share/swiftly/toolchains/$2/usr/bin
        mkdir -p "$folder"
        printf '#!/bin/sh\\necho "Swift version %s"\\n' "$2" >"$folder/swift"
        chmod +x "$folder/swift" ;;
      *) exit 64 ;;
    esac
    """

  private func pack(_ files: [String]) throws {
    _ = try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.path("made/swiftly"))
    try Subprocess.run(
      "/bin/tar", ["-czf", folder.path(archive), "-C", folder.path("made")] + files
    ).expectSuccess()
  }

  /// What tools/setup has around it, on a machine that lacks nothing but Swift.
  private static let script = """
    set -euo pipefail
    setup_fail() { printf '%s\\n' "$@" >&2; exit 1; }
    setup_install() { setup_fail "missing: $*"; }
    setup_has_certificates() { true; }
    . "$1"
    setup_install_swift
    swift --version
    """

  private var words: [String] {
    [
      "-c", Self.script, "bash",
      Fixtures.repository.appendingPathComponent("tools/setup-swift").path,
    ]
  }

  private var environment: [String: String] {
    [
      "HOME": folder.path("home"), "TMPDIR": folder.path("tmp"), "PATH": "/usr/bin:/bin",
      "FMADAPTER_SWIFTLY_SERVER": server.origin, "FMADAPTER_SWIFT_VERSION": "6.9.9",
      "FMADAPTER_SWIFT_KEYS": server.url("all-keys.asc"),
    ]
  }

  private func setUp(_ changes: [String: String] = [:]) throws -> ProcessResult {
    let all = environment.merging(["FMADAPTER_INSTALL_SWIFT": "yes"]) { $1 }.merging(changes) { $1 }
    let result = try Subprocess.run("/bin/bash", words, environment: all.mapValues { $0 })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("tmp")).isEmpty)
    return result
  }

  private func expectNothingInstalled(_ result: ProcessResult, _ message: String) throws {
    result.expectStatus(1)
    #expect(result.errorText.contains(message), "\(result.errorText)")
    #expect(result.text.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("home")).isEmpty)
  }

  private var file: String { String(archive.dropFirst(4)) }
  private var unsigned: String {
    """
    tools/setup: \(file) is not signed by Swift's keys; nothing was installed.
    What came from \(server.origin) may be damaged or forged. Try again, or install Swift from swift.org/install/linux.
    """
  }

  @Test func aSignedInstallerInstallsSwift() throws {
    let result = try setUp().expectSuccess()
    #expect(result.text == "Swift version 6.9.9\n")
    // A second time nothing is fetched: swiftly is there.
    let again = try setUp(["FMADAPTER_SWIFTLY_SERVER": "https://127.0.0.1:1"])
    #expect(again.text == "Swift version 6.9.9\n", "\(again.errorText)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("home")) == [".local"])
  }

  @Test func aFlippedBitIsNotInstalled() throws {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(archive))))
    bytes[bytes.count / 2] ^= 1
    try folder.write(bytes, to: archive)
    try expectNothingInstalled(try setUp(), unsigned)
  }

  @Test(arguments: ["stranger", "expired"])
  func aKeyThatDoesNotCountSignsNothing(_ name: String) throws {
    try keys.sign(folder.path(archive), by: name)
    try expectNothingInstalled(try setUp(), unsigned)
  }

  @Test func aLoginPageIsNoSignatureAndNoKey() throws {
    try folder.write("<html>log in</html>", to: archive + ".sig")
    try expectNothingInstalled(try setUp(), unsigned)
    try folder.write("<html>log in</html>", to: "www/all-keys.asc")
    try expectNothingInstalled(
      try setUp(), "tools/setup: the file of Swift's keys has none; nothing was installed.")
  }

  @Test func whatIsMissingIsNamed() throws {
    try FileManager.default.removeItem(atPath: folder.path(archive + ".sig"))
    try expectNothingInstalled(
      try setUp(), "tools/setup: cannot fetch \(server.origin)/\(file).sig\nIs there a network?")
  }

  @Test func withoutANetworkItSaysSo() throws {
    try expectNothingInstalled(
      try setUp(["FMADAPTER_SWIFTLY_SERVER": "http://127.0.0.1:1"]),
      "tools/setup: cannot fetch http://127.0.0.1:1/\(file)\nIs there a network?")
  }

  @Test func plainHTTPIsForThisMachine() throws {
    try expectNothingInstalled(
      try setUp(["FMADAPTER_SWIFTLY_SERVER": "http://127.0.0.1.example"]), "Protocol")
  }

  @Test func aSignedArchiveOfSomethingElseIsRefused() throws {
    try pack(["LICENSE.txt"])
    try keys.sign(folder.path(archive), by: "swift")
    try expectNothingInstalled(
      try setUp(), "tools/setup: \(file) has no swiftly in it; nothing was installed.")
  }

  @Test func withoutATerminalNothingIsInstalledUnasked() throws {
    let message = """
      tools/setup: Swift 6.2 or later is needed, and neither PATH nor /opt/swift/usr/bin has it.
      Set FMADAPTER_INSTALL_SWIFT=yes to have it installed with swift.org's installer, or install it from
      swift.org/install/linux, put its usr/bin into PATH and run this again.

      """
    for answer in ["", "no"] {
      let result = try setUp(["FMADAPTER_INSTALL_SWIFT": answer])
      try expectNothingInstalled(result, message)
      #expect(result.errorText == message)
    }
  }

  @Test(arguments: [("y\n", 0), ("n\n", 1), ("\n", 1)])
  func onATerminalItAsksFirst(_ answer: String, _ status: Int32) throws {
    let terminal = try PseudoTerminal(words, program: "/bin/bash", environment: environment)
    #expect(terminal.wait(for: "Install it now? [y/N] "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("home")).isEmpty)
    try terminal.type(answer)
    #expect(terminal.finish() == status, "\(terminal.screen)")
    #expect(terminal.screen.contains("Swift version 6.9.9") == (status == 0))
  }
}

/// OpenPGP keys in a folder of their own, and the file of those that are published.
private final class SigningKeys: Sendable {
  private let folder: TemporaryDirectory
  let published: String

  init() throws {
    folder = try TemporaryDirectory()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: folder.path)
    for name in ["swift", "stranger"] { _ = try Self.gpg(folder, Self.making(name, "never")) }
    _ = try Self.gpg(
      folder, ["--faked-system-time", "20200101T000000"] + Self.making("expired", "1y"))
    published = try Self.gpg(
      folder, ["--armor", "--export", "swift@example.org", "expired@example.org"])
  }

  deinit {
    _ = try? Subprocess.run("/usr/bin/gpgconf", ["--homedir", folder.path, "--kill", "all"])
  }

  /// Writes `path.sig`.
  func sign(_ path: String, by name: String) throws {
    let time = name == "expired" ? ["--faked-system-time", "20200601T000000"] : []
    _ = try Self.gpg(
      folder,
      time + ["--yes", "--local-user", "\(name)@example.org", "--output", path + ".sig"]
        + ["--detach-sign", path])
  }

  private static func making(_ name: String, _ validity: String) -> [String] {
    ["--quick-gen-key", "\(name) <\(name)@example.org>", "ed25519", "sign", validity]
  }

  private static func gpg(_ folder: TemporaryDirectory, _ words: [String]) throws -> String {
    return try Subprocess.run(
      "/usr/bin/gpg", ["--homedir", folder.path, "--batch", "--quiet", "--passphrase", ""] + words
    ).expectSuccess().text
  }
}
