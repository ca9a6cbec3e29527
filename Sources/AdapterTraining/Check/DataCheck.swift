import Adapters
import ChatTemplates
import JSON
import Kernels
import Synchronization
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
    var found = FindingList()
    var files: [DataReport.File] = []
    let recurring = try recurringKeys(paths, progress, isCancelled)
    var repeats = RepeatedExamples(recurring)
    var templates = SharedTemplates()
    let marks = Marks(renderer)
    for path in paths {
      var reader = try DataSetReader(opening: path, lineLimit: lineLimit)
      var uniform = UniformExamples(path: path)
      var ends = AnswerEnds(renderer)
      var count = 0
      repeats.start(path)
      var block = try reader.block()
      while !block.isEmpty {
        guard !isCancelled() else { throw .cancelled }
        if recurring == nil {
          progress(reader.position, reader.size, path)
        } else {
          progress(reader.size + reader.position, 2 * reader.size, path)
        }
        let (views, next) = try map(block, &reader) { example in
          ExampleView(keys: .init(example), findings: tokenFindings(example, path, marks))
        }
        for (record, view) in zip(block, views) {
          found.add(record.findings)
          guard let example = record.example, let view else { continue }
          count += 1
          found.add(uniform.findings(example))
          let repeated = repeats.findings(example, view.keys)
          found.add(repeated.findings)
          // A single file has nothing to share.
          if paths.count > 1, !repeated.isKnown {
            templates.add(example, key: view.keys.example, in: path)
          }
          found.add(view.findings)
          found.add(ends.findings(example, in: path))
        }
        block = next
      }
      found.add(uniform.finish())
      found.add(repeats.finish())
      found.addEmptyFile(path, examples: count)
      files.append(DataReport.File(path: path, examples: count))
    }
    guard !isCancelled() else { throw .cancelled }
    found.add(templates.findings())
    return DataReport(files: files, found)
  }
}

extension DataCheck {
  /// What comes again in the files; nil where they are small enough to keep all.
  private func recurringKeys(
    _ paths: [String], _ progress: (Int, Int, String) -> Void, _ isCancelled: () -> Bool
  ) throws(DataSetError) -> RecurringKeys? {
    var readers: [DataSetReader] = []
    for path in paths { readers.append(try DataSetReader(opening: path, lineLimit: lineLimit)) }
    let size = readers.reduce(0) { $0 + $1.size }
    guard size >= sizeToReadTwice else { return nil }
    var lines = 0
    for var reader in readers {
      let count = try reader.block().count
      lines += count * reader.size / max(1, reader.position)
    }
    // An example is known by itself and by what it asks.
    var recurring = RecurringKeys(expecting: 2 * lines)
    for (path, var reader) in zip(paths, readers) {
      var block = try reader.block()
      recurring.startFile()
      while !block.isEmpty {
        guard !isCancelled() else { throw .cancelled }
        progress(reader.position, 2 * reader.size, path)
        let (found, next) = try map(block, &reader) { example in
          (RepeatedExamples.Keys(example), example.mirrored?.key)
        }
        for case let (key, mirrored)? in found { recurring.note(key, mirrored: mirrored) }
        block = next
      }
    }
    return recurring
  }
}

/// What an example shows by itself, whatever the others are.
private struct ExampleView: Sendable {
  let keys: RepeatedExamples.Keys
  let findings: [Finding]
}

extension DataCheck {
  /// Examples that a thread looks at before it takes the next ones.
  private static let share = 64

  /// What `body` makes of each example of a block, and the block behind it, which is read at the same time.
  private func map<Value: Sendable>(
    _ block: [DataSetReader.Record], _ reader: inout DataSetReader,
    _ body: (TrainingExample) -> Value
  ) throws(DataSetError) -> (values: [Value?], next: [DataSetReader.Record]) {
    let shares = (block.count + Self.share - 1) / Self.share
    let values = Mutex([[Value?]](repeating: [], count: shares))
    var next: Result<[DataSetReader.Record], DataSetError> = .success([])
    WorkerPool.shared(threads: threads).perform(shares + 1) { index, _ in
      guard index > 0 else {
        next = Result { () throws(DataSetError) in try reader.block() }
        return
      }
      let start = (index - 1) * Self.share
      let some = block[start..<min(start + Self.share, block.count)].map { $0.example.map(body) }
      values.withLock { $0[index - 1] = some }
    }
    return (values.withLock { $0.flatMap(\.self) }, try next.get())
  }

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
