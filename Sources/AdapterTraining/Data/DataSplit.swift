import SystemFiles

/// Divides a data set into lines to train on and lines held out, by what they say.
///
/// A seed and the contents decide where an example goes, never its line: families stay together (``ExampleFamilies``), and the
/// order of the file does not matter. The files hold the lines of the input byte for byte and in their order; empty
/// lines are left out.
package struct DataSplit: Sendable {
  /// What was written.
  package struct Result: Sendable, Equatable {
    /// Path of the file to train on.
    package let training: String
    /// Path of the file that is held out.
    package let heldOut: String
    /// Lines in the first.
    package let trainingCount: Int
    /// Lines in the second.
    package let heldOutCount: Int
    /// What stayed together.
    package let families: ExampleFamilies.Summary
  }

  /// The share of the different examples that is held out, above 0 and below 1.
  private let share: Double
  /// Chooses which ones.
  private let seed: UInt64
  /// Whether files that stand where the new ones go are replaced.
  package var replaces = false

  /// Holds out about `share` of the examples: at least one, and never all.
  package init(share: Double, seed: UInt64) {
    precondition(share > 0 && share < 1, "the share has to be above 0 and below 1")
    self.share = share
    self.seed = seed
  }

  /// Writes `train.jsonl` and `valid.jsonl` of the file at `path` into `folder`, which is made if need be.
  ///
  /// - Throws: `DataSetError.refused` when a line has errors, `.tooFew`, `.exists`, `.overwritesInput`, `.file` or
  ///   `.cancelled`; then neither file has been written, or, when the disk fails at the last moment, one of them.
  package func write(
    _ path: String, into folder: String, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DataSetError) -> Result {
    let training = FilePath.join(folder, "train.jsonl")
    let valid = FilePath.join(folder, "valid.jsonl")
    for target in [training, valid] {
      try DataSetError.checkTarget(target, input: path, replaces: replaces)
    }
    let file = try reading { () throws(FileError) in try FileReader(path: path) }
    let (isExample, families) = try examples(of: file, near: folder, isCancelled)
    let chosen = try reading { () throws(FileError) in
      try families.choose(share: share, seed: seed)
    }
    guard let (isHeld, summary) = chosen else {
      throw .tooFew(path: path, count: families.count == 0 ? 0 : 1)
    }
    try copy(file, isExample, isHeld, to: (training, valid), in: folder, isCancelled)
    let held = isHeld.count { $0 }
    return Result(
      training: training, heldOut: valid, trainingCount: isHeld.count - held, heldOutCount: held,
      families: summary)
  }

  /// For each line whether it is an example, which an empty one is not, and all examples.
  private func examples(
    of file: FileReader, near folder: String, _ isCancelled: () -> Bool
  ) throws(DataSetError) -> (isExample: [Bool], families: ExampleFamilies) {
    var reader = DataSetReader(file)
    var found = FindingList()
    var isExample: [Bool] = []
    var families = ExampleFamilies(in: Self.existing(folder))
    while let record = try reader.record() {
      guard !isCancelled() else { throw .cancelled }
      found.add(record.errors)
      isExample.append(record.example != nil)
      guard let example = record.example else { continue }
      try reading { () throws(FileError) in try families.insert(example, key: example.key) }
    }
    try found.accept(file.path, examples: families.count)
    return (isExample, families)
  }

  /// The folder, or the nearest one around it that is there.
  private static func existing(_ folder: String) -> String {
    var folder = folder
    while !FileSystem.isDirectory(following: folder) {
      let parent = FilePath.parent(of: folder)
      guard parent != folder else { break }
      folder = parent
    }
    return folder
  }

  /// Copies each line of a file that has an example to one of two files.
  private func copy(
    _ file: FileReader, _ isExample: [Bool], _ isHeld: [Bool],
    to paths: (training: String, heldOut: String), in folder: String, _ isCancelled: () -> Bool
  ) throws(DataSetError) {
    do throws(FileError) {
      try FileSystem.createDirectory(folder)
      var lines = LineReader(file, limit: DataSetReader.lineLimit)
      var training = try AtomicFile(path: paths.training)
      var heldOut = try AtomicFile(path: paths.heldOut)
      var place = -1
      while let line = try lines.next() {
        if isCancelled() { break }
        guard line.number <= isExample.count else { throw FileError.changed(path: file.path) }
        guard isExample[line.number - 1] else { continue }
        place += 1
        if isHeld[place] {
          try heldOut.write(line.bytes)
        } else {
          try training.write(line.bytes)
        }
      }
      try file.checkUnchanged()
      if !isCancelled() {
        try heldOut.commit()
        try training.commit()
        return
      }
    } catch {
      throw .file(error)
    }
    throw .cancelled
  }
}
