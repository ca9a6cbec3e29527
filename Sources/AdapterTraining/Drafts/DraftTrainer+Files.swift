public import Kernels
package import LanguageModels
import SystemFiles
import TensorFiles

extension DraftTrainer {
  /// Writes all that the training needs to go on to one file, which appears whole or not at all.
  ///
  /// - Throws: `TrainingError.file`.
  public func writeCheckpoint(to path: String) throws(TrainingError) {
    var writer = answers.checkpoint
    writer.metadata["steps"] = "\(stepsDone)"
    writer.metadata["training"] = fingerprint
    for (part, values) in [
      ("", weights), (".mean", optimizer.first), (".square", optimizer.second),
    ] {
      for name in values.names {
        guard let matrix = values[name] else { continue }
        writer.append(name + part, .float32, shape: [matrix.rows, matrix.columns], matrix.bytes)
      }
    }
    do { try writer.write(to: path) } catch { throw .file(error) }
  }

  /// Goes on where the checkpoint at `path` was written; one of answers alone changes nothing.
  ///
  /// - Throws: `TrainingError.otherTraining` unless base, adapters, answers and options are those of that training,
  ///   `.checkpoint` for a damaged one, or `.file`; then everything is as before.
  public func resume(from path: String) throws(TrainingError) {
    try resume(from: try DraftAnswers.checkpoint(at: path, answers.fingerprint))
  }

  func resume(from file: SafetensorsFile) throws(TrainingError) {
    let path = file.path
    guard let training = file.metadata["training"] else { return }
    guard training == fingerprint else { throw .otherTraining(path: path) }
    guard let steps = file.metadata["steps"].flatMap({ Int($0) }), (0...stepCount).contains(steps)
    else { throw .checkpoint(path: path, problem: "the checkpoint does not say its step") }
    let values = try read(file, "")
    let mean = try read(file, ".mean")
    let square = try read(file, ".square")
    try file.checkWhole()
    weights = values
    (optimizer.first, optimizer.second, optimizer.count) = (mean, square, steps)
  }

  private func read(
    _ file: SafetensorsFile, _ part: String
  ) throws(TrainingError) -> DraftWeights {
    var result = weights
    for name in result.names {
      guard let matrix = result[name] else { continue }
      result[name] = try file.matrix(name + part, like: matrix)
    }
    return result
  }

