import TensorFiles

/// Divides a data set into lines to train on and lines held out, by what they say.
///
/// A seed and the content of an example decide where it goes, never its line: equal examples stay together, and the order
/// of the file does not matter. The files hold the lines of the input byte for byte and in their order; empty
/// lines are left out.
public struct DataSplit: Sendable {
  /// What was written.
  public struct Result: Sendable, Equatable {
    /// Path of the file to train on.
    public let training: String
    /// Path of the file that is held out.
    public let heldOut: String
    /// Lines in the first.
    public let trainingCount: Int
    /// Lines in the second.
    public let heldOutCount: Int
  }

  /// The share of the different examples that is held out, above 0 and below 1.
  public let share: Double
  /// Chooses which ones.
  public let seed: UInt64
  /// Whether files that stand where the new ones go are replaced.
  public var replaces = false

  /// Holds out about `share` of the examples: at least one, and never all.
  public init(share: Double, seed: UInt64) {
    precondition(share > 0 && share < 1, "the share has to be above 0 and below 1")
    self.share = share
    self.seed = seed
  }

  /// Writes `train.jsonl` and `valid.jsonl` of the file at `path` into `folder`, which is made if need be.
  ///
  /// - Throws: `DataSetError.refused` when a line has errors, `.tooFew`, `.exists`, `.overwritesInput`, `.file` or
  ///   `.cancelled`; then neither file has been written, or, when the disk fails at the last moment, one of them.
  public func write(
    _ path: String, into folder: String, isCancelled: () -> Bool = { false }
  ) throws(DataSetError) -> Result {
    let training = FilePath.join(folder, "train.jsonl")
    let valid = FilePath.join(folder, "valid.jsonl")
    for target in [training, valid] {
      try DataSetError.checkTarget(target, input: path, replaces: replaces)
    }
    let file = try reading { () throws(TensorFileError) in try FileReader(path: path) }
    let keys = try keys(of: file, isCancelled)
    let known = keys.compactMap(\.self)
    let held = try heldOut(Set(known), path)
    try copy(file, keys, held, to: (training, valid), in: folder, isCancelled)
    let count = known.count(where: held.contains)
    return Result(
      training: training, heldOut: valid, trainingCount: known.count - count, heldOutCount: count)
  }

  /// For each line, what it says; nil for an empty one.
  private func keys(
    of file: FileReader, _ isCancelled: () -> Bool
  ) throws(DataSetError) -> [ContentKey?] {
    var reader = DataSetReader(file)
    var found = FindingList()
    var keys: [ContentKey?] = []
    while let record = try reader.record() {
      guard !isCancelled() else { throw .cancelled }
      found.add(record.errors)
      keys.append(record.example?.key)
    }
    try found.accept(file.path, examples: keys.count { $0 != nil })
    return keys
  }

  /// The examples whose lot, drawn from seed and content, is among the lowest.
  private func heldOut(
    _ keys: Set<ContentKey>, _ path: String
  ) throws(DataSetError) -> Set<ContentKey> {
    guard keys.count > 1 else { throw .tooFew(path: path, count: keys.count) }
    let count = min(max(Int((Double(keys.count) * share).rounded()), 1), keys.count - 1)
    let drawn = keys.map { (lot: $0.lot(seed), key: $0) }
    let sorted = drawn.sorted {
      ($0.lot, $0.key.high, $0.key.low) < ($1.lot, $1.key.high, $1.key.low)
    }
    return Set(sorted.prefix(count).map(\.key))
  }

  /// Copies each line of a file whose key is known to one of two files.
  private func copy(
    _ file: FileReader, _ keys: [ContentKey?], _ held: Set<ContentKey>,
    to paths: (training: String, heldOut: String), in folder: String, _ isCancelled: () -> Bool
  ) throws(DataSetError) {
    do throws(TensorFileError) {
      try FileSystem.createDirectory(folder)
      var lines = LineReader(file, limit: DataSetReader.lineLimit)
      var training = try AtomicFile(path: paths.training)
      var heldOut = try AtomicFile(path: paths.heldOut)
      while let line = try lines.next() {
        if isCancelled() { break }
        guard line.number <= keys.count else { throw TensorFileError.changed(path: file.path) }
        guard let key = keys[line.number - 1] else { continue }
        let bytes = try file.read(line.offset..<line.offset + line.length)
        if held.contains(key) {
          try heldOut.write(bytes)
        } else {
          try training.write(bytes)
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

extension ContentKey {
  /// A number that depends on seed and content alone.
  fileprivate func lot(_ seed: UInt64) -> UInt64 {
    let bytes = [seed, high, low].flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return ContentKey(bytes).high
  }
}
