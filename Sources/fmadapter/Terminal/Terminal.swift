import Adapters
import Glibc
import JSON
import SystemFiles

/// The descriptors that a command reads and writes: a process's own, or others in their place.
struct StandardStreams: Sendable {
  var input = STDIN_FILENO
  var output = STDOUT_FILENO
  var error = STDERR_FILENO
}

/// Where a command writes: results to standard output, everything else to standard error.
///
/// Nothing else in the program writes to either. Text goes out as lines, which cannot steer a terminal; the sequences that
/// move the cursor are made here.
struct Terminal: Sendable {
  let environment: [String: String]
  private let noColor: Bool
  /// True when only results and errors are wanted.
  let quiet: Bool
  /// True when a program reads: errors and warnings are JSON too, one object a line.
  let json: Bool
  let streams: StandardStreams

  init(
    environment: [String: String], quiet: Bool = false, noColor: Bool = false, json: Bool = false,
    streams: StandardStreams = StandardStreams()
  ) {
    self.environment = environment
    self.quiet = quiet
    self.noColor = noColor || !(environment["NO_COLOR"] ?? "").isEmpty
    self.json = json
    self.streams = streams
  }
}

// What the streams are.
extension Terminal {
  var inputIsTerminal: Bool { TerminalControl.isTerminal(streams.input) }
  var outputIsTerminal: Bool { TerminalControl.isTerminal(streams.output) }
  var errorIsTerminal: Bool { TerminalControl.isTerminal(streams.error) }

  /// Width for running text: that of the terminal or of `COLUMNS`, else 80; 10 to 100.
  var columns: Int { min(width(streams.output), 100) }

  /// The same for what is said beside results.
  private var errorColumns: Int { min(width(streams.error), 100) }

  /// Width of a list that is said beside results: none when nobody looks at it.
  var replyColumns: Int { errorIsTerminal ? errorColumns : .max }

  private func width(_ descriptor: Int32) -> Int {
    let stated = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return max(TerminalControl.columns(descriptor) ?? stated ?? 80, 10)
  }

  /// Width of a table: none when nobody looks at it and `COLUMNS` does not say.
  var tableColumns: Int {
    outputIsTerminal || environment["COLUMNS"] != nil ? width(streams.output) : .max
  }

  /// Width of a line that is drawn again and again on standard error: one cell less than the terminal has.
  var progressColumns: Int { (TerminalControl.columns(streams.error) ?? 80) - 1 }

  /// Width of the terminal that generated text goes to; nil when it goes elsewhere.
  var answerColumns: Int? { TerminalControl.columns(streams.output) }

  /// False for `TERM=dumb`, where the cursor cannot be moved.
  var movesCursor: Bool { environment["TERM"] != "dumb" && environment["TERM"] != nil }

  /// Whether lines on standard error can be drawn again.
  var isAnimated: Bool { errorIsTerminal && movesCursor && !quiet }

  /// True when the locale can show more than ASCII.
  var showsUnicode: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }
}

// Results.
extension Terminal {
  func print(_ line: Line) {
    send(line.encoded(colored: isColored(streams.output)) + "\n", streams.output)
  }

  func print(_ text: String) { print(Line(text)) }

  /// Prints texts on one line, a tab between any two.
  func print(cells: [String]) {
    send(cells.map(\.printable).joined(separator: "\t") + "\n", streams.output)
  }

  /// Prints a text of several lines; the last one ends where the text does.
  func write(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    send(lines.map { String($0).printable }.joined(separator: "\n"), streams.output)
  }

  /// Prints a part of a JSON text.
  func write(json text: String) { send(text.printableJSON, streams.output) }

  /// Prints a part of a generated text: unchanged into a file or pipe, to a terminal without what would steer it.
  func stream(_ text: String) { send(outputIsTerminal ? text.streamable : text, streams.output) }
}

// What is said beside results.
extension Terminal {
  /// Says something on standard error, unless only results are wanted or a program reads.
  func note(_ line: Line) {
    if !quiet, !json || errorIsTerminal { say(line) }
  }

  func note(_ text: String) { note(Line(text)) }

  /// Answers on standard error what a person typed, unless a program reads.
  func reply(_ line: Line) {
    if !json || errorIsTerminal { say(line) }
  }

  func warn(_ text: String) { warn(text, remedy: nil, between: "") }

