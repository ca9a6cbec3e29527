/// The lines of a declaration, so that the compiler's errors about code written for a part of it stand at that part.
struct SourceLines {
  private let file: String
  private let first: Int
  private let source: [UInt8]

  /// - Parameter declaration: The source whose offsets are asked for.
  init(_ declaration: AttachedExpansion.Source) {
    file = declaration.location.fileName
    first = declaration.location.line
    source = Array(declaration.source.utf8)
  }

  /// One line of code that counts as the line of the declaration at `offset`; without a mark where the file's name cannot stand in one.
  func mark(_ code: String, at offset: Int) -> String {
    guard !file.contains(where: { $0 == "\"" || $0 == "\\" || $0.isNewline }) else {
      return code + "\n"
    }
    let line = first + source.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    return "#sourceLocation(file: \"\(file)\", line: \(line))\n\(code)\n#sourceLocation()\n"
  }
}
