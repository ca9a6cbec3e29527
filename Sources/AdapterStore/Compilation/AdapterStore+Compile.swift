package import Adapters
import FoundationEssentials
import Kernels
public import LanguageModels
import SystemFiles
import TensorFiles

extension AdapterStore {
  /// Gets what the package at `path` carries for guessing ready for this machine: checks it, rounds a draft model to 8 bits
  /// unless it is quantized, times passes of 1 to 16 tokens of `model` with the adapter, and tokens of the draft model, and
  /// keeps what was found.
  ///
  /// What was found before for the same draft, base, kind of processor and version is the answer at once. Of several
  /// processes one measures, and the others wait for it.
  ///
  /// - Parameters:
  ///   - path: A package, installed or not.
  ///   - model: The base that it is for.
  ///   - threads: Threads that passes are timed with; nil for one per processor.
  ///   - policy: How often this application may compile; what is known already does not count.
  ///   - progress: Told how far it is.
  /// - Returns: nil for a package that carries nothing to guess with.
  /// - Throws: `StoreError`: `.refused` for a package that breaks a rule, `.appleDraft`, `.compilationLimit`,
  ///   `.uncompilable` for a draft that cannot be opened, `.storage` or `.cancelled`. Nothing is kept then.
  public func compile(
    package path: String, for model: BaseModel, threads: Int? = nil,
    policy: CompilationPolicy = CompilationPolicy(),
    progress: @escaping @Sendable (CompilationProgress) -> Void = { _ in }
  ) async throws(StoreError) -> Compilation? {
    try await apart { () async throws(StoreError) in
      guard let source = try draftSource(of: path, for: model) else { return nil }
      if let draft = whole(source) { return Compilation(draft, .kept, at: place(source)) }
      return try await locking(source.key, progress) { () throws(StoreError) in
        try compile(source, package: path, model, threads: threads, policy, progress)
      }
    }
  }

  private func compile(
    _ source: DraftSource, package path: String, _ model: BaseModel, threads: Int?,
    _ policy: CompilationPolicy, _ progress: (CompilationProgress) -> Void
  ) throws(StoreError) -> Compilation {
    if let draft = whole(source) { return Compilation(draft, .kept, at: place(source)) }
    var log = CompilationLog(layout, now: process.now())
    try log.check(policy)
    let damaged = isDamaged(source)
    let draft: CompiledDraft
    do throws(StoreError) {
      draft = try measure(source, path, model, threads: threads, progress)
      try log.note(policy, now: process.now())
      try keep(draft, at: place(source))
    } catch {
      // A model without a record is of no use.
      if compiled(source) == nil { try? FileSystem.removeTree(place(source)) }
      throw error
    }
    return Compilation(draft, damaged ? .rebuilt : .compiled, at: place(source))
  }

  /// What passes of `model` cost, where the package at `path` has been compiled for it on this machine.
  package func compiledCosts(package path: String, for model: BaseModel) -> PassCosts? {
    guard let source = (try? draftSource(of: path, for: model)) ?? nil else { return nil }
    return compiled(source)?.costs
  }

  /// Path of the draft model in 8 bits that was made of the package's, where it has been compiled for `model` on this
  /// machine and could be read; nil where the package's own is to be used.
  package func compiledDraftModel(package path: String, for model: BaseModel) -> String? {
    guard let source = (try? draftSource(of: path, for: model)) ?? nil,
      compiled(source)?.modelSHA256 != nil
    else { return nil }
    let path = FilePath.join(place(source), CompiledDraft.modelName)
    return (try? GGUFFile(path: path)).map { _ in path }
  }

  /// `adapter`, opened from the package at `path`, with the draft model that was compiled for `model` where there is one.
  package func withCompiledDraft(
    _ adapter: Adapter, package path: String, for model: BaseModel
  ) -> Adapter {
    guard adapter.draftModelPath != nil, let draft = compiledDraftModel(package: path, for: model)
    else { return adapter }
    var adapter = adapter
    adapter.draftModelPath = draft
    return adapter
  }

