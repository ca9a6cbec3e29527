import Adapters
import Kernels
import SystemFiles
import TensorFiles

extension AdapterTrainer {
  private static let kind = "fmadapter.checkpoint."
  private static let format = kind + "3"

  /// Writes all that the training needs to go on to one file, which appears whole or not at all.
  ///
  /// - Throws: `TrainingError.file`.
  public func writeCheckpoint(to path: String) throws(TrainingError) {
    var writer = SafetensorsWriter()
    writer.metadata = [
      "format": Self.format, "steps": "\(stepsDone)", "training": fingerprint,
      "learningRate": "\(options.learningRate)", "extensions": "\(extensions)",
      "losses": watch.points.map(Self.text).joined(separator: ","),
      "batches": (watch.firstStep.map { [$0] + watch.recent } ?? []).map { "\($0)" }
        .joined(separator: ","),
    ]
    var parts = [("", factors), (".mean", optimizer.first), (".square", optimizer.second)]
    if let average { parts.append((".average", average.factors)) }
    if let kept { parts.append((".kept", kept)) }
    for (part, values) in parts {
      for (layer, target) in values.places {
        guard let pair = values.layers[layer][target] else { continue }
        let stem = "blk.\(layer).\(target.rawValue)"
        for (factor, matrix) in [("a", pair.a), ("b", pair.b)] {
          writer.append(
            "\(stem).\(factor)\(part)", .float32, shape: [matrix.rows, matrix.columns],
            matrix.bytes)
        }
      }
    }
    do { try writer.write(to: path) } catch { throw .file(error) }
  }

  /// Goes on where the checkpoint at `path` was written.
  ///
  /// - Throws: `TrainingError.otherTraining` unless base, examples and options are those of that training,
  ///   `.otherVersion` for one that another version of the program wrote, `.checkpoint` for a damaged one, or `.file`; then
  ///   everything is as before.
  public func resume(from path: String) throws(TrainingError) {
    try resume(from: try Self.open(path))
  }

  func resume(from file: SafetensorsFile) throws(TrainingError) {
    let path = file.path
    guard let steps = file.metadata["steps"].flatMap({ Int($0) }),
      let points = file.metadata["losses"].flatMap(Self.points),
      let batches = file.metadata["batches"].flatMap(Self.numbers),
      // A training that never goes on may have been begun by a version that knew no such.
      let extensions = Int(file.metadata["extensions"] ?? "0")
    else { throw .checkpoint(path: path, problem: "the file is not a checkpoint of a training") }
    guard file.metadata["training"] == fingerprint else { throw .otherTraining(path: path) }
    guard (0...options.extensions).contains(extensions) else {
      throw .checkpoint(
        path: path,
        problem:
          "the checkpoint went on \(Figures.grouped(extensions)) times, of at most \(options.extensions)"
      )
    }
    let all = stepCount(extensions: extensions)
    guard (0...all).contains(steps) else {
      throw .checkpoint(
        path: path,
        problem: "the checkpoint has \(Figures.grouped(steps)) steps of \(Figures.grouped(all))")
    }
    let values = try read(file, "")
    let mean = try read(file, ".mean")
    let square = try read(file, ".square")
    let learnt = average == nil ? values : try read(file, ".average")
    let isKept = file.tensors.contains { $0.name.hasSuffix(".kept") }
    let best = isKept ? try read(file, ".kept") : nil
    try file.checkWhole()
    kept = best
    factors = values
    watch = LossWatch(points, firstStep: batches.first, recent: Array(batches.dropFirst()))
    extend(to: extensions)
    average?.factors = learnt
    (optimizer.first, optimizer.second, optimizer.count) = (mean, square, steps)
  }

  /// The learning rate of the training that the checkpoint at `path` is of, which may have been found by trials.
  ///
  /// - Throws: `TrainingError.checkpoint` for a file that is none, `.otherVersion`, or `.file`.
  package static func learningRate(ofCheckpoint path: String) throws(TrainingError) -> Double {
    guard let rate = try open(path).metadata["learningRate"].flatMap({ Double($0) }) else {
      throw .checkpoint(path: path, problem: "the file is not a checkpoint of a training")
    }
    return rate
  }

  private static func open(_ path: String) throws(TrainingError) -> SafetensorsFile {
    let file = try SafetensorsFile(checkpoint: path)
    try file.check(format, of: kind, "the file is not a checkpoint of a training")
    return file
  }

