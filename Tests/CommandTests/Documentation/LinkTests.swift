import Foundation
import TestSupport
import Testing

/// What pages refer to is there.
///
/// Links between pages of catalogs are checked by `tools/docs --check`.
@Suite struct LinkTests {
  @Test(arguments: Documentation.pages) func everyLinkLeadsSomewhere(page: Documentation.Page) {
    for (number, text) in page.prose {
      for match in text.matches(of: /\]\(([^)\s]+)\)/) {
        let problem = Self.problem(with: String(match.1), on: page)
        #expect(problem == nil, "\(page.path):\(number): \(match.1): \(problem ?? "")")
      }
    }
  }

  /// Paths that stand as code: from the root of the repository or, in a folder's own page, somewhere in it.
  @Test(arguments: Documentation.pages) func everyPathThatIsNamedExists(page: Documentation.Page) {
    for (number, text) in page.prose {
      for match in text.matches(of: /`((?:Sources|Tests|tools|adapters)\/[\w.\/+-]*)( --?\w+)*`/) {
        #expect(Self.exists(String(match.1)), "\(page.path):\(number): there is no \(match.1)")
      }
      guard page.path.hasPrefix("Sources/"), page.path.hasSuffix("/README.md") else { continue }
      let folder = String(page.path.dropLast("/README.md".count))
      for match in text.matches(of: /`([\w+]+(?:\/[\w+]+)*)(\.swift|\.h|\.c|\/)`/) {
        let name = match.2 == "/" ? "\(match.1)" : "\(match.1)\(match.2)"
        #expect(
          Self.isBelow(folder, name), "\(page.path):\(number): there is no \(name)")
      }
    }
  }

  @Test func everyFolderOfSourcesHasAPage() throws {
    let sources = Fixtures.repository.appendingPathComponent("Sources").path
    let targets = try FileManager.default.contentsOfDirectory(atPath: sources)
    for target in targets { #expect(Documentation.page("Sources/\(target)/README.md") != nil) }
  }

  /// Why `target` leads nowhere, or nil.
  private static func problem(with target: String, on page: Documentation.Page) -> String? {
    if target.hasPrefix("https://") { return nil }
    if page.isInCatalog {
      let catalog = page.path.split(separator: "/").dropLast().joined(separator: "/")
      let isImage = exists("\(catalog)/\(target).png")
      return isImage
        ? nil : "pages of a catalog refer by <doc:>, to an image beside them, or to https"
    }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
    let path = parts[0].isEmpty ? page.path : "\(folder)\(folder.isEmpty ? "" : "/")\(parts[0])"
    guard exists(path) else { return "there is no such file" }
    guard parts.count == 2 else { return nil }
    guard let other = Documentation.page(path) else { return "only pages have headings" }
    let anchors = other.prose.filter { $0.text.hasPrefix("#") }.map { anchor(of: $0.text) }
    return anchors.contains(String(parts[1])) ? nil : "there is no such heading"
  }

  /// The name under which a heading can be linked to, as GitHub makes it.
  private static func anchor(of heading: String) -> String {
    heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
      .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
      .replacingOccurrences(of: " ", with: "-")
  }

  /// Whether a file or folder of this name, or with this end of a path, is somewhere in `folder`.
  private static func isBelow(_ folder: String, _ name: String) -> Bool {
    sources.contains { $0.hasPrefix(folder + "/") && $0.hasSuffix("/" + name) }
  }

  private static let sources =
    FileManager.default.subpaths(
      atPath: Fixtures.repository.appendingPathComponent("Sources").path)?
    .map { "Sources/" + $0 } ?? []

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Fixtures.repository.appendingPathComponent(path).path)
  }
}