  /// What was found when `adapter` was compiled for its base on this machine; nil where it was not.
  package func compilation(of adapter: InstalledAdapter) -> Compilation? {
    let records = adapter.receipt?.files ?? []
    let names = [PackageFile.draftModel, PackageFile.suffixes]
    let digests = names.compactMap { name in
      records.first { $0.path == FilePath.join(StoreLayout.package, name) }?.sha256
    }
    guard let digest = digests.first else { return nil }
    let source = DraftSource(
      sha256: digest, signature: adapter.metadata.baseModelSignature, baseSize: nil)
    return compiled(source).map { Compilation($0, .kept, at: place(source)) }
  }
}

/// What a package carries for guessing, and what for.
private struct DraftSource {
  /// Of the draft model, or of the suffix store where there is no model.
  let sha256: String
  let signature: String
  /// Bytes of the base's file; nil for any.
  let baseSize: Int?
  var processor: String { CPUVariant.current.rawValue }
  var key: String {
    CompiledDraft.key(draftSHA256: sha256, baseSignature: signature, processor: processor)
  }
}

extension AdapterStore {
  private func place(_ source: DraftSource) -> String { compiledPlace(source.key) }

  private func record(_ source: DraftSource) -> String {
    FilePath.join(place(source), CompiledDraft.fileName)
  }

  /// What was found before; nil where nothing was, or not for this file of the base.
  private func compiled(_ source: DraftSource) -> CompiledDraft? {
    CompiledDraft(reading: record(source)).flatMap { draft in
      let isOfBase = source.baseSize.map { $0 == draft.baseSize } ?? true
      return draft.key == source.key && isOfBase ? draft : nil
    }
  }

  /// The same where the model that was made then is still what it was.
  private func whole(_ source: DraftSource) -> CompiledDraft? {
    compiled(source).flatMap { $0.hasWholeModel(in: place(source)) ? $0 : nil }
  }

  /// Whether something stands there that is not a sound record, or not with its model.
  private func isDamaged(_ source: DraftSource) -> Bool {
    guard FileSystem.kind(of: record(source)) != nil else { return false }
    return CompiledDraft(reading: record(source))?.hasWholeModel(in: place(source)) != true
  }

  private func draftSource(
    of package: String, for model: BaseModel
  ) throws(StoreError) -> DraftSource? {
    func exists(_ name: String) -> Bool {
      FileSystem.kind(of: FilePath.join(package, name)) == .file
    }
    guard let name = [PackageFile.draftModel, PackageFile.suffixes].first(where: exists) else {
      let apple = [PackageFile.draftProgram, PackageFile.draftWeights]
      if apple.contains(where: exists) { throw .appleDraft(package: package) }
      return nil
    }
    // Not the model's own, for which the whole file may have to be read; a check compares them before anything is kept.
    let signature: String
    do throws(AdapterError) {
      signature = try metadata(of: package).baseModelSignature
    } catch {
      throw StoreError(error)
    }
    return DraftSource(
      sha256: try digest(of: name, in: package), signature: signature, baseSize: model.fileSize)
  }

  /// Whether `package` is the place of an installed adapter's package.
  package func holds(package: String) -> Bool {
    FilePath.parent(of: FilePath.parent(of: package)) == layout.adapters
  }

  /// As the receipt has it where the package is installed, so that nothing has to be read.
  private func digest(
    of name: String, in package: String
  ) throws(StoreError) -> String {
    if holds(package: package),
      let receipt = Receipt(
        reading: FilePath.join(FilePath.parent(of: package), StoreLayout.receipt)),
      let record = receipt.files.first(where: {
        $0.path == FilePath.join(StoreLayout.package, name)
      })
    {
      return record.sha256
    }
    return try storing { () throws(FileError) in
      try SHA256.hex(ofFile: FilePath.join(package, name))
    }
  }

  private func keep(_ draft: CompiledDraft, at path: String) throws(StoreError) {
    try storing { () throws(FileError) in
      if let info = try FileSystem.info(path), info.kind != .directory {
        try FileSystem.removeTree(path)
      }
      try FileSystem.createDirectory(path)
      let file = FilePath.join(path, CompiledDraft.fileName)
      if let info = try FileSystem.info(file), info.kind != .file {
        try FileSystem.removeTree(file)
      }
      try draft.write(to: file)
    }
  }
}

extension AdapterStore {
  /// Rounds of timed passes, of which the median counts.
  private static let rounds = 5