  /// A step and its loss, and behind them the rewards of pairs.
  private static func text(_ point: LossWatch.Point) -> String {
    let rewards =
      point.rewards.map { " \($0.chosen) \($0.rejected) \($0.accuracy) \(point.error ?? 0)" } ?? ""
    return "\(point.step) \(point.loss)\(rewards)"
  }

  /// Finite numbers, as a checkpoint has them.
  private static func numbers(_ text: String) -> [Double]? {
    let parts = text.split(separator: ",")
    let numbers = parts.compactMap { Double($0) }.filter(\.isFinite)
    return numbers.count == parts.count ? numbers : nil
  }

  /// Steps, losses and rewards, as a checkpoint has them.
  private static func points(_ text: String) -> [LossWatch.Point]? {
    let parts = text.split(separator: ",").map { $0.split(separator: " ") }
    let points = parts.compactMap { part -> LossWatch.Point? in
      let numbers = part.dropFirst().compactMap { Double($0) }.filter(\.isFinite)
      guard numbers.count == part.count - 1, [1, 4, 5].contains(numbers.count),
        let step = Int(part[0])
      else { return nil }
      guard numbers.count > 1 else { return LossWatch.Point(step: step, loss: numbers[0]) }
      return LossWatch.Point(
        step: step, loss: numbers[0],
        rewards: PreferenceRewards(
          chosen: numbers[1], rejected: numbers[2], accuracy: numbers[3]),
        error: numbers.count > 4 ? numbers[4] : nil)
    }
    return points.count == parts.count ? points : nil
  }

  private func read(
    _ file: SafetensorsFile, _ part: String
  ) throws(TrainingError) -> AdapterFactors {
    var result = factors
    try result.update { (layer, target, pair) throws(TrainingError) in
      let stem = "blk.\(layer).\(target.rawValue)"
      pair.a = try file.matrix("\(stem).a\(part)", like: pair.a)
      pair.b = try file.matrix("\(stem).b\(part)", like: pair.b)
    }
    return result
  }
}

extension SafetensorsFile {
  /// Opens the checkpoint at `path`.
  ///
  /// - Throws: `TrainingError.file` where the system refuses it, `.checkpoint` for a damaged one.
  init(checkpoint path: String) throws(TrainingError) {
    do throws(FileError) { try self.init(path: path) } catch {
      // No other copy is anywhere to mend it with.
      guard !error.isRefusal else { throw .file(error) }
      let problem = error.text.problem
      throw .checkpoint(
        path: path,
        problem: problem.hasPrefix(path + ": ")
          ? String(problem.dropFirst(path.count + 2)) : problem)
    }
  }

  /// That what was read of the checkpoint is what was written to it, and no more was read than is there.
  ///
  /// - Throws: `TrainingError.file` where it was cut or written to since it was opened.
  func checkWhole() throws(TrainingError) {
    do throws(FileError) { try checkUnchanged() } catch { throw .file(error) }
  }

  /// Whether the file is a checkpoint in `format`, one of those whose names begin with `kind`.
  ///
  /// - Throws: `TrainingError.otherVersion` for another one of these, `.checkpoint` with `problem` for anything else.
  func check(_ format: String, of kind: String, _ problem: String) throws(TrainingError) {
    guard metadata["format"] != format else { return }
    throw metadata["format"]?.hasPrefix(kind) == true
      ? .otherVersion(path: path) : .checkpoint(path: path, problem: problem)
  }

  /// The tensor called `name`, of the shape of `other`.
  ///
  /// - Throws: `TrainingError.checkpoint` when it is missing, of another shape, or not finite.
  func matrix(_ name: String, like other: FloatMatrix) throws(TrainingError) -> FloatMatrix {
    guard let tensor = tensor(named: name), tensor.type == .float32,
      tensor.shape == [other.rows, other.columns]
    else {
      throw .checkpoint(
        path: path, problem: "the tensor '\(name)' is missing or of another shape")
    }
    let matrix = FloatMatrix(
      WeightMatrix(type: .f32, rows: other.rows, columns: other.columns, bytes: tensor.bytes))
    guard matrix.values.allSatisfy(\.isFinite) else {
      throw .checkpoint(
        path: path, problem: "the tensor '\(name)' has values that are not finite")
    }
    return matrix
  }
}
