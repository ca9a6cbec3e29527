import Adapters
import AdapterTraining
import ChatTemplates
import LanguageModels
import TensorFiles

/// Examples to train on and examples that are held out, checked and in tokens.
struct TrainingData {
  let path: String
  let heldOutPath: String?
  private(set) var examples: [TokenizedExample]
  private(set) var heldOut: [TokenizedExample]
  /// SHA-256 of the file to train on.
  let digest: String
  /// What is lowered.
  private(set) var objective = TrainingObjective.sft

  /// Sets with fewer examples are too small for a part of them to tell anything.
  private static let fewest = 20

  /// Reads both; errors of either are reported together, warnings counted.
  ///
  /// Without a file that is held out, families of about
  /// `share` of the examples are, as `data split` chooses them.
  init(
    _ path: String, heldOut heldOutPath: String?, share: Double = 0, _ base: DataOptions.Base,
    threads: Int?, _ terminal: Terminal
  ) throws {
    let paths = [path] + (heldOutPath.map { [$0] } ?? [])
    var check = DataCheck()
    check.renderer = base.renderer
    check.threads = threads
    check.contextLength = base.model.configuration.contextLength
    let bar = ProgressLine("checking", terminal)
    defer { bar.finish() }
    let report = try check.run(
      paths, progress: { bar.update(done: $0, total: $1, $2) }, isCancelled: { Task.isCancelled })
    bar.finish()
    guard report.isAccepted else { throw DataSetError.refused(report) }
    let warnings = report.count(.warning)
    if warnings > 0 {
      let names = paths.joined(separator: " ")
      terminal.warn(
        "\(Figures.count(warnings, "warning")); 'fmadapter data check \(names)' lists them")
    }
    self.path = path
    self.heldOutPath = heldOutPath
    digest = try SHA256.hex(ofFile: path)
    let set = try DataSet(path: path).examples
    examples = try set.map { try base.renderer.render($0) }
    heldOut =
      try heldOutPath.map { try DataSet(path: $0).examples.map { try base.renderer.render($0) } }
      ?? []
    if heldOutPath == nil, share > 0 { holdOut(share, set, terminal) }
  }

  private mutating func holdOut(_ share: Double, _ set: [TrainingExample], _ terminal: Terminal) {
    guard set.count >= Self.fewest else {
      return terminal.note(
        "too few examples to hold some out: the loss of those to train on is watched")
    }
    var families = ExampleFamilies()
    set.forEach { families.add($0) }
    guard let (held, summary) = families.heldOut(share: share, seed: 0) else { return }
    heldOut = held.sorted().map { examples[$0] }
    examples = examples.indices.filter { !held.contains($0) }.map { examples[$0] }
    let what =
      "\(Figures.grouped(heldOut.count)) of \(Figures.count(set.count, "example")) held out"
    terminal.note(
      summary.isDivided
        ? "\(what), made like those to train on: nearly all are of one family"
        : "\(what), of other families than those to train on")
  }
}

extension TrainingData {
  /// Chooses what is lowered where nobody has: pairs are compared, single answers learnt; and leaves what that needs of the examples.
  ///
  /// - Throws: `TrainingError.noPair` for an example that is none among pairs.
  mutating func prepare(for wanted: TrainingObjective?) throws -> TrainingObjective {
    let all = examples + heldOut
    let single = all.first { $0.rejected == nil }
    objective = wanted ?? (all.contains { $0.rejected != nil } ? .dpo : .sft)
    guard objective.needsPairs else {
      (examples, heldOut) = (examples.map(\.chosen), heldOut.map(\.chosen))
      return objective
    }
    if let single { throw TrainingError.noPair(line: single.line) }
    return objective
  }

  /// Asks the reference of DPO, once for all pairs.
  mutating func refer(to meter: LossMeter, contextLength: Int?, _ terminal: Terminal) throws {
    let bar = ProgressLine("asking the reference", terminal)
    defer { bar.finish() }
    let found = try meter.referring(
      examples + heldOut, contextLength: contextLength, isCancelled: { Task.isCancelled },
      progress: { bar.update(done: $0, total: $1) })
    (examples, heldOut) = (
      Array(found.prefix(examples.count)), Array(found.dropFirst(examples.count))
    )
  }
}

/// A place of what a training makes, and beside it of what it needs to go on.
protocol ResumablePlace {
  /// Path of the file with all that the training needs to go on.
  var checkpoint: String { get }
}

extension ResumablePlace {
  /// Refuses a checkpoint that was not said to go or to be used, and a folder for `result` that is not there.
  func check(replaces: Bool, resumes: Bool, folder: String, for result: String) throws {
    if !replaces, !resumes, try FileSystem.info(checkpoint) != nil {
      throw Failure(
        .usage,
        "\(checkpoint): a training was stopped here"
          + "\(remedy: "--resume goes on with it, --force starts anew")")
    }
    try Shelf.checkFolder(folder, for: result)
  }

  /// Removes the checkpoint, where there is one.
  func removeCheckpoint() throws {
    if try FileSystem.info(checkpoint) != nil { try FileSystem.removeTree(checkpoint) }
  }
}

/// Where a training puts its package, and beside it what it needs to go on and what it tells.
struct TrainingPlace: ResumablePlace {
  /// Path of the package.
  let package: String
  /// Whether a package that stands there is replaced.
  let replaces: Bool

