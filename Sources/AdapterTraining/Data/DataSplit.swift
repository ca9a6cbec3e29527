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
    /// Which examples each part of the set had.
    package let parts: PartStarts
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

  /// Writes `train.jsonl` and `valid.jsonl` of the parts at `paths`, one at least, into `folder`, which is made if need be.
  ///
  /// - Throws: `DataSetError.refused` when a line has errors, `.tooFew`, `.exists`, `.overwritesInput`, `.file` or
  ///   `.cancelled`; then neither file has been written, or, when the disk fails at the last moment, one of them.
  package func write(
    _ paths: [String], into folder: String, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DataSetError) -> Result {
    let training = FilePath.join(folder, "train.jsonl")
    let valid = FilePath.join(folder, "valid.jsonl")
    for target in [training, valid] {
      for path in paths {
        try DataSetError.checkTarget(target, input: path, replaces: replaces)
      }
    }
    var set = try SplitExamples(paths, near: folder)
    try set.read(isCancelled)
    let chosen = try reading { () throws(FileError) in
      try set.families.choose(share: share, seed: seed)
    }
    guard let (isHeld, summary) = chosen else {
      throw .tooFew(path: paths[0], count: set.families.count == 0 ? 0 : 1)
    }
    try set.copy(isHeld, to: (training, valid), in: folder, isCancelled)
    let held = isHeld.count { $0 }
    return Result(
      training: training, heldOut: valid, trainingCount: isHeld.count - held, heldOutCount: held,
      families: summary, parts: set.starts)
  }
}

/// The examples of all parts of a set.
private struct SplitExamples {
  private(set) var families: ExampleFamilies
  private(set) var starts = PartStarts()
  private let files: [FileReader]
  /// For each line of each part whether it is an example, which an empty one is not.
  private var isExample: [[Bool]] = []

  /// Parts that are open from now on; what has no room in memory goes to where `folder` is to be.
  init(_ paths: [String], near folder: String) throws(DataSetError) {
    var files: [FileReader] = []
    for path in paths {
      files.append(try reading { () throws(FileError) in try FileReader(path: path) })
    }
    self.files = files
    families = ExampleFamilies(in: Self.existing(folder))
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

  mutating func read(_ isCancelled: () -> Bool) throws(DataSetError) {
    var (found, parts) = (FindingList(), [DataReport.File]())
    for file in files {
      let first = families.count
      starts.add(file.path, first: first)
      isExample.append(try read(file, &found, isCancelled))
      parts.append(.init(path: file.path, examples: families.count - first))
    }
    try found.accept(parts)
  }

  private mutating func read(
    _ file: FileReader, _ found: inout FindingList, _ isCancelled: () -> Bool
  ) throws(DataSetError) -> [Bool] {
    var (reader, isExample) = (DataSetReader(file), [Bool]())
    try BlockPipeline.run { () throws(DataSetError) in
      try reader.block()
    } each: { (block) throws(DataSetError) in
      guard !isCancelled() else { throw .cancelled }
      return block
    } make: { records in
      records.map { ($0.errors, $0.example.map(ExampleFamilies.Entry.init)) }
    } take: { (shares) throws(DataSetError) in
      for case let (errors, entry) in shares.joined() {
        found.add(errors)
        isExample.append(entry != nil)
        guard let entry else { continue }
        try reading { () throws(FileError) in try families.insert(entry) }
      }
    }
    return isExample
  }

  /// Copies each line that has an example to one of two files.
  func copy(
    _ isHeld: [Bool], to paths: (training: String, heldOut: String), in folder: String,
    _ isCancelled: () -> Bool
  ) throws(DataSetError) {
    do throws(FileError) {
      try FileSystem.createDirectory(folder)
      var training = LineFile(try AtomicFile(path: paths.training))
      var heldOut = LineFile(try AtomicFile(path: paths.heldOut))
      var place = -1
      for (part, file) in files.enumerated() where !isCancelled() {
        var lines = LineReader(file, limit: DataSetReader.lineLimit)
        while let line = try lines.next() {
          if isCancelled() { break }
          guard line.number <= isExample[part].count else {
            throw FileError.changed(path: file.path)
          }
          guard isExample[part][line.number - 1] else { continue }
          place += 1
          if isHeld[place] {
            try heldOut.write(line.bytes)
          } else {
            try training.write(line.bytes)
          }
        }
        try file.checkUnchanged()
      }
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

/// A file of lines as they stood in several, of which a last one may have had no end.
private struct LineFile: ~Copyable {
  private var file: AtomicFile
  private var isOpen = false

  init(_ file: consuming AtomicFile) { self.file = file }

  mutating func write(_ bytes: [UInt8]) throws(FileError) {
    if isOpen { try file.write([0x0A]) }
    try file.write(bytes)
    isOpen = bytes.last != 0x0A
  }

  consuming func commit() throws(FileError) { try file.commit() }
}
