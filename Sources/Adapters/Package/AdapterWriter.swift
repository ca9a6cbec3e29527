public import JSON
public import SystemFiles
public import TensorFiles

/// Writes packages: the folder appears under its name complete and checked, or not at all.
public enum AdapterWriter {
  /// Apple's draft pair, carried as it is.
  public struct Draft: Sendable {
    /// Content of `draft.mil`.
    public let program: TensorBytes
    /// Content of `draft_weights.bin`.
    public let weights: TensorBytes

    /// A pair of both files' contents.
    public init(program: TensorBytes, weights: TensorBytes) {
      self.program = program
      self.weights = weights
    }
  }

  /// Writes the package to `path`, to which `.fmadapter` is added if it is missing.
  ///
  /// The targets are those that `layers` has; `metadata.loraRank` has to be the rank of every pair. Where the
  /// metadata states settings, targets and the digest of the weights are written into them.
  ///
  /// - Parameters:
  ///   - metadata: what goes into `metadata.json`.
  ///   - layers: one entry per layer of the base.
  ///   - draft: Apple's draft pair, if there is one.
  ///   - suffixes: the suffix store, if there is one.
  ///   - path: where the package will be.
  ///   - replacing: whether a package that stands there is exchanged for the new one and removed.
  /// - Returns: the path of the package.
  /// - Throws: `AdapterError.exists`, `.refused` when what was written breaks a rule, or `.file`; then nothing has
  ///   changed at the path.
  @discardableResult
  public static func write(
    _ metadata: AdapterMetadata, layers: [[LoRATarget: LowRankPair]], draft: Draft? = nil,
    suffixes: SuffixTexts? = nil, to path: String, replacing: Bool = false
  ) throws(AdapterError) -> String {
    try write(to: path, replacing: replacing) { work throws(AdapterError) in
      try fill(work, metadata, layers, draft, suffixes)
    }
  }

  /// Writes the package at `source` once more, with `suffixes` in the place of its own, or none where nil is given.
  ///
  /// - Parameters:
  ///   - suffixes: the suffix store of the new package.
  ///   - source: a package, which is not changed unless it is replaced.
  ///   - path: where the package will be, to which `.fmadapter` is added if it is missing.
  ///   - replacing: whether a package that stands there is exchanged for the new one and removed.
  ///   - base: what the package is for, where it is known.
  /// - Returns: the path of the package.
  /// - Throws: As ``write(_:layers:draft:suffixes:to:replacing:)``.
  @discardableResult
  public static func write(
    suffixes: SuffixTexts?, into source: String, as path: String, replacing: Bool = false,
    for base: BaseContract? = nil
  ) throws(AdapterError) -> String {
    try write(copying: source, without: PackageFile.suffixes, to: path, replacing, base) {
      (work) throws(FileError) in try write(suffixes, in: work)
    }
  }

  /// Writes the package at `source` once more, with the draft model in the file `draft` in the place of its own.
  ///
  /// - Parameters:
  ///   - draft: a GGUF file, which stays.
  ///   - tokenCount: how many tokens it should propose at once, for the metadata.
  ///   - source: a package, which is not changed unless it is replaced.
  ///   - path: where the package will be, to which `.fmadapter` is added if it is missing.
  ///   - replacing: whether a package that stands there is exchanged for the new one and removed.
  ///   - base: what the package is for, where it is known.
  /// - Returns: the path of the package.
  /// - Throws: As ``write(_:layers:draft:suffixes:to:replacing:)``.
  @discardableResult
  public static func write(
    draftModel draft: String, tokenCount: Int, into source: String, as path: String,
    replacing: Bool = false, for base: BaseContract? = nil
  ) throws(AdapterError) -> String {
    let file = FilePath.join(source, PackageFile.metadata)
    let read = try filing { () throws(FileError) in
      try FileSystem.read(file, limit: 8 << 20)
    }
    var metadata = try AdapterMetadata(parsing: read, file: file)
    metadata.speculativeDecodingDraftTokenCount = tokenCount
    let text = Array(metadata.text.utf8)
    return try write(copying: source, without: PackageFile.draftModel, to: path, replacing, base) {
      (work) throws(FileError) in
      try FileSystem.copyFile(draft, to: FilePath.join(work, PackageFile.draftModel))
      try AtomicFile.write(text, to: FilePath.join(work, PackageFile.metadata))
    }
  }

