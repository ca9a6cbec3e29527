import AdapterStore
import SystemFiles

/// Lines that were typed, in earlier chats too: a file that only its owner may read, a line of it for each.
///
/// What looks like a credential is not kept, nor is a line that begins with a space. Where the file cannot be written, lines are
/// kept as long as the program runs.
struct LineHistory {
  /// Lines that are remembered; the file has at most twice as many.
  static let limit = 1000

  private(set) var lines: [String] = []
  /// Nil to keep nothing.
  private let path: String?

  /// The history of this person, or none where nothing says where it is.
  init(environment: [String: String] = [:]) {
    path = Self.path(environment)
    guard let path, let bytes = try? FileSystem.read(path, limit: 16 << 20) else { return }
    let kept = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    lines = kept.suffix(Self.limit).map(Self.read)
    if kept.count > 2 * Self.limit { replace(path, by: kept.suffix(Self.limit)) }
  }

  /// `FMADAPTER_HISTORY`, which may be empty for none, else `$XDG_STATE_HOME/fmadapter/history`, else the same below
  /// `~/.local/state`.
  static func path(_ environment: [String: String]) -> String? {
    if let path = environment["FMADAPTER_HISTORY"] { return path.isEmpty ? nil : path }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return FilePath.join(state, "fmadapter/history")
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return FilePath.join(home, ".local/state/fmadapter/history")
  }

  /// Remembers a line that differs from the last one.
  mutating func add(_ line: String) {
    guard line.contains(where: { !$0.isWhitespace }), lines.last != line, Self.isKept(line) else {
      return
    }
    lines.append(line)
    guard let path else { return }
    try? FileSystem.createDirectory(FilePath.parent(of: path), isPrivate: true)
    _ = TerminalControl.append(Array((Self.written(line) + "\n").utf8), toOwn: path)
  }

  static func isKept(_ line: String) -> Bool {
    line.first != " " && !WebAddress.hasCredential(in: line)
  }

  private func replace(_ path: String, by lines: ArraySlice<String>) {
    let text = lines.map { $0 + "\n" }.joined()
    let sibling = FilePath.sibling(of: path)
    guard TerminalControl.append(Array(text.utf8), toOwn: sibling) == 0 else { return }
    try? FileSystem.rename(sibling, to: path)
  }

  // Lines of the file have no ends in them.

  private static func written(_ line: String) -> String {
    line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  private static func read(_ line: String) -> String {
    var text = ""
    var isEscaped = false
    for character in line {
      switch (isEscaped, character) {
      case (false, "\\"): isEscaped = true
      case (true, "n"): (text, isEscaped) = (text + "\n", false)
      default: (text, isEscaped) = (text + String(character), false)
      }
    }
    return text
  }
}
