/// Taking paths apart and putting them together, as text.
public enum FilePath {
  /// The directory that holds `path`; `.` for a bare name.
  public static func parent(of path: String) -> String {
    let trimmed = trimmed(path)
    guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    let parent = trimmed[..<slash]
    return parent.isEmpty ? "/" : String(parent)
  }

  /// The last component of `path`.
  public static func name(of path: String) -> String {
    let trimmed = trimmed(path)
    guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return trimmed }
    return String(trimmed[trimmed.utf8.index(after: slash)...])
  }

  /// `name` inside `directory`.
  public static func join(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }

  /// `name` inside `directory`.
  ///
  /// - Throws: `FileError.notText` for a name that is not UTF-8, as paths are.
  public static func join(
    _ directory: String, _ name: FileName
  ) throws(FileError) -> String {
    guard let text = name.text else { throw .notText(path: join(directory, "\(name)")) }
    return join(directory, text)
  }

  /// 16 random hexadecimal digits, for names that nobody else picks.
  public static func randomName() -> String {
    Figures.hex(UInt64.random(in: .min ... .max), 16)
  }

  /// A hidden, unused name beside `path`.
  package static func sibling(of path: String) -> String {
    join(parent(of: path), ".\(name(of: path).prefix(64)).\(randomName()).partial")
  }

  /// The name of at most 64 characters that `name` is a sibling of; nil for another name.
  package static func original(ofSibling name: String) -> String? {
    let match = name.wholeMatch(of: /\.(.+)\.[0-9a-f]{16}\.partial/)
    return match.map { String($0.output.1) }
  }

  /// `path` without slashes behind it, as the completion of a shell leaves them behind folders.
  package static func trimmed(_ path: String) -> String {
    var path = path
    while path.utf8.count > 1 && path.hasSuffix("/") { path.removeLast() }
    return path
  }
}
