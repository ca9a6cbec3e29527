import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// Code that pages show: Swift is compiled by the tests, and command lines are understood and, where a page says so, run.
@Suite(.waits) struct SnippetTests {
  static let swift = Documentation.pages.flatMap(\.blocks).filter { $0.language == "swift" }

  @Test func everySwiftSnippetIsCompiled() {
    #expect(Self.swift.count > 10)
    for block in Self.swift {
      if let note = block.note, note.hasPrefix("not compiled: ") { continue }
      let isCompiled = Documentation.compiledCode.contains {
        ("\n" + $0).contains("\n" + block.text + "\n")
      }
      #expect(
        isCompiled,
        "\(block.place): this stands in no test source between '// docs:begin' and '// docs:end'")
    }
  }

  @Test func everyCodeBlockSaysItsLanguage() {
    for block in Documentation.pages.filter(\.isInCatalog).flatMap(\.blocks)
    where block.language.isEmpty {
      #expect(block.lines.first?.hasPrefix("$ ") == true, "\(block.place): write ```sh or ```swift")
    }
  }

  @Test func everyCommandIsUnderstood() {
    let commands = Documentation.pages.flatMap(Self.commands)
    #expect(commands.count > 60)
    for (place, line) in commands {
      let end = line.range(of: " #")?.lowerBound ?? line.endIndex
      #expect(throws: Never.self, "\(place): \(line)") {
        _ = try ArgumentParser(root: .root).parse(HelpTextTests.words(of: String(line[..<end])))
      }
    }
  }

  /// Lines of code that call the program, whatever they call it by and set before it; a line that ends in `\` goes on.
  private static func commands(in page: Documentation.Page) -> [(place: String, line: String)] {
    let fenced = Set(page.blocks.filter { $0.language != "swift" }.flatMap(\.lines))
    return page.lines.indices.compactMap { index in
      guard fenced.contains(page.lines[index]) || page.lines[index].hasPrefix("    ") else {
        return nil
      }
      var text = page.lines[index]
      for next in page.lines[(index + 1)...] where text.hasSuffix("\\") {
        text = text.dropLast() + next
      }
      var words = text.split(separator: " ")[...]
      if words.first == "$" { words.removeFirst() }
      while words.first?.contains("=") == true { words.removeFirst() }
      guard words.first == "fmadapter" || words.first?.hasSuffix("/release/fmadapter") == true
      else { return nil }
      return ("\(page.path):\(index + 1)", words.joined(separator: " "))
    }
  }
}

/// Pages whose commands are run, in the order of the page, each page in a store and a folder of its own.
@Suite(.waits) struct ShownCommandTests {
  static let pages = Documentation.pages.filter { $0.blocks.contains(where: isRun) }

  @Test(arguments: pages) func theyDoWhatThePageSays(page: Documentation.Page) throws {
    let place = try Workplace(isEmpty: page.blocks.first(where: Self.isRun)?.note == Self.first)
    for block in page.blocks.filter(Self.isRun) {
      let result = try place.run(block.text)
      #expect(result.status == 0, "\(block.place)\n\(result.text)\(result.errorText)")
    }
  }

  @Test func theDemoInTheREADMEIsWhatTheProgramSays() throws {
    let page = try #require(Documentation.page("README.md"))
    let shown = try #require(Documentation.marked("demo", in: page))
    let place = try Workplace(isEmpty: true)
    var said: [String] = ["```"]
    for line in shown where line.hasPrefix("$ ") {
      let result = try place.run("\(line.dropFirst(2)) 2>&1 | fold -s -w 80")
      if said.count > 1 { said.append("") }
      said += [line] + result.text.components(separatedBy: "\n").dropLast()
    }
    said.append("```")
    #expect(said.count > 20)
    #expect(said.map(Self.untimed) == shown.map(Self.untimed), "tools/demo --write shows it anew")
  }

  private static let first = "run in an empty store"

  private static func isRun(_ block: Documentation.Block) -> Bool {
    block.note == "run" || block.note == first
  }

  /// The line without what depends on the machine's speed.
  private static func untimed(_ line: String) -> String {
    line.hasPrefix("-- ") ? String(line.prefix { $0 != "," }) : line
  }
}

/// A folder as somebody has it who has just cloned the repository, with the program in the path.
///
/// The data to train on is cut to two examples, but for the program that is built for release: without the optimizer all of
/// it takes a quarter of an hour.
private struct Workplace {
  private let folder: TemporaryDirectory

  // Where it is not to be empty, the bundled base and adapters are installed.
  init(isEmpty: Bool) throws {
    folder = try TemporaryDirectory()
    try folder.copy(Fixtures.repository.appendingPathComponent("adapters"), to: "adapters")
    if !Tool.isOptimized { try cut("adapters/examples/triage.jsonl", to: 2) }
    let programs = folder.path("bin")
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: programs + "/fmadapter", withDestinationPath: Tool.path)
    guard !isEmpty else { return }
    try run(
      "fmadapter base install adapters/base/*.gguf && fmadapter install adapters/*.fmadapter"
    ).expectSuccess()
  }

  private func cut(_ file: String, to count: Int) throws {
    let lines = try String(contentsOfFile: folder.path(file), encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == 440, "the README says how many there are")
    try folder.write(lines.prefix(count).joined(separator: "\n") + "\n", to: file)
  }

  func run(_ script: String) throws -> ProcessResult {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let process = try Subprocess(
      "/bin/bash", ["-eo", "pipefail", "-c", script],
      environment: [
        "PATH": folder.path("bin") + ":" + path, "COLUMNS": "80",
        "FMADAPTER_HOME": folder.path("store"),
      ], directory: folder.path)
    return try process.finish()
  }
}
