import Adapters
import SystemFiles

/// A place of what a training makes, and beside it of what it needs to go on.
protocol ResumablePlace {
  /// Path of the file with all that the training needs to go on.
  var checkpoint: String { get }
}

extension ResumablePlace {
  /// Refuses a checkpoint that was not said to go or to be used, and a folder for `result` that is not there or takes nothing.
  func check(replaces: Bool, resumes: Bool, folder: String, for result: String) throws {
    if !replaces, !resumes, try FileSystem.info(checkpoint) != nil {
      throw Failure(
        .usage,
        "\(checkpoint): a training was stopped here"
          + "\(remedy: "--resume goes on with it, --force starts anew")")
    }
    try Library.checkFolder(folder, for: result)
    guard FileSystem.isWritable(directory: folder) else {
      throw Failure(
        .storage, "\(folder): the \(result) cannot be written there\(remedy: "give another folder")"
      )
    }
  }

  /// Removes the checkpoint, where there is one.
  func removeCheckpoint() throws {
    if try FileSystem.info(checkpoint) != nil { try FileSystem.removeTree(checkpoint) }
  }
}

/// What a training tells, and all that it is made of: files whose names have one stem.
struct TrainingFiles: Equatable {
  let stem: String

  /// Path of the file with all settings, with which the training can be repeated.
  var settings: String { stem + ".training.json" }
  /// Path of the file with what happened, as JSON lines.
  var log: String { stem + ".training.jsonl" }
  /// Path of the page that shows it.
  var page: String { stem + ".training.html" }

  /// The settings come last: while they stand where they were, the files have not all been moved.
  fileprivate var all: [String] { [log, page, settings] }

  /// Gives what is there of the files the names of `target`.
  fileprivate func move(to target: TrainingFiles) throws {
    for (source, target) in zip(all, target.all) where try FileSystem.info(source) != nil {
      try FileSystem.rename(source, to: target)
    }
  }
}

/// Where a training puts its package, and beside it what it needs to go on and what it tells.
struct TrainingPlace: ResumablePlace {
  /// Path of the package.
  let package: String
  /// Whether a package that stands there is replaced.
  let replaces: Bool
  /// Whether a training was stopped here that is to go on.
  let goesOn: Bool
  /// What belongs to the package.
  let files: TrainingFiles
  /// What belongs to the training until its package is there.
  ///
  /// Beside a package that still stands they are files of their own, as the others are its.
  let work: TrainingFiles

  /// Refuses a place where something stands already that was not said to go.
  init(_ path: String, replaces: Bool, resumes: Bool, learnsMore: Bool) throws {
    package = PackageFile.path(path)
    files = TrainingFiles(stem: String(package.dropLast(PackageFile.suffix.count)))
    let aside = Self.aside(package)
    let stands = try FileSystem.info(package) != nil
    if stands { try Self.finish(aside, files, of: package) }
    goesOn = try resumes && FileSystem.info(Self.checkpoint(of: package)) != nil
    // Whoever began it has said already what may go.
    let wasAside = try goesOn && FileSystem.info(aside.settings) != nil
    work = (goesOn ? wasAside : stands) ? aside : files
    self.replaces = replaces || learnsMore || wasAside
    if learnsMore, !stands {
      throw Failure(
        .notFound,
        "\(package): there is no package to go on with\(remedy: "train one without --more-epochs")")
    }
    try check(
      replaces: replaces, resumes: resumes, folder: FilePath.parent(of: package), for: "package")
    if !self.replaces, stands { throw AdapterError.exists(path: package) }
  }

  /// Path of the file with all that the training needs to go on.
  var checkpoint: String { Self.checkpoint(of: package) }

  private static func checkpoint(of package: String) -> String { package + ".checkpoint" }

  private static func aside(_ package: String) -> TrainingFiles {
    TrainingFiles(stem: package + ".unfinished")
  }

  /// What begins a training anew that was ended before it had a checkpoint; nil where none was.
  var commandToBeginAnew: String? {
    get throws {
      guard try FileSystem.info(work.settings) != nil,
        try isAside || FileSystem.info(package) == nil
      else { return nil }
      return "fmadapter train --config \(work.settings.shellWord) -o \(package.shellWord)"
        + (isAside ? " --force" : "")
    }
  }

  /// Whether a package stands there until that of the training takes its place.
  var isAside: Bool { work != files }

  /// The folder's name without its ending.
  var name: String { String(FilePath.name(of: package).dropLast(PackageFile.suffix.count)) }

  /// Removes what a training left that is not gone on with, so that a later one does not take it for its own.
  func clear() throws {
    try removeCheckpoint()
    guard !isAside else { return }
    for path in Self.aside(package).all where try FileSystem.info(path) != nil {
      try FileSystem.removeTree(path)
    }
  }

  /// Gives what belongs to the training to the package, which is the training's from now on.
  func settle() throws {
    if isAside { try work.move(to: files) }
  }

  /// Does what a kill kept ``settle()`` from; no training has settings beside the package's and no log, but for the one that is
  /// settling now, which holds its log, and one whose log somebody removed: its settings are younger than the package.
  private static func finish(
    _ work: TrainingFiles, _ files: TrainingFiles, of package: String
  ) throws {
    guard let begun = try FileSystem.info(work.settings)?.modified,
      let made = try FileSystem.info(package)?.modified, begun <= made,
      try FileSystem.info(work.log) == nil, !FileLock.isHeld(files.log)
    else { return }
    let checkpoint = checkpoint(of: package)
    if try FileSystem.info(checkpoint) != nil { try FileSystem.removeTree(checkpoint) }
    try work.move(to: files)
  }
}

extension Terminal {
  /// Runs a training, which a signal lets keep what was learnt.
  func keeping<R>(_ training: () throws -> R) rethrows -> R {
    try Interruption.shared.keeping(
      { note("keeping what was learnt; a second Ctrl-C ends the program at once, without it") },
      training)
  }

  /// Keeps what was learnt by a training that was stopped, and says why where that fails: the program ends as it was
  /// told to, and tells no errors any more.
  func kept(_ keep: () throws -> Void) throws {
    do {
      try keep()
    } catch {
      self.error(Failure(error))
      throw error
    }
  }
}
