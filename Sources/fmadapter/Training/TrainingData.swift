import AdapterTraining
import Adapters
import LanguageModels
import TensorFiles

/// Examples to train on and examples that are held out, checked and in tokens.
struct TrainingData {
  let path: String
  let heldOutPath: String?
  let examples: [TokenizedExample]
  let heldOut: [TokenizedExample]
  /// SHA-256 of the file to train on.
  let digest: String

  /// Reads both; errors of either are reported together, warnings counted.
  init(
    _ path: String, heldOut heldOutPath: String?, _ base: DataOptions.Base, _ terminal: Terminal
  ) throws {
    let paths = [path] + (heldOutPath.map { [$0] } ?? [])
    var check = DataCheck()
    check.renderer = base.renderer
    check.contextLength = base.model.configuration.contextLength
    let bar = ProgressLine("checking", terminal)
    defer { bar.finish() }
    let report = try check.run(
      paths, progress: { bar.update(done: $0, total: $1, $2) }, isCancelled: { Task.isCancelled })
    bar.finish()
    guard report.isAccepted else { throw DataSetError.refused(report) }
    let warnings = report.count(.warning)
    if warnings > 0 {
      let names = paths.map(\.printable).joined(separator: " ")
      terminal.warn(
        "\(Figures.count(warnings, "warning")); 'fmadapter data check \(names)' lists them")
    }
    self.path = path
    self.heldOutPath = heldOutPath
    examples = try Self.read(path, base)
    heldOut = try heldOutPath.map { try Self.read($0, base) } ?? []
    digest = SHA256.hex(try MappedFile(path: path).bytes)
  }

  private static func read(
    _ path: String, _ base: DataOptions.Base
  ) throws -> [TokenizedExample] {
    try DataSet(path: path).examples.map { try base.renderer.render($0) }
  }
}