  private func measure(
    _ source: DraftSource, _ package: String, _ model: BaseModel, threads: Int?,
    _ progress: (CompilationProgress) -> Void
  ) throws(StoreError) -> CompiledDraft {
    progress(.checking)
    let place = place(source)
    let contract: BaseContract
    do throws(BaseModelError) { contract = try model.contract() } catch {
      throw .uncompilable(package: package, reason: "\(error)")
    }
    let adapter: Adapter
    do throws(AdapterError) {
      let report = try AdapterCheck.run(package: package, for: contract)
      guard report.isAccepted else { throw AdapterError.refused(report) }
      adapter = try Adapter(package: package, for: contract)
    } catch {
      throw StoreError(error)
    }
    try clear(place, of: CompiledDraft.modelName)
    do throws(BaseModelError) {
      let draft = try adapter.draftModelPath.map { path throws(BaseModelError) in
        try Self.draft(path, for: model, at: place)
      }
      let total = draft == nil ? Self.rounds : 2 * Self.rounds
      var ratios: [[Double]] = []
      var times: [Double] = []
      var draftTimes: [Double] = []
      let applied = [AppliedAdapter(adapter)]
      for round in 0..<Self.rounds {
        progress(.measuring(done: round, total: total))
        let costs = try PassCosts.measure(
          model, adapters: applied, threads: threads, repetitions: 1)
        ratios.append(costs.ratios)
        times.append(costs.time(1))
      }
      for round in 0..<(draft == nil ? 0 : Self.rounds) {
        progress(.measuring(done: Self.rounds + round, total: total))
        guard let draft else { break }
        draftTimes.append(
          try draft.model.secondsPerToken(beside: model, threads: threads, repetitions: 1))
      }
      progress(.measuring(done: total, total: total))
      return CompiledDraft(
        draftSHA256: source.sha256, baseSignature: source.signature, baseSize: model.fileSize,
        processor: source.processor,
        passRatios: (0..<PassCosts.count).map { count in Self.median(ratios.map { $0[count] }) },
        secondsPerToken: Self.median(times),
        draftSecondsPerToken: draft.map { _ in Self.median(draftTimes) },
        modelSHA256: draft?.digest, packagePath: outside(package),
        basePath: outside(model.file.path),
        created: process.now())
    } catch {
      if case .cancelled = error { throw .cancelled }
      throw .uncompilable(package: package, reason: "\(error)")
    }
  }

  /// The absolute path of what stands at `path`, if it is none of the store's.
  private func outside(_ path: String) -> String? {
    let whole = (try? FileSystem.resolved(path)) ?? path
    let store = (try? FileSystem.resolved(layout.root)) ?? layout.root
    return whole.hasPrefix(store + "/") ? nil : whole
  }

  /// The draft model at `path`, or that in 8 bits that was made of it in `place`, with its digest.
  private static func draft(
    _ path: String, for model: BaseModel, at place: String
  ) throws(BaseModelError) -> (model: DraftModel, digest: String?) {
    // What is wrong is said of the package's own.
    let own = try DraftModel(path: path, for: model)
    guard let rounded = try round(path, to: place) else { return (own, nil) }
    let digest: String
    do throws(FileError) {
      digest = try SHA256.hex(ofFile: rounded)
    } catch {
      throw .file(error)
    }
    return (try DraftModel(path: rounded, for: model), digest)
  }

  /// Writes the draft model at `path` with matrices in 8 bits into `place`; nil where that changes none of them.
  private static func round(
    _ path: String, to place: String
  ) throws(BaseModelError) -> String? {
    let matrices: [GGUFTensor]
    do throws(FileError) {
      matrices = try GGUFFile(path: path).tensors.filter { $0.dimensions.count > 1 }
    } catch {
      throw .file(error)
    }
    let block = TensorType.q8_0.blockLength
    guard matrices.allSatisfy({ $0.type.blockLength == 1 }),
      matrices.contains(where: { $0.columns.isMultiple(of: block) })
    else { return nil }
    let target = FilePath.join(place, CompiledDraft.modelName)
    try BaseQuantizer(plan: TensorTypePlan(type: .q8_0)).quantize(
      path, to: target, isCancelled: { Task.isCancelled })
    return target
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