  /// Writes the package at `path` once more, with what was measured of it under `creatorDefined.fmadapter.evaluation`.
  ///
  /// The loss that its training held out stays there beside that; all else that was there goes.
  ///
  /// - Parameters:
  ///   - evaluation: figures, and what they were measured on.
  ///   - path: a package, which is exchanged for the new one.
  ///   - base: what the package is for.
  /// - Returns: the path of the package.
  /// - Throws: As ``write(_:layers:draft:suffixes:to:replacing:)``.
  @discardableResult
  public static func write(
    evaluation: JSONValue, into path: String, for base: BaseContract?
  ) throws(AdapterError) -> String {
    let file = FilePath.join(path, PackageFile.metadata)
    let read = try filing { () throws(FileError) in
      try FileSystem.read(file, limit: 8 << 20)
    }
    var metadata = try AdapterMetadata(parsing: read, file: file)
    var (settings, evaluation) = (metadata.settings, evaluation)
    let kept = "heldOutLoss"
    if var object = evaluation.object, let old = settings.evaluation?.object?[kept] {
      object[kept] = old
      evaluation = .object(object)
    }
    settings.evaluation = evaluation
    metadata.statedSettings = settings
    let text = Array(metadata.text.utf8)
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    return try write(copying: folder, without: PackageFile.metadata, to: folder, true, base) {
      (work) throws(FileError) in
      try AtomicFile.write(text, to: FilePath.join(work, PackageFile.metadata))
    }
  }

  /// Writes the package at `source` once more, with all the files that the format names.
  ///
  /// - Parameters:
  ///   - source: a package, which is not changed unless it is replaced.
  ///   - path: where the package will be, to which `.fmadapter` is added if it is missing.
  ///   - replacing: whether a package that stands there is exchanged for the new one and removed.
  ///   - base: what the package is for, where it is known.
  /// - Returns: the path of the package.
  /// - Throws: As ``write(_:layers:draft:suffixes:to:replacing:)``.
  @discardableResult
  public static func copy(
    _ source: String, to path: String, replacing: Bool = false, for base: BaseContract? = nil
  ) throws(AdapterError) -> String {
    try write(copying: source, without: "", to: path, replacing, base) { _ in }
  }

  /// Copies the package at `source`, but for the file `name`, which `fill` may write anew.
  private static func write(
    copying source: String, without name: String, to path: String, _ replacing: Bool,
    _ base: BaseContract?, fill: (_ work: String) throws(FileError) -> Void
  ) throws(AdapterError) -> String {
    try write(to: path, replacing: replacing) { work throws(AdapterError) in
      guard let folder = try PackageFolder(listing: source) else {
        throw .refused(CheckReport(package: source, findings: [PackageNameRule.notAFolder(source)]))
      }
      try filing { () throws(FileError) in
        try FileSystem.createDirectory(work)
        for other in PackageFile.known where folder.hasFile(other) && other != name {
          try FileSystem.copyFile(folder.path(of: other), to: FilePath.join(work, other))
        }
        try fill(work)
        try FileSystem.syncDirectory(work)
      }
      let report = try AdapterCheck.run(package: work, for: base, depth: .usability)
      guard report.isAccepted else { throw .refused(report) }
    }
  }

  private static func write(
    to path: String, replacing: Bool, fill: (_ work: String) throws(AdapterError) -> Void
  ) throws(AdapterError) -> String {
    let target = PackageFile.path(path)
    let work = FilePath.join(
      FilePath.parent(of: target), ".fmadapter.\(FilePath.randomName())\(PackageFile.suffix)")
    do throws(AdapterError) {
      try fill(work)
      try publish(work, at: target, replacing: replacing, keepsOthers: true)
      return target
    } catch {
      discard(work, after: error)
      throw naming(target, insteadOf: work, in: error)
    }
  }

  /// Removes `work`, where a package was put together, unless `error` is that the disk did not confirm its exchange: then it is what stood
  /// there before, and may be needed after a loss of power.
  package static func discard(_ work: String, after error: AdapterError) {
    if case .file(let fault) = error, fault.isUnconfirmed { return }
    try? FileSystem.removeTree(work)
  }

