import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// The published base gives what others make of it: `tools/fixtures/make_published_fixtures.py`.
@Suite(.waits, .onThePublishedBase) struct PublishedBaseTests {
  struct Expected: Decodable, Sendable {
    let tokens: [Tokens]
    let sentence: [Int]
    let logits: [Logits]
    let answers: [Answer]

    struct Tokens: Decodable, Sendable, CustomTestStringConvertible {
      let text: String
      let tokens: [Int]
      var testDescription: String { text }
    }
    /// The highest logits after one of the last tokens of the sentence, and the mean of all.
    struct Logits: Decodable, Sendable {
      let tokens: [Int]
      let values: [Double]
      let mean: Double
    }
    struct Answer: Decodable, Sendable, CustomTestStringConvertible {
      let prompt, answer: String
      let limit: Int
      var testDescription: String { prompt }
    }
  }

  static let expected: Expected = {
    let bytes = try? Fixtures.bytes("CommandTests", "published/smollm2-135m.json")
    let expected = bytes.flatMap { try? JSONDecoder().decode(Expected.self, from: Data($0)) }
    guard let expected else { preconditionFailure("the fixture is broken") }
    return expected
  }()

  private let path: String

  init() throws { path = try #require(PublishedBase.path) }

  @Test func itIsTheFile() throws {
    #expect(try SHA256.hex(ofFile: path) == PublishedBase.model.file?.sha256)
  }

  @Test(arguments: expected.tokens) func textsHaveItsTokens(_ expected: Expected.Tokens) throws {
    let result = try Tool.run(["tokenize", "--base", path, "--json"], input: expected.text)
    #expect(try result.object()["tokens"] as? [Int] == expected.tokens)
  }

  /// Products of rounded values differ in the tenths, as far as logits of up to 30 do.
  @Test func logitsAreThoseOfTheExactWeights() throws {
    let expected = Self.expected
    let tokens = expected.sentence.map(String.init).joined(separator: ",")
    let result = try Tool.run(
      "logits", "--base", path, "--tokens", tokens, "--last", "\(expected.logits.count)", "--json")
    let rows = try #require(try result.object()["logits"] as? [[Double]])
    #expect(rows.count == expected.logits.count)
    for (row, expected) in zip(rows, expected.logits) {
      let (highest, tolerance) = (expected.values[0], 0.6)
      let first = try #require(row.indices.max { row[$0] < row[$1] })
      let near = zip(expected.tokens, expected.values).filter { highest - $0.1 < tolerance }
      #expect(near.map(\.0).contains(first))
      for (token, value) in zip(expected.tokens, expected.values) {
        #expect(abs(row[token] - value) < tolerance, "token \(token): \(row[token]), not \(value)")
      }
      #expect(abs(row.reduce(0, +) / Double(row.count) - expected.mean) < tolerance)
    }
  }

  @Test(arguments: expected.answers)
  func answersAreThoseOfTheExactWeights(_ expected: Expected.Answer) throws {
    let result = try Tool.run(
      "run", "--base", path, "--no-adapter", "--temperature", "0", "-n", "\(expected.limit)",
      expected.prompt)
    #expect(result.expectSuccess().text == expected.answer + "\n")
  }

  /// Asked on a terminal, from the cache, to the answer.
  @Test func whoHasNoBaseGetsIt() throws {
    let folder = try TemporaryDirectory()
    let terminal = try PseudoTerminal(
      ["run", "-t", "0", Self.expected.answers[0].prompt],
      environment: [
        "FMADAPTER_HOME": folder.path("store"),
        "XDG_CACHE_HOME": try PublishedBase.cache(in: folder),
      ])
    try terminal.type("y\n", after: "install it (98.4 MB, Apache-2.0)? [y/N]")
    #expect(terminal.wait(for: Self.expected.answers[0].answer), "\(terminal.screen)")
    #expect(terminal.finish() == 0)
    let list = try Tool.run("base", "list", "--json", store: folder).objects()
    #expect(list.map { $0["name"] as? String } == [PublishedBase.model.shortName])
  }

  /// The same file, whichever way it came, is the same base.
  @Test func theNameIsThatOfTheFileWhereverItLies() throws {
    let folder = try TemporaryDirectory()
    let name = PublishedBase.model.shortName
    try Tool.run(
      "base", "install", "SmolLM2-135M", "--from", path, "--link", store: folder
    ).expectSuccess(saying: "installed \(name) (llama, 98.4 MB)")
    try Tool.run("base", "install", path, store: folder).expectSuccess(
      saying: "is installed already")
    try Tool.run("run", "--base", name, "--no-adapter", "-n", "1", "Hi there", store: folder)
      .expectSuccess()
  }
}

/// Pages that begin with the published base, and its examples in the help.
@Suite(.waits, .onThePublishedBase) struct PublishedPageTests {
  @Test(
    .withPublishedAdapters,
    arguments: Documentation.pages.filter { Workplace.Kind(of: $0) == .published })
  func shownCommandsDoWhatThePageSays(page: Documentation.Page) throws {
    try Workplace(.published).runAll(of: page)
  }

  @Test func theDemoInTheREADMEIsWhatTheProgramSays() throws {
    let page = try #require(Documentation.page("README.md"))
    let shown = try #require(Documentation.marked("demo", in: page))
    let place = try Workplace(.published)
    var said: [String] = ["```"]
    for line in shown where line.hasPrefix("$ ") {
      let result = try place.run("\(line.dropFirst(2)) 2>&1 | fold -s -w 80")
      if said.count > 1 { said.append("") }
      said += [line] + result.text.components(separatedBy: "\n").dropLast().filter(Self.stays)
    }
    said.append("```")
    #expect(said.count > 5)
    #expect(said.map(Self.untimed) == shown.map(Self.untimed), "tools/demo --write shows it anew")
  }

  /// The line without what depends on the machine's speed.
  private static func untimed(_ line: String) -> String {
    line.contains(", first after ") ? String(line.prefix { $0 != "," }) : line
  }

  /// Whether the line is no progress, which is shown only where the machine is busy.
  private static func stays(_ line: String) -> Bool { !line.contains(" %") }

  @Test(arguments: ExampleTests.all.filter { $0.line.contains(PublishedBase.model.shortName) })
  func anExampleDoesWhatItSays(_ example: ExampleTests.Case) throws {
    let folder = try TemporaryDirectory()
    let cache = try PublishedBase.cache(in: folder)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("Downloads"), withDestinationPath: cache)
    let program = FilePath.parent(of: Tool.path)
    let result = try Subprocess.run(
      "/bin/bash", ["-c", example.line],
      environment: [
        "FMADAPTER_HOME": folder.path("store"), "XDG_CACHE_HOME": cache,
        "PATH": program + ":/usr/bin:/bin",
      ], directory: folder.path)
    result.expectSuccess()
  }
}
