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
  static let pages = Documentation.pages.filter {
    [.empty, .filled].contains(Workplace.Kind(of: $0))
  }

  @Test(arguments: pages) func theyDoWhatThePageSays(page: Documentation.Page) throws {
    try Workplace(#require(Workplace.Kind(of: page))).runAll(of: page)
  }
}
