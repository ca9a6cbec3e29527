import JSON
import SystemFiles

/// Answers in the order of their prompts, as they are added.
struct MergedAnswers {
  private let file: PromptFile
  /// What the first answer says of how it was made.
  private var record: JSONObject?
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  init(_ file: PromptFile) { self.file = file }

  /// Adds the answers of a shard.
  ///
  /// - Throws: `Failure` for the first line that is not the answer to the prompt that is due, or was made otherwise.
  mutating func add(_ shard: [UInt8], _ path: String) throws {
    var lines = shard.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.popLast()?.isEmpty != false else {
      throw Failure(
        .invalid,
        "\(path) ends within a line\(remedy: "go on with it by 'run --shard' and --resume")")
    }
    for (index, line) in lines.enumerated() {
      let place = "\(path): line \(index + 1)"
      guard let row = (try? JSONDocument(parsing: Array(line), limit: .max))?.root.object else {
        throw Failure(.invalid, "\(place) is no answer of 'run --input'")
      }
      try check(row, place)
      bytes += line + [UInt8(ascii: "\n")]
      count += 1
    }
  }

  private mutating func check(_ row: JSONObject, _ place: String) throws {
    guard count < file.prompts.count, file.prompts[count].isAsked(by: row) else {
      let other = file.prompts.firstIndex { $0.isAsked(by: row) }
      let found: ErrorText =
        other.map { " answers prompt \($0 + 1)" } ?? " answers none of the prompts"
      let due: ErrorText =
        count < file.prompts.count
        ? "prompt \(count + 1) of \(file.path) is due" : "all prompts of \(file.path) have theirs"
      throw Failure(
        .invalid,
        "\(place)" + found + ", and " + due + "\(remedy: "name each shard once, in their order")")
    }
    let run = row["run"]?.object ?? [:]
    let first = record ?? run
    record = first
    let others = RunRecord.differences(first, run)
    guard others.isEmpty else {
      throw Failure(
        .invalid,
        "\(place) was answered with other settings than the first: \(others.joined(separator: ", "))"
          + "\(remedy: "answer that shard again with the same base, adapters and options")")
    }
  }

  /// - Throws: `Failure` where prompts have no answer.
  func checkWhole() throws {
    guard count < file.prompts.count else { return }
    throw Failure(
      .invalid,
      "prompt \(count + 1) of \(file.path) and all behind it have no answer"
        + "\(remedy: "name the shards that are missing, or let 'run --resume' end them")")
  }
}
