import AdapterTraining
import Adapters
import Interchange
import JSON
import LanguageModels
import SystemFiles

/// What a training by torchrun came to: PEFT's files, and what happened.
struct TorchrunResult {
  let folder: String
  private let job: JSONObject
  private let events: [JSONObject]

  /// Reads the folder, in which a training has ended.
  ///
  /// - Throws: `Failure` where a file is missing or broken, or the job was for another base than `signature`.
  init(_ folder: String, for signature: String) throws {
    self.folder = folder
    job =
      try Self.read(FilePath.join(folder, "job.json")) { [try JSONDocument(parsing: $0).root] }
      .first?.object ?? [:]
    events = try Self.read(FilePath.join(folder, "log.jsonl")) { bytes in
      try bytes.split(separator: UInt8(ascii: "\n")).map {
        try JSONDocument(parsing: Array($0)).root
      }
    }.compactMap(\.object)
    guard job["baseModelSignature"]?.string == signature else {
      throw Failure(
        .incompatible,
        "\(folder): the job is for another base, with the signature \(job["baseModelSignature"]?.string ?? "that it does not name")"
          + "\(remedy: "name that base with --base")")
    }
  }

  private static func read(
    _ path: String, _ parse: ([UInt8]) throws -> [JSONValue]
  ) throws -> [JSONValue] {
    let bytes = try FileSystem.read(path, limit: 256 << 20)
    do {
      return try parse(bytes)
    } catch {
      throw Failure(.invalid, "\(path): \(error)\(remedy: "let the job run again")")
    }
  }

  /// Writes the package, and beside it the log and the page.
  func write(
    _ settings: TrainingSettings, _ base: BaseModel, at place: TrainingPlace, _ terminal: Terminal
  ) throws -> String {
    let adapter = try ImportedAdapter(
      path: FilePath.join(folder, "adapter"), for: ExchangeBase(base))
    let (steps, measures) = (events.losses("step"), events.losses("measure"))
    let (before, after) = (measures.first?.loss, measures.map(\.loss).min())
    var facts: JSONObject = [
      "steps": .integer(steps.last?.step ?? 0),
      "tool": .string("fmadapter \(programVersion), PEFT and TRL by torchrun"),
    ]
    for key in ["data", "dataSHA256", "learningRate", "seed", "examplesPerStep"] {
      facts[key] = job[key]
    }
    facts["keptStep"] = events.last?["keptStep"]
    facts["finalLoss"] = steps.last.map { .decimal($0.loss, digits: 4) }
    var heldOut: JSONObject = [:]
    heldOut["adapter"] = after.map { .decimal($0, digits: 4) }
    heldOut["base"] = before.map { .decimal($0, digits: 4) }
    let written = try adapter.write(
      name: settings.name ?? place.name, author: settings.author,
      description: settings.description, license: settings.license,
      version: settings.version.flatMap { AdapterVersion($0) }, trainedOn: facts,
      evaluation: ["heldOutLoss": .object(heldOut)], to: place.package,
      replacing: place.replaces)
    let lines = events.map { JSONValue.object($0).line + "\n" }.joined()
    try AtomicFile.write(Array(lines.utf8), to: place.files.log)
    let page = TrainingPage(
      title: "Training of \(FilePath.name(of: place.package))", events: events,
      curve: LossCurve(losses: steps, measures: measures),
      measured: "held-out loss", heldOut: nil)
    try AtomicFile.write(Array(page.html.utf8), to: place.files.page)
    for remark in adapter.remarks { terminal.note(remark) }
    if let before, let after {
      terminal.note("held-out loss \(Figures.fixed(before, 3)) to \(Figures.fixed(after, 3))")
    }
    terminal.note("curves: \(place.files.page)")
    return written
  }
}
