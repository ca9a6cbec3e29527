import Adapters
import ChatTemplates
import JSON
import SystemFiles
import Tokenization

/// Holds data sets against every rule and reports all that it finds, lines of several files against each other too.
public struct DataCheck: Sendable {
  /// Turns examples into tokens, to compare their length with a context; nil when no base is known.
  public var renderer: ExampleRenderer?
  /// Tokens that the base was trained to see at once.
  public var contextLength: Int?
  /// Worker threads, on which the report does not depend; nil for one per processor.
  public var threads: Int?
  /// Longest line that is read, in bytes.
  var lineLimit = DataSetReader.lineLimit
  /// Bytes of all files from which they are read twice, so that only keys that come again are kept: 64 MiB.
  var sizeToReadTwice = 64 << 20

  /// A check that knows no base.
  public init() {}

  /// Checks the files at `paths`, the first of which is the one to train on.
  ///
  /// `progress` is told bytes done, bytes to be read of the file, twice its size where it is read twice, and its path.
  ///
  /// - Throws: `DataSetError.file` when one cannot be read, `.cancelled` once `isCancelled` says so. Bad lines are no
  ///   error here but a report.
  public func run(
    _ paths: [String],
    progress: (_ done: Int, _ total: Int, _ path: String) -> Void = { _, _, _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DataSetError) -> DataReport {
    try run(
      paths.map { DataParts(name: $0, paths: [$0]) }, progress: progress, isCancelled: isCancelled)
  }

  /// Checks `sets`, as above; parts of one are not held against each other.
  package func run(
    _ sets: [DataParts],
    progress: (_ done: Int, _ total: Int, _ path: String) -> Void = { _, _, _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DataSetError) -> DataReport {
    var state = try State(recurringKeys(sets, progress, isCancelled), areSeveral: sets.count > 1)
    for (set, parts) in sets.enumerated() {
      for path in parts.paths {
        state.repeats.start(path, of: set)
        state.templates?.start(path, of: set)
        try check(path, &state, progress, isCancelled)
      }
      state.found.add(state.repeats.finish())
    }
    guard !isCancelled() else { throw .cancelled }
    try reading { () throws(FileError) in
      state.found.add(try state.templates?.findings() ?? [])
    }
    return DataReport(files: state.files, state.found)
  }
}

/// What is known of the files up to now.
private struct State {
  var found = FindingList()
  var files: [DataReport.File] = []
  var repeats: RepeatedExamples
  /// Nil for a single set, which has nothing to share.
  var templates: SharedTemplates?
  let areReadTwice: Bool

  init(_ recurring: RecurringKeys?, areSeveral: Bool) {
    repeats = RepeatedExamples(recurring)
    areReadTwice = recurring != nil
    if areSeveral { templates = SharedTemplates(in: areReadTwice ? ScratchFile.folder : nil) }
  }
}

extension DataCheck {
  /// Checks one file.
  private func check(
    _ path: String, _ state: inout State, _ progress: (Int, Int, String) -> Void,
    _ isCancelled: () -> Bool
  ) throws(DataSetError) {
    var reader = try DataSetReader(opening: path, lineLimit: lineLimit)
    var (uniform, count) = (UniformExamples(path: path), 0)
    var (ends, calls) = (AnswerEnds(renderer), CallForms(renderer))
    let (marks, before) = (Marks(renderer), state.areReadTwice ? reader.size : 0)
    let isCompared = state.templates != nil
    try BlockPipeline.run(threads: threads) { () throws(DataSetError) in
      try reader.block()
    } each: { (block) throws(DataSetError) in
      guard !isCancelled() else { throw .cancelled }
      progress(before + reader.position, before + reader.size, path)
      return block
    } make: { records in
      records.map { record in
        let view = record.example.map { example in
          ExampleView(
            example: example, keys: .init(example), entry: isCompared ? .init(example) : nil,
            findings: tokenFindings(example, path, marks))
        }
        return (findings: record.findings, view: view)
      }
    } take: { (shares) throws(DataSetError) in
      for (findings, view) in shares.joined() {
        state.found.add(findings)
        guard let view else { continue }
        count += 1
        state.found.add(uniform.findings(view.example))
        let repeated = state.repeats.findings(view.example, view.keys)
        state.found.add(repeated.findings)
        if let entry = view.entry, !repeated.isKnown {
          try reading { () throws(FileError) in try state.templates?.add(entry) }
        }
        state.found.add(view.findings)
        state.found.add(ends.findings(view.example, in: path))
        state.found.add(calls.findings(view.example, in: path))
      }
    }
    state.found.add(uniform.finish())
    state.found.addEmptyFile(path, examples: count)
    state.files.append(DataReport.File(path: path, examples: count))
  }
}

extension DataCheck {
  /// What comes again in the files; nil where they are small enough to keep all.
  private func recurringKeys(
    _ sets: [DataParts], _ progress: (Int, Int, String) -> Void, _ isCancelled: () -> Bool
  ) throws(DataSetError) -> RecurringKeys? {
    var readers: [DataSetReader] = []
    for (_, path) in sets.numberedPaths {
      readers.append(try DataSetReader(opening: path, lineLimit: lineLimit))
    }
    let size = readers.reduce(0) { $0 + $1.size }
    guard size >= sizeToReadTwice else { return nil }
    var lines = 0
    for var reader in readers {
      let count = try reader.block().count
      lines += count * reader.size / max(1, reader.position)
    }
    // An example is known by itself and by what it asks.
    var recurring = RecurringKeys(expecting: 2 * lines)
    for ((set, path), var reader) in zip(sets.numberedPaths, readers) {
      recurring.start(set)
      try BlockPipeline.run(threads: threads) { () throws(DataSetError) in
        try reader.block()
      } each: { (block) throws(DataSetError) in
        guard !isCancelled() else { throw .cancelled }
        progress(reader.position, 2 * reader.size, path)
        return block
      } make: { records in
        records.compactMap { record in
          record.example.map { (RepeatedExamples.Keys($0), $0.mirrored?.key) }
        }
      } take: { (shares) throws(DataSetError) in
        for (key, mirrored) in shares.joined() { recurring.note(key, mirrored: mirrored) }
      }
    }
    return recurring
  }
}

/// What an example shows by itself, whatever the others are.
private struct ExampleView: Sendable {
  let example: TrainingExample
  let keys: RepeatedExamples.Keys
  /// What is compared with other files; nil where there is none.
  let entry: ExampleFamilies.Entry?
  let findings: [Finding]
}

extension DataCheck {
  /// What only shows once the example is in tokens.
  private func tokenFindings(
    _ example: TrainingExample, _ path: String, _ finder: Marks
  ) -> [Finding] {
    let place = Finding.Place(path, line: example.line, offset: example.offset)
    let marks = finder.findings(example, place)
    guard let renderer else { return marks }
    do throws(DataSetError) {
      let marks = try marks + omissionFindings(example, renderer, place)
      guard try renderer.mostTokens(example) > contextLength ?? .max else { return marks }
      let rendered = try renderer.render(example)
      let sides = [rendered.chosen, rendered.rejected].compactMap(\.self)
      // The sides of a pair begin alike, and one line is named once.
      return marks + sides.flatMap { contextFindings($0, place) }.prefix(1)
    } catch {
      guard case .rendering(let error, _) = error else { return marks }
      return marks + [
        Finding(.rendering, at: place, "The example cannot be rendered: \(error)")
      ]
    }
  }

  /// Parts of answers that the template of the base leaves out.
  private func omissionFindings(
    _ example: TrainingExample, _ renderer: ExampleRenderer, _ place: Finding.Place
  ) throws(DataSetError) -> [Finding] {
    var omissions = try renderer.omissions(of: example)
    // The sides of a pair begin alike, and one line is named once.
    if omissions.isEmpty, let side = example.mirrored {
      omissions = try renderer.omissions(of: side)
    }
    return omissions.map { omission in
      let answer = "the answer in message \(omission.message + 1)"
      return switch omission.part {
      case .thoughts:
        Finding(
          .unlearntThoughts, at: place,
          "The thoughts of \(answer) are not learnt, as the base's template leaves them out there; the answer is learnt without them."
        )
      case .text:
        Finding(
          .unlearntPart, at: place,
          "The text of \(answer) is not learnt, as the base's template does not show it before its calls."
        )
      case .calls:
        Finding(
          .unlearntPart, at: place,
          "Some calls of \(answer) are not learnt, as the base's template does not show them all.")
      }
    }
  }

  private func contextFindings(
    _ example: TokenizedExample, _ place: Finding.Place
  ) -> [Finding] {
    guard let contextLength, example.tokens.count > contextLength else { return [] }
    let kept = example.trained.prefix { $0.lowerBound < contextLength }
    return [
      Finding(
        .context, at: place,
        "The example has \(Figures.grouped(example.tokens.count)) tokens, the context of the base "
          + Figures.grouped(contextLength)
          + (kept.isEmpty ? "; none of its answers begins within it." : "."))
    ]
  }
}

extension [DataParts] {
  /// The paths of all sets, with the number of the set.
  fileprivate var numberedPaths: [(set: Int, path: String)] {
    enumerated().flatMap { set, parts in parts.paths.map { (set, $0) } }
  }
}
