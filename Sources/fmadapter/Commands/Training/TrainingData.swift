import Adapters
import AdapterTraining
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
      let names = paths.joined(separator: " ")
      terminal.warn(
        "\(Figures.count(warnings, "warning")); 'fmadapter data check \(names)' lists them")
    }
    self.path = path
    self.heldOutPath = heldOutPath
    examples = try Self.read(path, base)
    heldOut = try heldOutPath.map { try Self.read($0, base) } ?? []
    digest = try SHA256.hex(ofFile: path)
  }

  private static func read(
    _ path: String, _ base: DataOptions.Base
  ) throws -> [TokenizedExample] {
    try DataSet(path: path).examples.map { try base.renderer.render($0) }
  }
}

/// Where a training puts its package, and beside it what it needs to go on.
struct TrainingPlace {
  /// Path of the package.
  let package: String
  /// Whether a package that stands there is replaced.
  let replaces: Bool

  /// Refuses a place where something stands already that was not said to go.
  init(_ path: String, replaces: Bool, resumes: Bool) throws {
    let suffix = ".fmadapter"
    package = path.hasSuffix(suffix) ? path : path + suffix
    self.replaces = replaces
    if !replaces, try FileSystem.info(package) != nil { throw AdapterError.exists(path: package) }
    if !replaces, !resumes, try FileSystem.info(checkpoint) != nil {
      throw Failure(
        .usage,
        "\(checkpoint): a training was stopped here"
          + "\(remedy: "--resume goes on with it, --force starts anew")"
      )
    }
    let folder = FilePath.parent(of: package)
    guard FileSystem.isDirectory(following: folder) else {
      throw Failure(
        .notFound, "\(folder): there is no such folder to write the package to")
    }
  }

  /// Path of the file with all that the training needs to go on.
  var checkpoint: String { package + ".checkpoint" }

  /// Removes that file, where there is one.
  func removeCheckpoint() throws {
    if try FileSystem.info(checkpoint) != nil { try FileSystem.removeTree(checkpoint) }
  }

  /// The folder's name without its ending.
  var name: String { String(FilePath.name(of: package).dropLast(".fmadapter".count)) }
}
