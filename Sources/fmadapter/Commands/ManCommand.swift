import FoundationEssentials
import SystemFiles

/// `man`: the manual pages, made from the declarations of the commands.
enum ManCommand {
  private static let words = Argument(
    "command", "The command whose page to print; none means the program", arity: .any)
  private static let output = Option(
    "--output", short: "-o", .folder, "Write the pages of all commands into this folder")

  static let command = Command(
    name: "man",
    summary: "Print a manual page, or write all of them",
    details: [
      """
      A page is the source that man reads. Its date is today's, or that of SOURCE_DATE_EPOCH, so \
      that the same program writes the same bytes. With --output prints the paths that were written.
      """
    ],
    examples: [
      Example("fmadapter man base install | man -l -", "Read a page that is not installed"),
      Example("fmadapter man -o ~/.local/share/man/man1", "Where man finds them"),
    ],
    arguments: [words],
    options: [output],
    knownElsewhereAs: ["manual", "manpage", "docs"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (path, terminal) = (invocation.arguments.texts(words), invocation.terminal)
    let date = try date(invocation)
    guard let folder = invocation.arguments.value(output) else {
      do throws(UsageError) {
        _ = try ArgumentParser(root: .root).command(at: path)
      } catch {
        throw UsageError(command: invocation.commandName, problem: error.problem)
      }
      if let page = ManualPage(path, root: .root, date: date) { terminal.write(page.source) }
      return .done
    }
    guard path.isEmpty else {
      throw invocation.conflict("--output writes all pages\(remedy: "leave '\(path[0])' away")")
    }
    try FileSystem.createDirectory(folder)
    for page in ManualPage.all(root: .root, date: date) {
      let file = FilePath.join(folder, page.fileName)
      try AtomicFile.write(Array(page.source.utf8), to: file)
      terminal.print(file)
    }
    return .done
  }

  /// The day as mdoc writes it, such as `November 22, 2026`.
  private static func date(_ invocation: Invocation) throws -> String {
    var day = Date()
    if let text = invocation.terminal.environment["SOURCE_DATE_EPOCH"] {
      guard let seconds = UInt32(text) else {
        throw invocation.conflict(
          "SOURCE_DATE_EPOCH takes seconds since 1970, not '\(text)'")
      }
      day = Date(timeIntervalSince1970: Double(seconds))
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day], from: day)
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    return "\(months[(parts.month ?? 1) - 1]) \(parts.day ?? 1), \(parts.year ?? 1970)"
  }
}
