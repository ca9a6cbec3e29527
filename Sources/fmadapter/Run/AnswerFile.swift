import Adapters
import TensorFiles

/// Answers in a file or on standard output, one JSON object a line in the order of their prompts.
final class AnswerFile {
  private let terminal: Terminal
  /// Nil for standard output.
  private let file: WritableFile?
  private var end = 0
  /// Lines that wait for earlier ones.
  private var waiting: [Int: String] = [:]
  /// Lines that are written, those of an earlier run among them.
  private(set) var count = 0
  /// Lines of this run that have an error.
  private(set) var failed = 0

  /// Prepares the file at `path`; without one lines go to standard output.
  ///
  /// What stands there stays up to its last whole line where the run `goesOn`, and goes where the run `replaces` it.
  ///
  /// - Throws: `Failure` where a file stands there and neither holds.
  init(path: String?, goesOn: Bool, replaces: Bool, _ terminal: Terminal) throws {
    self.terminal = terminal
    guard let path else {
      file = nil
      return
    }
    let stands = FileSystem.kind(of: path) != nil
    guard !stands || goesOn || replaces else {
      throw Failure(
        .invalid,
        "\(path) exists already\(remedy: "go on with it by --resume, or replace it by --force")")
    }
    let file = try WritableFile(path: path)
    self.file = file
    if goesOn {
      let bytes = try file.read(0..<file.size)
      end = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
      count = bytes.count { $0 == UInt8(ascii: "\n") }
    }
    try file.cut(to: end)
  }

  /// Writes a prompt's line with its answer, as soon as the lines before it are written.
  func write(_ line: JSONObject, _ answer: JSONObject, at index: Int) throws {
    if answer["error"] != nil { failed += 1 }
    var line = line
    for member in answer.members { line[member.key] = member.value }
    waiting[index] = JSONValue.object(line).line + "\n"
    while let line = waiting.removeValue(forKey: count) {
      if let file {
        try file.write(Array(line.utf8), at: end)
        end += line.utf8.count
      } else {
        terminal.write(json: line)
      }
      count += 1
    }
  }
}
