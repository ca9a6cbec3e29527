import Foundation

/// Where a command writes: results to standard output, everything else to standard error.
struct Terminal: Sendable {
  let environment: [String: String]
  private let noColor: Bool
  /// True when only results and errors are wanted.
  let quiet: Bool

  init(environment: [String: String], quiet: Bool = false, noColor: Bool = false) {
    self.environment = environment
    self.quiet = quiet
    self.noColor = noColor || !(environment["NO_COLOR"] ?? "").isEmpty
  }

  var inputIsTerminal: Bool { TerminalControl.isTerminal(STDIN_FILENO) }
  var outputIsTerminal: Bool { TerminalControl.isTerminal(STDOUT_FILENO) }
  var errorIsTerminal: Bool { TerminalControl.isTerminal(STDERR_FILENO) }

  /// Width for running text: that of the terminal or of `COLUMNS`, else 80; never below 40.
  var columns: Int {
    let width =
      TerminalControl.columns(STDOUT_FILENO) ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
    return min(max(width, 40), 100)
  }

  /// Width of a table: none when nobody looks at it and `COLUMNS` does not say.
  var tableColumns: Int {
    outputIsTerminal || environment["COLUMNS"] != nil ? columns : .max
  }

  /// False for `TERM=dumb`, where the cursor cannot be moved.
  var movesCursor: Bool { environment["TERM"] != "dumb" && environment["TERM"] != nil }

  var style: TextStyle { TextStyle(colored: outputIsTerminal && movesCursor && !noColor) }
  var errorStyle: TextStyle { TextStyle(colored: errorIsTerminal && movesCursor && !noColor) }

  /// True when the locale can show more than ASCII.
  var showsUnicode: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }

  /// Writes a result to standard output, as it is.
  func write(_ text: String) { send(Array(text.utf8), STDOUT_FILENO) }

  /// Writes a result and a line end to standard output.
  func print(_ line: String) { write(line + "\n") }

  /// Writes generated text: unchanged into a file or pipe, without controls to a terminal.
  func stream(_ text: String) { write(outputIsTerminal ? text.withoutControls : text) }

  /// Says something beside the result, on standard error, unless only results are wanted.
  func note(_ line: String) {
    if !quiet { writeError(line + "\n") }
  }

  func warn(_ line: String) {
    note(errorStyle.yellow("fmadapter: warning:") + " " + line)
  }

  func error(_ message: String) {
    writeError(errorStyle.red("fmadapter: error:") + " " + message + "\n")
  }

  /// Writes to standard error as it is, for progress and prompts.
  func writeError(_ text: String) { send(Array(text.utf8), STDERR_FILENO) }

  private func send(_ bytes: [UInt8], _ descriptor: Int32) {
    let number = TerminalControl.write(bytes, to: descriptor)
    guard number != 0, descriptor == STDOUT_FILENO else { return }
    error("cannot write the result: \(TerminalControl.message(number))")
    exit(ExitCode.storage.rawValue)
  }
}