  /// Writes the draft as it is now, its matrices in `type` where their rows are whole blocks, as a model for
  /// `DraftModel`.
  ///
  /// - Throws: `TrainingError.diverged` for weights that are not finite, `.file` or `.cancelled`; then nothing has changed at
  ///   the path, but for a `.file` with `FileOperation.confirm`.
  public func writeDraft(
    to path: String, type: TensorType = .q8_0, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) {
    let plan = TensorTypePlan(type: type)
    let (rows, shape) = (base.configuration.vocabularySize, options.shape)
    var head = GGUFWriter()
    for (key, value) in try metadata(plan) { head.set(key, value) }
    let shapes = shape.tensors(inputs: rows, outputs: tokens.count).map { tensor in
      (tensor.name, tensor.rows == 1 ? [tensor.columns] : [tensor.columns, tensor.rows])
    }
    let tensors = zip(shapes, plan.types(of: shapes)).map { shape, type in
      GGUFWriter.Tensor(name: shape.0, type: type, dimensions: shape.1)
    }
    guard weights.matrices.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
      throw .diverged(step: stepsDone)
    }
    for tensor in tensors { head.append(tensor) }
    do throws(FileError) {
      var stream = try GGUFStream(head, path: path)
      var isStopped = false
      for tensor in tensors where !isStopped {
        guard let matrix = weights[tensor.name] else { continue }
        guard tensor.name == "token_embd.weight" else {
          try stream.write(TensorBytes(quantize(tensor.type, values: matrix.values)))
          continue
        }
        for first in stride(from: 0, to: rows, by: 4096) where !isStopped {
          isStopped = isCancelled()
          let part = start.embedding(first..<min(first + 4096, rows), trained: matrix)
          try stream.write(TensorBytes(quantize(tensor.type, values: part.values)))
        }
      }
      if !isStopped { return try stream.commit() }
    } catch {
      throw .file(error)
    }
    throw .cancelled
  }

  /// Keys and values of the file: those of the base's tokens, and where it is from.
  private func metadata(
    _ plan: TensorTypePlan
  ) throws(TrainingError) -> [(key: String, value: GGUFValue)] {
    let context = base.configuration.contextLength
    let metadata = base.file.metadata
    let tokenizer = metadata.keys.filter {
      $0.hasPrefix("tokenizer.") && !$0.hasPrefix("tokenizer.chat_template")
    }
    let signature = try AdapterTrainer.signature(of: base)
    return options.shape.metadata(contextLength: context)
      + [
        ("llama.vocab_size", .uint32(UInt32(base.configuration.vocabularySize))),
        ("general.name", .text("draft")), ("general.file_type", .uint32(plan.fileType)),
        ("fmadapter.draft.tokens", .integers(tokens)),
        ("fmadapter.draft.base", .text(signature)),
        ("fmadapter.draft.training", .text(fingerprint)),
        ("fmadapter.draft.loss", .text(options.loss.rawValue)),
        ("fmadapter.draft.steps", .uint32(UInt32(clamping: stepsDone))),
      ] + (plan.type.blockLength > 1 ? [("general.quantization_version", .uint32(2))] : [])
      + tokenizer.compactMap { key in metadata[key].map { (key, $0) } }
  }

  /// How well `draft`, as it was written, foretells the answers that are held out: as `measure(isCancelled:)`, without the
  /// divergence.
  package func measure(
    _ draft: DraftModel, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(TrainingError) -> DraftMeasure {
    do throws(BaseModelError) {
      return try measure(draft.model, isCancelled)
    } catch {
      throw TrainingError(error)
    }
  }

  private func measure(
    _ draft: BaseModel, _ isCancelled: () -> Bool
  ) throws(BaseModelError) -> DraftMeasure {
    var measure = DraftMeasure()
    let session = try ModelSession(
      draft, contextLength: base.configuration.contextLength, threads: options.threads)
    for place in measuredPlaces {
      let (prompt, answer) = (answers.prompts[place], answers.answers[place] ?? [])
      let first = prompt.count - 1
      let teacher = try teacher.rows(place, prompt + answer, from: first, isCancelled: isCancelled)
      var agreements: [Bool] = []
      session.truncate(to: 0)
      if first > 0 { try session.evaluate(Array(prompt[..<first]), isCancelled: isCancelled) }
      try session.evaluate([prompt[first]] + answer, isCancelled: isCancelled) { _, logits in
        let best = logits.indices.max { logits[$0] < logits[$1] }
        agreements.append(best == teacher.best[agreements.count])
      }
      measure.agreements.append(agreements)
    }
    return measure
  }
}

extension DraftAnswers {
  private static let kind = "fmadapter.draft-checkpoint."
  private static let format = kind + "1"

  /// The file that keeps the answers.
  var checkpoint: SafetensorsWriter {
    var writer = SafetensorsWriter()
    writer.metadata = ["format": Self.format, "answers": fingerprint]
    writer.append(answers)
    return writer
  }

  static func checkpoint(
    at path: String, _ fingerprint: String
  ) throws(TrainingError) -> SafetensorsFile {
    let file = try SafetensorsFile(checkpoint: path)
    try file.check(format, of: kind, "the file is not a checkpoint of a draft's training")
    guard file.metadata["answers"] == fingerprint else { throw .otherTraining(path: path) }
    return file
  }

  /// Keeps the answers so far in one file, which appears whole or not at all.
  ///
  /// - Throws: `TrainingError.file`.
  public func writeCheckpoint(to path: String) throws(TrainingError) {
    do { try checkpoint.write(to: path) } catch { throw .file(error) }
  }

  /// Takes the answers of the checkpoint at `path`, be it of answers alone or of a training.
  ///
  /// - Throws: `TrainingError.otherTraining` unless they are of the same base, adapters, prompts and options,
  ///   `.checkpoint` for a damaged one, or `.file`; then everything is as before.
  public mutating func resume(from path: String) throws(TrainingError) {
    try resume(from: try Self.checkpoint(at: path, fingerprint))
  }

  mutating func resume(from file: SafetensorsFile) throws(TrainingError) {
    let kept = file.answers(count: prompts.count, limit: vocabularySize)
    // What was read of a file that is cut may look damaged.
    try file.checkWhole()
    guard let kept else {
      throw .checkpoint(path: file.path, problem: "the answers are damaged")
    }
    answers = kept
  }
}
