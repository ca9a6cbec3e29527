import JSON
import SystemFiles

/// Answers in a file or on standard output, one JSON object a line in the order of their prompts.
final class AnswerFile {
  private let terminal: Terminal
  private let path: String
  /// What each line says of how it was made.
  private let record: RunRecord
  /// Nil for what goes through a pipe, or to a device.
  private let file: WritableFile?
  /// The pipe or device; nil for a file and for standard output.
  private let stream: Int32?
  /// Whether lines stay in a file.
  var isKept: Bool { file != nil }
  private var end = 0
  /// Lines that wait for earlier ones.
  private var waiting: [Int: String] = [:]
  /// Lines that are written, those of an earlier run among them.
  private(set) var count = 0
  /// Lines of this run that have an error.
  private(set) var failed = 0

  /// Prepares the file at `path` for answers to `prompts`; without one, or with `-`, lines go to standard output.
  ///
  /// What stands there stays up to its last whole line where the run `goesOn`, and goes where the run `replaces` it. A pipe
  /// or a device has nothing that could go.
  ///
  /// - Throws: `Failure` where a file stands there and neither holds, or where what is to be gone on with has no answers to
  ///   these prompts, or such that were made in another way.
  init(
    path: String?, for prompts: PromptFile, _ record: RunRecord, goesOn: Bool, replaces: Bool,
    _ terminal: Terminal
  ) throws {
    (self.terminal, self.record, self.path) = (terminal, record, path ?? "-")
    let isOutput = path.map { ["-", "/dev/stdout"].contains($0) } ?? true
    stream = isOutput ? nil : path.flatMap(TerminalControl.openStream(writing:))
    guard let path, !isOutput, stream == nil else {
      file = nil
      if goesOn {
        throw Failure(
          .usage, "--resume goes on with a file only\(remedy: "name one with --output")")
      }
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
      count = try Self.answered(bytes, prompts, record, path)
      end = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    }
    try file.cut(to: end)
  }

  /// How many of `prompts` have their answers in `bytes`; the last line may be cut.
  private static func answered(
    _ bytes: [UInt8], _ prompts: PromptFile, _ record: RunRecord, _ path: String
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
    let answers = lines.map { (try? JSONDocument(parsing: Array($0), limit: .max))?.root.object }
    let isOther = zip(answers, prompts.prompts).map { answer, prompt in
      answer.map { !prompt.isAsked(by: $0) } ?? true
    }
    let last = (cut.first ?? UInt8(ascii: "{")) == UInt8(ascii: "{") ? nil : lines.count
    if let index = isOther.firstIndex(of: true) ?? last {
      throw other(
        ": line \(index + 1) is no answer to the prompt of that number in \(prompts.path)")
    }
    for (index, answer) in answers.enumerated() {
      try check(answer ?? [:], record, "\(path): line \(index + 1)")
    }
    return lines.count
  }

  /// - Throws: `Failure` for a row that was made in another way.
  private static func check(_ row: JSONObject, _ record: RunRecord, _ place: String) throws {
    let differences = record.differences(from: row)
    guard differences != [] else { return }
    let problem: ErrorText =
      differences.map { " was answered with other settings: \($0.joined(separator: ", "))" }
      ?? " does not say how it was answered"
    throw Failure(
      .usage,
      "\(place)" + problem
        + "\(remedy: "give the same base, adapters and options, or another file to --output")")
  }

  /// Writes a prompt's line with its answer, as soon as the lines before it are written.
  func write(_ line: JSONObject, _ answer: JSONObject, at index: Int) throws {
    if answer["error"] != nil { failed += 1 }
    var line = line
    for member in answer.members { line[member.key] = member.value }
    line["run"] = .object(record.json)
    waiting[index] = JSONValue.object(line).line + "\n"
    while let line = waiting.removeValue(forKey: count) {
      if let file {
        try file.write(Array(line.utf8), at: end)
        end += line.utf8.count
      } else if let stream {
        let code = TerminalControl.write(Array(line.utf8), to: stream)
        guard code == 0 else { throw FileError.system(.write, path: path, code: code) }
      } else {
        terminal.write(json: line)
      }
      count += 1
    }
  }
}
