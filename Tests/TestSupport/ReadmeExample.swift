import Foundation

/// Code of a test file that the README shows.
package enum ReadmeExample {
  /// The README's text.
  package static func readme() throws -> String {
    try String(
      contentsOf: Fixtures.repository.appendingPathComponent("README.md"), encoding: .utf8)
  }

  /// What stands between `start` and `end` in `text`.
  package static func part(
    of text: String, from start: String, to end: String
  ) throws -> Substring {
    guard let from = text.range(of: start)?.upperBound,
      let to = text.range(of: end, range: from..<text.endIndex)?.lowerBound
    else { throw Missing(description: "\(start) and \(end) are not in this order in the text") }
    return text[from..<to]
  }

  /// What stands between `// readme:begin` and `// readme:end` in the file at `path`.
  package static func code(in path: String) throws -> Substring {
    try part(
      of: String(contentsOfFile: path, encoding: .utf8), from: "// readme:begin\n",
      to: "// readme:end")
  }

  private struct Missing: Error, CustomStringConvertible {
    let description: String
  }
}
