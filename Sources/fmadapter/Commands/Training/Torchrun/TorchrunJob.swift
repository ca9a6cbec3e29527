import AdapterTraining
import Adapters
import Glibc
import Interchange
import JSON
import LanguageModels
import SystemFiles

/// A training for other machines: a folder that torchrun trains with PEFT and TRL, and what comes back.
///
/// ```
/// run.sh, train.py, requirements.txt    how it is started, what it does, what Python needs
/// job.json                              what is trained, and how
/// train.jsonl, valid.jsonl              tokens and labels, as a training here has them
/// adapter/, log.jsonl                   what comes back: PEFT's files, and what happened
/// ```
struct TorchrunJob {
  let preparation: TrainingPreparation
  let place: TrainingPlace
  /// What programs of PEFT load as the base: a repository of the hub, or a folder.
  let baseModel: String
  var nodes = 1
  var processes = 1

  private var options: TrainingOptions { preparation.options }
  private var data: TrainingData { preparation.data }

  /// Path of the folder, beside the package.
  static func folder(of place: TrainingPlace) -> String { place.files.stem + ".torchrun" }

  var folder: String { Self.folder(of: place) }

  /// Whether a training there has ended.
  static func isDone(_ folder: String) -> Bool {
    Library.exists(FilePath.join(folder, "adapter/adapter_config.json"))
  }

  /// Writes the folder, complete or not at all.
  func write() throws {
    let made = FilePath.sibling(of: folder)
    do {
      try FileSystem.createDirectory(made)
      try AtomicFile.write(
        Array((JSONValue.object(try job).text + "\n").utf8), to: FilePath.join(made, "job.json"))
      try write(data.examples, to: FilePath.join(made, "train.jsonl"))
      try write(
        data.heldOut.isEmpty ? data.examples : data.heldOut, to: FilePath.join(made, "valid.jsonl"))
      let start = TorchrunScript.start.replacing("NODES_OF_JOB", with: "\(nodes)")
        .replacing("PROCESSES_OF_JOB", with: "\(processes)")
      let files = [
        ("run.sh", start), ("train.py", TorchrunScript.program),
        ("requirements.txt", TorchrunScript.requirements),
      ]
      for (name, text) in files {
        try AtomicFile.write(Array(text.utf8), to: FilePath.join(made, name))
      }
      try FileSystem.removeTree(folder)
      try FileSystem.rename(made, to: folder)
    } catch {
      try? FileSystem.removeTree(made)
      throw error
    }
  }

  private func write(_ examples: [TokenizedExample], to path: String) throws {
    let limit = context
    var text = ""
    for example in examples {
      let tokens = example.tokens.prefix(limit).map { Int($0) }
      // What is not learnt has the label that PyTorch leaves out of losses.
      let labels = zip(tokens, example.mask).map { $1 ? $0 : -100 }
      let line: JSONObject = [
        "input_ids": .array(tokens.map(JSONValue.integer)),
        "labels": .array(labels.map(JSONValue.integer)),
      ]
      text += JSONValue.object(line).line + "\n"
    }
    try AtomicFile.write(Array(text.utf8), to: path)
  }

  private var context: Int {
    options.contextLength ?? preparation.base.model.configuration.contextLength
  }

  private var targetModules: [String] {
    get throws {
      do throws(InterchangeError) {
        return try ExchangeBase(preparation.base.model).targetModules(of: options.targets)
      } catch {
        guard case .noNames(let architecture, _) = error else { throw error }
        throw Failure(
          .incompatible,
          "PEFT cannot train a base of \(architecture)\(remedy: "train it here, without --on")")
      }
    }
  }

  private var job: JSONObject {
    get throws {
      let tokens = data.examples.reduce(0) { $0 + $1.size(limit: context) }
      // Steps are counted in examples there; as many as have the tokens of a step here.
      let usual = max(options.tokensPerStep * data.examples.count / max(tokens, 1), 1)
      let perStep =
        min(options.examplesPerStep ?? usual, data.examples.count) * options.accumulation
      let perEpoch = (data.examples.count + perStep - 1) / perStep
      let steps = options.steps ?? perEpoch * options.epochs
      let warmup =
        options.warmupSteps ?? options.warmupEpochs.map { $0 * perEpoch } ?? min(steps / 20, 100)
      return [
        "formatVersion": .integer(1), "baseModel": .string(baseModel),
        "baseModelSignature": .string(try preparation.base.model.signature()),
        "rank": .integer(options.rank), "alpha": .decimal(options.alpha),
        "targetModules": .texts(try targetModules),
        "dropout": .decimal(options.dropout), "epochs": .integer(options.epochs),
        "steps": .whole(options.steps), "examplesPerStep": .integer(perStep),
        "examplesAtOnce": .integer(8), "learningRate": .decimal(options.learningRate),
        "schedule": .string(options.schedule.rawValue), "warmupSteps": .integer(warmup),
        "weightDecay": .decimal(options.weightDecay),
        "betas": .array([
          .decimal(TrainingOptions.adam.beta1), .decimal(TrainingOptions.adam.beta2),
        ]),
        "epsilon": .decimal(TrainingOptions.adam.epsilon),
        "maximumGradientNorm": .decimal(options.maximumGradientNorm),
        "contextLength": .integer(context), "seed": .integer(Int(options.seed % (1 << 31))),
        "data": .string(FilePath.name(of: data.path)), "dataSHA256": .string(data.digest),
      ]
    }
  }

  /// Trains here; false where Python has not what it needs.
  ///
  /// - Throws: `Failure` where the training fails, or is stopped.
  static func run(_ folder: String, _ terminal: Terminal) throws -> Bool {
    let python = terminal.environment["FMADAPTER_PYTHON"] ?? "python3"
    func shell(_ command: String) -> TerminalControl.ProgramEnd {
      TerminalControl.runShell(
        command, input: [], environment: terminal.environment.merging(["PYTHON": python]) { $1 },
        limit: 1 << 20, isStopped: { Task.isCancelled })
    }
    guard
      case .ended(_, 0) = shell(
        "\(python.shellWord) -c 'import \(TorchrunScript.modules)' >/dev/null 2>&1")
    else {
      try Task.checkCancellation()
      return false
    }
    terminal.note("training with \(python) in \(folder)")
    switch shell("exec sh \(FilePath.join(folder, "run.sh").shellWord) >&2") {
    case .ended(_, 0): return true
    case .ended(_, let status):
      throw Failure(
        .invalid,
        "\(folder): the training ended with exit status \(status)"
          + "\(remedy: "what Python said stands above; 'sh \(FilePath.join(folder, "run.sh").shellWord)' runs it again")"
      )
    case .stopped, .tooMuch: throw CancellationError()
    case .failed(let code):
      throw Failure(.storage, "the shell cannot be started (\(code))\(remedy: "try again")")
    }
  }
}
