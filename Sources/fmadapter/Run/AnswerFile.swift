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

  /// Prepares the file at `path` for answers to `prompts`; without one lines go to standard output.
  ///
  /// What stands there stays up to its last whole line where the run `goesOn`, and goes where the run `replaces` it.
  ///
  /// - Throws: `Failure` where a file stands there and neither holds, or where what is to be gone on with has no answers to
  ///   these prompts.
  init(
    path: String?, for prompts: PromptFile, goesOn: Bool, replaces: Bool, _ terminal: Terminal
  ) throws {
    self.terminal = terminal
    guard let path else {
      file = nil
      return
    }
    let there = try FileSystem.info(path)
    if let there, try FileSystem.info(prompts.path)?.isSame(as: there) == true {
      throw Failure(
        .usage, "\(path) is the file that is read\(remedy: "give another path")")
    }
    guard there == nil || goesOn || replaces else {
      throw Failure(
        .usage,
        "\(path) exists already\(remedy: "go on with it by --resume, or replace it by --force")")
    }
    let file = try WritableFile(path: path)
    self.file = file
    if goesOn {
      let bytes = try file.read(0..<file.size)
      count = try Self.answered(bytes, prompts, path)
      end = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    }
    try file.cut(to: end)
  }

  /// How many of `prompts` have their answers in `bytes`; the last line may be cut.
  private static func answered(
    _ bytes: [UInt8], _ prompts: PromptFile, _ path: String
  ) throws -> Int {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let cut = lines.removeLast()
    func other(_ problem: ErrorText) -> Failure {
      Failure(
        .invalid,
        "\(path)" + problem
          + "\(remedy: "name the file that belongs to these prompts, or replace it by --force")")
    }
    guard lines.count <= prompts.prompts.count else {
      throw other(
        " has \(Figures.count(lines.count, "line")), more than \(prompts.path) has prompts")
    }
    let isOther = zip(lines, prompts.prompts).map { line, prompt in
      let answer = (try? JSONDocument(parsing: Array(line), limit: .max))?.root.object
      return answer.map { answer in
        ["prompt", "messages"].contains { prompt.object[$0] != answer[$0] }
      } ?? true
    }
    let last = (cut.first ?? UInt8(ascii: "{")) == UInt8(ascii: "{") ? nil : lines.count
    if let index = isOther.firstIndex(of: true) ?? last {
      throw other(
        ": line \(index + 1) is no answer to the prompt of that number in \(prompts.path)")
    }
    return lines.count
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
