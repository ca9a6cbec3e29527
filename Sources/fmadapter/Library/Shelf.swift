import Adapters

/// Finds the bases and adapters that a command line names.
struct Shelf {
  let terminal: Terminal

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Path of the base that `text` names, or of the base in use.
  func basePath(_ text: String?) async throws -> String {
    guard let text else { throw Failure(.notFound, "no base is in use; give one with --base") }
    return text
  }

  /// Path of the package that `text` names: a path, or an installed adapter.
  func packagePath(_ text: String) async throws -> String { text }

  /// Shapes that the package at `path` has to have, where its base is known.
  func contract(for path: String) async throws -> BaseContract? { nil }
}
