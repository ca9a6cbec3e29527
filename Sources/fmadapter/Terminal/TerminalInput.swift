import JSON
import SystemFiles

/// Text that a command reads, byte for byte.
enum InputText {
  /// Bytes that are read whole, at most.
  static let limit = 1 << 30

  /// The text on standard input where that is a pipe or a file, as opposed to a terminal or nothing at all; nil if there is
  /// no more than white space.
  ///
  /// A program that starts this one and leaves the pipe open makes it wait, which is said.
  static func joined(_ terminal: Terminal) throws -> String? {
    guard TerminalControl.isData(terminal.streams.input) else { return nil }
    if !TerminalControl.isReady(terminal.streams.input, milliseconds: 2_000) {
      let problem = "waiting for the rest of the prompt on standard input"
      let remedy = "< /dev/null says that there is none"
      // Who reads JSON has no notes, and left the pipe open for certain.
      if terminal.json {
        terminal.warn(problem, remedy: remedy)
      } else {
        terminal.note("\(problem); \(remedy)")
      }
    }
    let text = try checked(standardInput(terminal), named: "standard input")
    return text.contains { !$0.isWhitespace } ? text : nil
  }

  /// All of standard input; says what it waits for when a person has to type it.
  static func standardInput(_ terminal: Terminal) throws -> [UInt8] {
    if terminal.inputIsTerminal {
      terminal.note("Type the text and end it with Ctrl-D on a line of its own.")
    }
    guard let bytes = TerminalControl.readAll(from: terminal.streams.input) else {
      throw Failure(
        .usage,
        "standard input is closed or cannot be read"
          + "\(remedy: "give the text through a pipe or a file")"
      )
    }
    return try bounded(bytes, "standard input")
  }

  private static func bounded(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    guard bytes.count <= limit else {
      throw FileError.tooLarge(path: name, size: bytes.count, limit: limit)
    }
    return bytes
  }

  /// All that comes through the pipe or device at `path`; nil where something else stands there.
  static func stream(_ path: String) throws -> [UInt8]? {
    try TerminalControl.readStream(at: path).map { try bounded($0, path) }
  }

  /// The next line of standard input, without its end; nil when there is none.
  static func line(_ terminal: Terminal) -> String? {
    lineBytes(terminal).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The same, which has to be UTF-8; `number` says which line it is.
  static func checkedLine(_ terminal: Terminal, number: Int) throws -> String? {
    try lineBytes(terminal).map {
      try checked($0, named: "standard input, line \(Figures.grouped(number))")
    }
  }

  private static func lineBytes(_ terminal: Terminal) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let byte = TerminalControl.readByte(from: terminal.streams.input) {
      if byte == 0x0A {
        if bytes.last == 0x0D { bytes.removeLast() }
        return bytes
      }
      bytes.append(byte)
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// The next line, without its end; nil when there is none, or once `isStopped` is true.
  static func line(_ terminal: Terminal, isStopped: () -> Bool) -> String? {
    while !TerminalControl.isReady(terminal.streams.input, milliseconds: 50) {
      if isStopped() { return nil }
    }
    return line(terminal)
  }

  /// All of the file or the pipe at `path`.
  static func file(_ path: String) throws -> [UInt8] {
    if let stream = try stream(path) { return stream }
    let file = try FileReader(path: path)
    guard file.size <= limit else {
      throw FileError.tooLarge(path: path, size: file.size, limit: limit)
    }
    return try file.read(0..<file.size)
  }

  /// The text of `bytes`, which have to be UTF-8; `name` is where they are from.
  ///
  /// - Throws: `Failure` that names the first byte that is not.
  static func checked(_ bytes: [UInt8], named name: String) throws -> String {
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw Failure(
        .invalid,
        "\(name), byte \(Figures.grouped(error.byteOffsets.lowerBound)): the text is not UTF-8"
          + "\(remedy: "save it as UTF-8")")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The JSON in the file at `path`.
  static func json(_ path: String) throws -> JSONValue {
    let text = try file(path)
    guard text.contains(where: { $0 > 0x20 }) else {
      throw Failure(.invalid, "\(path): the file is empty")
    }
    do throws(JSONError) {
      return try JSONDocument(parsing: text).root
    } catch {
      throw Failure(.invalid, "\(path): line \(error.line) is not JSON: \(error)")
    }
  }
}

/// The options of commands that ask before they remove something.
enum Confirmation {
  static let dryRun = Flag("--dry-run", short: "-n", "Show what would be done, and do nothing")
  static let yes = Flag("--yes", short: "-y", "Do it without asking")
  static let noInput = Flag("--no-input", "Never ask: without --yes this is an error")
  static let options: [any OptionDeclaration] = [dryRun, yes, noInput]

  /// Whether to go on: by `--yes`, or by a person's answer.
  ///
  /// - Throws: `UsageError` when there is nobody to ask.
  static func isGiven(_ invocation: Invocation, _ question: String) throws -> Bool {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if arguments.has(yes) { return true }
    guard terminal.inputIsTerminal, terminal.errorIsTerminal, !arguments.has(noInput) else {
      throw invocation.conflict(
        "there is nobody to ask\(remedy: "say --yes to remove, or --dry-run to look")")
    }
    return try Question(text: question + " [y/N]", terminal: terminal).isAgreed()
  }
}
