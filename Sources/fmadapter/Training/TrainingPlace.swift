import Adapters
import TensorFiles

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
        .storage,
        "\(checkpoint.printable): a training was stopped here; --resume goes on with it, --force starts anew"
      )
    }
    let folder = FilePath.parent(of: package)
    guard FileSystem.isDirectory(following: folder) else {
      throw Failure(
        .notFound, "\(folder.printable): there is no such folder to write the package to")
    }
  }

  /// Path of the file with all that the training needs to go on.
  var checkpoint: String { package + ".checkpoint" }

  /// The folder's name without its ending.
  var name: String { String(FilePath.name(of: package).dropLast(".fmadapter".count)) }
}