  func warn(_ text: ErrorText) { warn(text.problem, remedy: text.remedy, between: "; ") }

  /// Warns of what is wrong, and says what to do; people read the one behind the other.
  func warn(_ problem: String, remedy: String?, between: String = " ") {
    guard !quiet else { return }
    if json {
      return say(["warning": .known(["message": .string(problem), "remedy": .text(remedy)])])
    }
    let text = problem + (remedy.map { between + $0 } ?? "")
    say("\("fmadapter: warning:", .yellow) \(text)")
  }

  /// Says what went wrong, and below it what there is to know about it.
  func error(_ failure: Failure) {
    if json { return say(["error": failure.json]) }
    say("\("fmadapter: error:", .red) \(failure.text)")
    failure.details.forEach(say)
  }

  /// Says a line as it is, wrapped where a person reads it.
  func say(_ line: Line) {
    let lines = errorIsTerminal ? line.wrapped(columns: errorColumns) : [line]
    for line in lines.isEmpty ? [line] : lines { sendError(line, end: "\n") }
  }

  /// Tells a program how far a job is.
  func tell(progress: JSONObject) {
    if !quiet { say(["progress": .object(progress)]) }
  }

  private func say(_ object: JSONObject) {
    send(JSONValue.object(object).line.printableJSON + "\n", streams.error)
  }

  /// Says a line as it is for whoever keeps such lines, unbroken and without colors.
  func record(_ line: String) { send(line.printable + "\n", streams.error) }

  /// Asks for a word on the same line.
  func ask(_ question: String) { sendError(Line(question), end: " ") }
}

// What is drawn on standard error, again and again.
extension Terminal {
  /// Draws `lines` in the place of the last `drawn` ones, which the cursor stands below.
  func draw(_ lines: [Line], over drawn: Int) {
    let up = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
    let rows = lines.map { $0.encoded(colored: isColored(streams.error)) + "\u{1B}[K\n" }
    send("\r" + up + rows.joined() + "\u{1B}[J", streams.error)
  }

  /// Draws one line in its own place, with the cursor at its end.
  func draw(_ line: Line) {
    send("\r" + line.encoded(colored: isColored(streams.error)) + "\u{1B}[K", streams.error)
  }

  /// Draws a line that is typed, and sets the cursor `cursor` cells behind its prompt.
  func draw(prompt: String, _ text: String, cursor: Int) {
    let column = prompt.cellWidth + cursor
    let line = Line(prompt, .bold) + Line(typed: text, unicode: showsUnicode)
    let move = column == 0 ? "" : "\u{1B}[\(column)C"
    send(
      "\r" + line.encoded(colored: isColored(streams.error)) + "\u{1B}[K\r" + move, streams.error)
  }

  /// Draws all of a text that was typed in the place of its line, in as many rows as it takes.
  func draw(prompt: String, whole text: String) {
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Line(typed: String($0), unicode: showsUnicode).encoded(colored: false) }
    let begin = Line(prompt, .bold).encoded(colored: isColored(streams.error))
    send("\r\u{1B}[K" + begin + rows.joined(separator: "\n"), streams.error)
  }

  /// Shows what is typed behind a question.
  func echo(_ text: String) { send(text.printable, streams.error) }

  /// Takes the last cells of that back.
  func erase(cells: Int) {
    send(String(repeating: "\u{8} \u{8}", count: cells), streams.error)
  }

  func clearScreen() { send("\u{1B}[H\u{1B}[2J", streams.error) }

  /// Goes to the start of the next line where the terminal does not do so by itself.
  func endTypedLine() { send("\r\n", streams.error) }
}

extension Terminal {
  private func isColored(_ descriptor: Int32) -> Bool {
    TerminalControl.isTerminal(descriptor) && movesCursor && !noColor
  }

  private func sendError(_ line: Line, end: String) {
    send(line.encoded(colored: isColored(streams.error)) + end, streams.error)
  }

  private func send(_ text: String, _ descriptor: Int32) {
    let number = TerminalControl.write(Array(text.utf8), to: descriptor)
    guard number != 0 else { return }
    if number == EPIPE, Interruption.shared.loseReader() { return }
    guard descriptor == streams.output else { return }
    error(Failure(.storage, "cannot write the result: \(TerminalControl.message(number))"))
    TerminalControl.giveKeysBack()
    exit(ExitCode.storage.rawValue)
  }
}
