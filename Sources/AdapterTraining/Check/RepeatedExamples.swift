/// Notices examples that stand twice, in one file or in several.
struct RepeatedExamples {
  private struct Place {
    let file: Int
    let line: Int
  }

  private var paths: [String] = []
  private var examples: [ContentKey: Place] = [:]
  private var prompts: [ContentKey: Place] = [:]
  /// How many prompts of this file stand in an earlier one, by the number of that file.
  private var sharedPrompts: [Int: (count: Int, line: Int, other: Int)] = [:]

  /// Goes on with the file at `path`.
  mutating func start(_ path: String) {
    paths.append(path)
    sharedPrompts = [:]
  }

  /// What the example repeats.
  mutating func findings(_ example: TrainingExample) -> [DataFinding] {
    let here = Place(file: paths.count - 1, line: example.line)
    let place = DataFinding.Place(paths[here.file], line: example.line, offset: example.offset)
    let key = example.key
    guard let first = examples[key] else {
      examples[key] = here
      notePrompt(example, here)
      return []
    }
    if first.file == here.file {
      return [DataFinding(.duplicate, at: place, "The same example stands on line \(first.line).")]
    }
    return [
      DataFinding(
        .leakedExample, at: place,
        "The same example stands on line \(first.line) of \(paths[first.file]).")
    ]
  }

  /// What the whole file shares with earlier ones.
  func finish() -> [DataFinding] {
    sharedPrompts.sorted { $0.key < $1.key }.map { file, shared in
      DataFinding(
        .leakedPrompt, at: .init(paths[paths.count - 1], line: shared.line),
        "\(shared.count) example\(shared.count == 1 ? " asks" : "s ask") what stands in \(paths[file]) "
          + "with another answer, this one on line \(shared.other).")
    }
  }

  private mutating func notePrompt(_ example: TrainingExample, _ here: Place) {
    guard let key = example.promptKey else { return }
    guard let first = prompts[key] else {
      prompts[key] = here
      return
    }
    guard first.file != here.file else { return }
    let known = sharedPrompts[first.file] ?? (0, here.line, first.line)
    sharedPrompts[first.file] = (known.count + 1, known.line, known.other)
  }
}
