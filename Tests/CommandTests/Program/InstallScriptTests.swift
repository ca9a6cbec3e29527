import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// `tools/install`, with the program of the tests in place of one that is built for release.
@Suite(.waits) struct InstallScriptTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func install(
    _ arguments: String..., environment: [String: String?] = [:]
  ) throws -> ProcessResult {
    let script = Fixtures.repository.appendingPathComponent("tools/install").path
    return try Subprocess.run(
      script, ["--program", Tool.path] + arguments, environment: environment,
      directory: folder.path(""))
  }

  /// What lies below a folder of this test, with the time of its last change.
  private func content(_ path: String) throws -> [String: Date] {
    let root = folder.path(path)
    var found: [String: Date] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
      let facts = try FileManager.default.attributesOfItem(atPath: root + "/" + name)
      if facts[.type] as? FileAttributeType == .typeRegular {
        found[name] = facts[.modificationDate] as? Date
      }
    }
    return found
  }

  @Test func whatIsInstalledWorksAndGoesAgain() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("place/bin"), withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder.path("place/bin/mine")))
    let first = try install("--prefix", "place").expectSuccess()
    #expect(
      first.text.hasPrefix("Installed fmadapter \(programVersion) (")
        && first.text.contains(") below \(folder.path("place")):\n"), "\(first.text)")
    let files = try content("place")
    for name in [
      "bin/fmadapter", "share/man/man1/fmadapter-base-install.1",
      "share/bash-completion/completions/fmadapter", "share/zsh/site-functions/_fmadapter",
      "share/fish/vendor_completions.d/fmadapter.fish", "share/doc/fmadapter/LICENSE",
      "share/fmadapter-bundled/afm-9m/afm-9m.gguf",
    ] { #expect(files[name] != nil, "\(name)") }

    // A page that is installed names no file that is not.
    for page in files.keys where page.hasSuffix("README.md") {
      let text = try String(contentsOfFile: folder.path("place/" + page), encoding: .utf8)
      let named = text.matches(of: /[\w\/-]+\.(?:md|json|svg|csv|py|jsonl|gguf)\b/).map(\.output)
      for name in named {
        #expect(files.keys.contains { $0.hasSuffix("/" + name) }, "\(page): \(name)")
      }
      #expect(text.contains("# Commands") && !text.contains("tools/"))
    }

    let program = folder.path("place/bin/fmadapter")
    let store = ["FMADAPTER_HOME": folder.path("store")]
    let base = try Subprocess.run(program, ["base", "install", "afm-9m"], environment: store)
      .expectSuccess()
    let bundled = folder.path("place/share/fmadapter-bundled")
    #expect(
      base.errorText.hasPrefix("afm-9m comes with the program: \(bundled)/afm-9m/afm-9m.gguf\n"))
    try Subprocess.run(program, ["install", "tagging"], environment: store)
      .expectSuccess(
        saying: "tagging comes with the program: \(bundled)/afm-9m/tagging.fmadapter\n")
    try Subprocess.run(program, ["install", "nosuch"], environment: store).expectStatus(3)

    // A second time nothing is written.
    try install("--prefix", "place").expectSuccess()
    #expect(try content("place") == files)

    try install("--uninstall", "--prefix", "place").expectSuccess()
    #expect(try content("place").keys.sorted() == ["bin/mine"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("place")) == ["bin"])
    let again = try install("--uninstall", "--prefix", "place")
    #expect(again.errorText == "Nothing of fmadapter is installed below \(folder.path("place")).\n")
  }

  @Test func whatAnOlderVersionHadGoesAndTheStagingFolderComesBeforeThePrefix() throws {
    let environment = ["DESTDIR": folder.path("stage")]
    try install("--prefix", "/usr", environment: environment).expectSuccess()
    let list = folder.path("stage/usr/share/fmadapter-bundled/installed-files")
    let old = folder.path("stage/usr/share/man/man1/fmadapter-old.1")
    try Data().write(to: URL(fileURLWithPath: old))
    let lines = try String(contentsOfFile: list, encoding: .utf8)
    try (lines + "share/man/man1/fmadapter-old.1\n").write(
      toFile: list, atomically: true, encoding: .utf8)
    try install("--prefix", "/usr", environment: environment).expectSuccess()
    #expect(!FileManager.default.fileExists(atPath: old))
    #expect(try String(contentsOfFile: list, encoding: .utf8) == lines)
  }

  @Test func aListThatLeavesThePrefixIsRefused() throws {
    let list = "place/share/fmadapter-bundled/installed-files"
    let file = URL(fileURLWithPath: folder.path(list))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("../precious\n".utf8).write(to: file)
    try Data().write(to: URL(fileURLWithPath: folder.path("precious")))
    try install("--uninstall", "--prefix", "place").expectStatus(1)
    #expect(FileManager.default.fileExists(atPath: folder.path("precious")))
  }

  @Test(arguments: [["--prefix"], ["--frobnicate"], ["--prefix", ""]])
  func mistakesShowTheUsage(_ words: [String]) throws {
    let script = Fixtures.repository.appendingPathComponent("tools/install").path
    let result = try Subprocess.run(script, words).expectStatus(2)
    #expect(result.errorText.hasPrefix("Usage: tools/install [--prefix DIR]"))
  }

  /// As a kill ends it, a file in the way does; services and cloud-init have no HOME.
  @Test func whatEndedMidwayGoesAgainAndIsGoneOnWith() throws {
    func run(_ first: String...) throws -> ProcessResult {
      let script = Fixtures.repository.appendingPathComponent("tools/install").path
      return try Subprocess.run(
        script, ["--program", Tool.path] + first + ["--prefix", "a place"],
        environment: ["HOME": nil], directory: folder.path(""))
    }
    try folder.write("mine", to: "a place/share/zsh")
    try run().expectStatus(1)
    #expect(try content("a place")["bin/fmadapter"] != nil)
    try run("--uninstall").expectSuccess()
    #expect(try content("a place").keys.sorted() == ["share/zsh"])
    try run().expectStatus(1)
    try FileManager.default.removeItem(atPath: folder.path("a place/share/zsh"))
    let whole = try run().expectSuccess()
    let functions = folder.path("a place/share/zsh/site-functions")
    #expect(whole.text.contains("fpath=(\"\(functions)\" $fpath)\n"), "\(whole.text)")
    try run("--uninstall").expectSuccess()
    #expect(try content("a place").isEmpty)
  }

  @Test func aPlaceThatCannotBeIsSaidBeforeAnythingIsBuilt() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path("file")))
    let result = try install("--prefix", "file/below").expectStatus(1)
    #expect(
      result.errorText == """
        tools/install: \(folder.path("file")) cannot be written to.
        Give --prefix with a folder of yours, such as ~/.local, or run this with sudo.

        """)
  }
}
