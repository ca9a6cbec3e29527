import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct ManualPageTests {
  static let pages = ManualPage.all(root: .root, date: "November 22, 2026")

  /// Checks the syntax, and the order and spelling of mdoc.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc")))
  func mandocFindsNothingToSay() throws {
    let folder = try TemporaryDirectory()
    let written = try Tool.run(["man", "--output", folder.path("man1")]).expectSuccess()
    let files = written.text.split(separator: "\n").map(String.init)
    #expect(files.count == Self.pages.count)
    let lint = try Subprocess.run("/usr/bin/mandoc", ["-T", "lint"] + files)
    // Whether other pages are installed, and what NetBSD asks of its own pages, are questions of others.
    let lines = lint.text.split(separator: "\n").filter {
      !$0.contains("referenced manual not found") && !$0.hasSuffix("(NetBSD)")
    }
    #expect(lines.isEmpty, "\(lines.joined(separator: "\n"))")
  }

  @Test func everyOptionAndExampleIsOnItsPage() {
    for page in Self.pages {
      let source = page.source
      let sections = [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS",
        "SEE ALSO",
      ]
      for section in sections { #expect(source.contains("\n.Sh \(section)\n"), "\(page.name)") }
      guard page.command.children.isEmpty else { continue }
      for option in page.command.allOptions {
        let name = option.name.dropFirst().replacing("-", with: "\\-")
        #expect(source.contains("Fl \(name)"), "\(page.name): \(option.name)")
      }
      for example in page.command.examples {
        #expect(source.contains("\n" + Roff.literal(example.line) + "\n"), "\(page.name)")
      }
    }
  }

  /// What the sources ask of the environment, but for what shortens the waits of tests.
  @Test func everyVariableIsOnAPage() throws {
    let name =
      /"((?:FMADAPTER|XDG|HF|HUGGING_FACE|CURL|SSL|SOURCE|NO|LC)_[A-Z_]+|COLUMNS|TERM|LANG)"/
    let sources = Fixtures.repository.appendingPathComponent("Sources")
    let paths = try #require(FileManager.default.enumerator(atPath: sources.path)?.allObjects)
    let read = try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
      .flatMap { path in
        try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
          .matches(of: name).map { String($0.1) }
      }
    let told = Self.pages.map(\.source).joined()
    for name in Set(read).subtracting(["FMADAPTER_WAIT_SCALE", "NO_PROXY", "XDG_CACHE_HOME"]) {
      #expect(told.contains(" Ev \(name)"), "\(name)")
    }
  }

  @Test(arguments: [
    (".so /etc/passwd", "\\&.so /etc/passwd"), ("'br", "\\(aqbr"), ("a\\fB", "a\\efB"),
    ("--seed 1", "\\-\\-seed 1"), ("`~^\"", "\\(ga\\(ti\\(ha\\(dq"), ("…", "\\[u2026]"),
    ("\u{1b}[2J", "\\[u001B][2J"),
  ])
  func textsStayTexts(_ text: String, _ source: String) {
    #expect(Roff.literal(text) == source)
  }

  @Test func runningTextHasHyphensAndWhatIsTypedHasMinusSigns() {
    #expect(
      Roff.running("a two-bit base with --no-color") == "a two-bit base with \\-\\-no\\-color")
    #expect(
      Roff.running("send 'Cache-Control: max-age=1' to re-read")
        == "send \\(aqCache\\-Control: max\\-age=1\\(aq to re-read")
  }

  @Test func sentencesBeginLines() {
    #expect(
      Roff.paragraph("One. Two, e.g. three. .Four") == ["One.", "Two, e.g. three.", "\\&.Four"])
  }

  @Test(arguments: [("Fl", "\"\\&Fl\""), ("two words", "\"\\&two words\""), ("...", "\"\\&...\"")])
  func argumentsAreNoMacros(_ text: String, _ source: String) {
    #expect(Roff.argument(text) == source)
  }

  @Test(arguments: [
    (["man", "nosuch"], nil, "there is no command 'nosuch'"),
    (["man", "run", "-o", "x"], nil, "--output writes all pages; leave 'run' away"),
    (["man"], "soon", "SOURCE_DATE_EPOCH takes seconds since 1970, not 'soon'"),
  ])
  func mistakesAreNamed(_ words: [String], _ epoch: String?, _ message: String) throws {
    try Tool.run(words, environment: ["SOURCE_DATE_EPOCH": epoch]).expectStatus(
      2,
      error: "\(message)\nSee 'fmadapter man --help'.")
  }
}