  /// The error with the path that was asked for: the folder that was written to is gone when it is read.
  private static func naming(
    _ target: String, insteadOf work: String, in error: AdapterError
  ) -> AdapterError {
    switch error {
    case .refused(let report):
      .refused(CheckReport(package: target, findings: report.findings))
    case .file(.system(let operation, let path, let code)) where path.hasPrefix(work):
      .file(.system(operation, path: target + path.dropFirst(work.count), code: code))
    default: error
    }
  }

  /// The blobs of `layers` in native order, as `adapter_weights.bin` holds them.
  public static func weights(of layers: [[LoRATarget: LowRankPair]]) -> BlobWriter {
    var writer = BlobWriter()
    for layer in layers {
      for target in LoRATarget.allCases {
        guard let pair = layer[target] else { continue }
        writer.append(.float16, pair.a)
        writer.append(.float16, pair.b)
      }
    }
    return writer
  }

  private static func fill(
    _ work: String, _ metadata: AdapterMetadata, _ layers: [[LoRATarget: LowRankPair]],
    _ draft: Draft?, _ suffixes: SuffixTexts?
  ) throws(AdapterError) {
    let weights = FilePath.join(work, PackageFile.weights)
    var metadata = metadata
    do throws(FileError) {
      try FileSystem.createDirectory(work)
      try self.weights(of: layers).write(to: weights)
      if var settings = metadata.statedSettings {
        settings.targets = Set(layers.flatMap(\.keys))
        settings.weightsSHA256 = try SHA256.hex(ofFile: weights)
        metadata.statedSettings = settings
      }
      try AtomicFile.write(
        Array(metadata.text.utf8), to: FilePath.join(work, PackageFile.metadata))
      if let draft {
        try write(draft.program, to: FilePath.join(work, PackageFile.draftProgram))
        try write(draft.weights, to: FilePath.join(work, PackageFile.draftWeights))
      }
      try write(suffixes, in: work)
      try FileSystem.syncDirectory(work)
    } catch {
      throw .file(error)
    }
    let base = BaseContract(
      signature: metadata.baseModelSignature,
      architecture: metadata.statedSettings?.architecture ?? "afm",
      layers: layers.map { $0.mapValues(\.shape) })
    let report = try AdapterCheck.run(package: work, for: base, depth: .usability)
    guard report.isAccepted else { throw .refused(report) }
  }

  private static func write(
    _ suffixes: SuffixTexts?, in work: String
  ) throws(FileError) {
    guard let suffixes else { return }
    try AtomicFile.write(suffixes.bytes, to: FilePath.join(work, PackageFile.suffixes))
  }

  private static func write(_ bytes: TensorBytes, to path: String) throws(FileError) {
    var file = try AtomicFile(path: path)
    try file.write(bytes)
    try file.commit()
  }

  /// Gives the folder `work` the name `target`, in the place of what stands there where that is `replacing`.
  ///
  /// With `keepsOthers` what stands in that folder and belongs in no package stays in it: somebody has put it there.
  package static func publish(
    _ work: String, at target: String, replacing: Bool, keepsOthers: Bool = false
  ) throws(AdapterError) {
    let exists = try filing { () throws(FileError) in try FileSystem.info(target) != nil }
    guard !exists || replacing else { throw .exists(path: target) }
    try filing { () throws(FileError) in
      // The second fails, as it should, when a folder with content has come into being meanwhile.
      try exists ? FileSystem.exchange(work, target) : FileSystem.rename(work, to: target)
      try FileSystem.confirm(target)
      guard exists, !keepsOthers || moveOthers(from: work, to: target) else { return }
      try FileSystem.removeTree(work)
    }
  }

  /// Moves all that belongs in no package, and says whether nothing of it is left behind.
  private static func moveOthers(from old: String, to new: String) -> Bool {
    guard FileSystem.kind(of: old) == .directory else { return true }
    do throws(FileError) {
      for entry in try FileSystem.list(old) where !PackageFile.known.contains(entry.name) {
        try FileSystem.rename(
          RawPath(old).appending(entry.name), to: RawPath(new).appending(entry.name))
      }
      return true
    } catch {
      return false
    }
  }
}