  /// Refuses a place where something stands already that was not said to go.
  init(_ path: String, replaces: Bool, resumes: Bool, goesOn: Bool) throws {
    let suffix = ".fmadapter"
    package = path.hasSuffix(suffix) ? path : path + suffix
    self.replaces = replaces || goesOn
    let stands = try FileSystem.info(package) != nil
    if goesOn, !stands {
      throw Failure(
        .notFound,
        "\(package): there is no package to go on with\(remedy: "train one without --more-epochs")")
    }
    if !self.replaces, stands { throw AdapterError.exists(path: package) }
    try check(
      replaces: replaces, resumes: resumes, folder: FilePath.parent(of: package), for: "package")
  }

  /// Path of the file with all that the training needs to go on.
  var checkpoint: String { package + ".checkpoint" }
  /// Path of the file with all settings, with which the training can be repeated.
  var settings: String { stem + ".training.json" }
  /// Path of the file with what happened, as JSON lines.
  var log: String { stem + ".training.jsonl" }
  /// Path of the page that shows it.
  var page: String { stem + ".training.html" }

  private var stem: String { String(package.dropLast(".fmadapter".count)) }

  /// The folder's name without its ending.
  var name: String { String(FilePath.name(of: package).dropLast(".fmadapter".count)) }
}

/// All that a training is made of, as the file beside its package has it.
struct TrainingSettings {
  static let format = "fmadapter.training.1"

  var data: String
  var dataSHA256: String?
  var valid: String?
  /// Share of the examples that is held out where there is no file for that.
  var heldOut = 0.1
  /// The base as it was named; nil for the one in use.
  var base: String?
  /// The chat format, where it is not the base's own.
  var chatFormat: String?
  /// The adapter to start from.
  var from: String?
  var patience = 6
  var name: String?
  var author = ""
  var description = ""
  var license = ""
  var version: String?
  var suffixes = false
  /// Content hash of the package that the training went on with, and replaced.
  var goesOnWith: String?
  /// Nil before the data is known.
  var options: TrainingOptions?

  init(data: String) { self.data = data }

  /// Reads the file at `path`.
  ///
  /// - Throws: `Failure` where it is missing, or none that a training wrote.
  init(path: String) throws {
    let bytes = try FileSystem.read(path, limit: 1 << 20)
    func refused(_ problem: String) -> Failure {
      Failure(
        .invalid,
        "\(path): \(problem)\(remedy: "give a file that 'fmadapter train' wrote beside a package")")
    }
    guard let object = (try? JSONDocument(parsing: bytes))?.root.object else {
      throw refused("is not a JSON object")
    }
    guard object["format"]?.string == Self.format, let data = object["data"]?.string else {
      throw refused("is no configuration of a training")
    }
    self.data = data
    dataSHA256 = object["dataSHA256"]?.string
    valid = object["valid"]?.string
    heldOut = object["heldOut"]?.number?.double ?? heldOut
    guard (0..<1).contains(heldOut) else { throw refused("the share held out is \(heldOut)") }
    base = object["base"]?.string
    chatFormat = object["chatFormat"]?.string
    from = object["from"]?.string
    patience = object["patience"]?.integer ?? patience
    name = object["name"]?.string
    author = object["author"]?.string ?? ""
    description = object["description"]?.string ?? ""
    license = object["license"]?.string ?? ""
    version = object["packageVersion"]?.string
    if let chatFormat, ChatFormat(rawValue: chatFormat) == nil {
      throw refused("the chat format is '\(chatFormat)', which is none")
    }
    if let version, AdapterVersion(version) == nil {
      throw refused("the version of the package is '\(version)', which is none")
    }
    guard (0...1000).contains(patience) else { throw refused("the patience is \(patience)") }
    suffixes = object["suffixes"] == .bool(true)
    goesOnWith = object["goesOnWith"]?.string
    do {
      options = try object["options"]?.object.map { try TrainingOptions(json: $0) }
    } catch let error as TrainingError {
      throw refused("\(error.text.problem)")
    }
  }

  var json: JSONValue {
    var object: JSONObject = ["format": .string(Self.format), "data": .string(data)]
    object["dataSHA256"] = dataSHA256.map(JSONValue.string)
    object["valid"] = valid.map(JSONValue.string)
    object["heldOut"] = .decimal(heldOut)
    object["base"] = base.map(JSONValue.string)
    object["chatFormat"] = chatFormat.map(JSONValue.string)
    object["from"] = from.map(JSONValue.string)
    object["patience"] = .integer(patience)
    object["name"] = name.map(JSONValue.string)
    object["author"] = .string(author)
    object["description"] = .string(description)
    object["license"] = .string(license)
    object["packageVersion"] = version.map(JSONValue.string)
    object["suffixes"] = .bool(suffixes)
    object["goesOnWith"] = goesOnWith.map(JSONValue.string)
    object["options"] = (options?.json).map(JSONValue.object)
    object["tool"] = .string("fmadapter \(programVersion)")
    return .object(object)
  }

  /// Writes the file at `path`.
  func write(to path: String) throws {
    try AtomicFile.write(Array((json.text + "\n").utf8), to: path)
  }
}
