/// Finds the bases and adapters that a command line names.
struct Shelf {
  let terminal: Terminal

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Path of the base that `text` names, or of the base in use.
  func basePath(_ text: String?) async throws -> String {
    guard let text else { throw Failure(.notFound, "no base is in use; give one with --base") }
    return text
  }
}
