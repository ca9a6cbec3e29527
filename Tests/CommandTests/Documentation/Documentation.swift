import Foundation
import TestSupport

/// The pages of this repository that people read: every Markdown file, those of DocC catalogs among them.
enum Documentation {
  /// A block of code between fences.
  struct Block: Sendable {
    /// Path from the repository's root, and the line of the opening fence, from 1.
    let place: String
    /// What stands behind the opening fence; empty when nothing does.
    let language: String
    /// The text of the HTML comment on the line above the fence.
    let note: String?
    let lines: [String]

    var text: String { lines.joined(separator: "\n") }
  }

  struct Page: Sendable, CustomStringConvertible {
    /// Path from the repository's root.
    let path: String
    let lines: [String]
    let blocks: [Block]

    var description: String { path }
    var isInCatalog: Bool { path.contains(".docc/") }

    /// Lines that are not code, with their numbers from 1.
    var prose: [(number: Int, text: String)] {
      let code = Set(blocks.flatMap { $0.lineNumbers })
      return lines.enumerated().map { ($0.offset + 1, $0.element) }
        .filter { !code.contains($0.0) && !$0.1.hasPrefix("    ") }
    }
  }

  /// All pages, ordered by path; those in hidden folders, such as `.build`, are not of the repository.
  static let pages: [Page] = paths(endingIn: ".md").map { path in
    let lines = text(path).components(separatedBy: "\n")
    return Page(path: path, lines: lines, blocks: blocks(of: lines, path))
  }

  /// The parts of Swift test sources between `// docs:begin` and `// docs:end`: code that is compiled, and may be shown.
  static let compiledCode: [String] = paths(endingIn: ".swift", under: "Tests").flatMap {
    text($0).components(separatedBy: "// docs:begin\n").dropFirst().map { part in
      dedented(part.components(separatedBy: "// docs:end")[0])
    }
  }

  /// The page at `path`, from the repository's root.
  static func page(_ path: String) -> Page? { pages.first { $0.path == path } }

  /// What stands between the marks `<!-- name:begin -->` and `<!-- name:end -->` in `page`.
  static func marked(_ name: String, in page: Page) -> [String]? {
    guard let begin = page.lines.firstIndex(of: "<!-- \(name):begin -->"),
      let end = page.lines.firstIndex(of: "<!-- \(name):end -->"), begin < end
    else { return nil }
    return Array(page.lines[(begin + 1)..<end])
  }

  private static func paths(endingIn suffix: String, under folder: String = "") -> [String] {
    let root = Fixtures.repository.appendingPathComponent(folder).path
    let files = FileManager.default.enumerator(
      at: URL(fileURLWithPath: root), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    let prefix = Fixtures.repository.path + "/"
    return (files?.compactMap { ($0 as? URL)?.path } ?? [])
      .filter { $0.hasSuffix(suffix) && $0.hasPrefix(prefix) }
      .map { String($0.dropFirst(prefix.count)) }.sorted()
  }

  private static func text(_ path: String) -> String {
    (try? String(
      contentsOf: Fixtures.repository.appendingPathComponent(path), encoding: .utf8)) ?? ""
  }

  private static func blocks(of lines: [String], _ path: String) -> [Block] {
    var blocks: [Block] = []
    var open: (line: Int, language: String, note: String?)?
    for (index, line) in lines.enumerated() where line.hasPrefix("```") {
      if let start = open {
        blocks.append(
          Block(
            place: "\(path):\(start.line + 1)", language: start.language, note: start.note,
            lines: Array(lines[(start.line + 1)..<index])))
        open = nil
      } else {
        open = (index, String(line.dropFirst(3)), index > 0 ? comment(lines[index - 1]) : nil)
      }
    }
    return blocks
  }

  private static func comment(_ line: String) -> String? {
    guard line.hasPrefix("<!--"), line.hasSuffix("-->") else { return nil }
    return line.dropFirst(4).dropLast(3).trimmingCharacters(in: .whitespaces)
  }

  /// `code` without the indentation that all of its lines share.
  private static func dedented(_ code: String) -> String {
    let lines = code.components(separatedBy: "\n")
    let indents = lines.filter { $0.contains { $0 != " " } }.map { $0.prefix { $0 == " " }.count }
    let shared = indents.min() ?? 0
    return lines.map { String($0.dropFirst(shared)) }.joined(separator: "\n")
  }
}

extension Documentation.Block {
  /// Lines of the page that the block takes, fences included, from 1.
  fileprivate var lineNumbers: ClosedRange<Int> {
    let first = place.split(separator: ":").last.flatMap { Int($0) } ?? 1
    return first...(first + lines.count + 1)
  }
}
