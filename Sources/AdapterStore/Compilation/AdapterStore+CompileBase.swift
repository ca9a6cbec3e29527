import FoundationEssentials
import Kernels
public import LanguageModels
import SystemFiles

extension AdapterStore {
  /// Writes the weights of `base` in the order in which this processor's kernels read them, for all processes to share.
  ///
  /// Without it every process makes that order with its first passes, in memory of its own. What was written before for the
  /// same file, kind of processor and version is the answer at once, after it has been read and found whole. Of several
  /// processes one writes, and the others wait for it.
  ///
  /// - Parameters:
  ///   - base: An installed base.
  ///   - threads: Threads that work; nil for one per processor.
  ///   - progress: Told how far it is.
  /// - Returns: nil where this processor reads the base as it is.
  /// - Throws: `StoreError`: `.damaged` as `checkBase(at:)`, `.invalidBase` for a file that cannot be opened, `.storage`, for one where the disk is full, or
  ///   `.cancelled`. Nothing is kept then.
  public func compile(
    base: InstalledBase, threads: Int? = nil,
    progress: @escaping @Sendable (CompilationProgress) -> Void = { _ in }
  ) async throws(StoreError) -> BaseCompilation? {
    try await apart { () async throws(StoreError) in
      try checkBase(at: base.path)
      let model = try Self.model(of: base)
      guard model.tilesSize() > 0, let source = TileSource(base.receipt) else { return nil }
      if let kept = whole(source) { return kept }
      return try await locking(source.key, progress) { () throws(StoreError) in
        if let kept = whole(source) { return kept }
        return try write(source, model, threads, progress)
      }
    }
  }

  private static func model(of base: InstalledBase) throws(StoreError) -> BaseModel {
    do {
      return try BaseModel(path: base.path)
    } catch {
      throw .invalidBase(path: base.path, reason: "\(error)")
    }
  }

  /// Lets `model`, if it was opened from the file of an installed base that has been compiled for this processor, read what
  /// was written then.
  ///
  /// - Returns: whether it does. Of what was written, the record, the size and a sample are held against the base; `verify`
  ///   reads all of it.
  /// - Throws: `BaseModelError` for a file that is not what was written; `model` reads the base itself then.
  @discardableResult
  public func useCompiled(for model: BaseModel) throws(BaseModelError) -> Bool {
    guard let folder = baseFolder(of: model.path),
      let receipt = Receipt(reading: FilePath.join(folder, StoreLayout.receipt)),
      let source = TileSource(receipt),
      compiled(source)?.hasTiles(in: self.place(source)) == true
    else { return false }
    let path = FilePath.join(self.place(source), CompiledBase.tilesName)
    try model.useTiles(at: path)
    return true
  }

  /// What was written when `base` was compiled for this processor; nil where it was not.
  package func compilation(of base: InstalledBase) -> BaseCompilation? {
    TileSource(base.receipt).flatMap { source in
      compiled(source).flatMap { record in
        record.hasTiles(in: place(source))
          ? BaseCompilation(record, .kept, at: place(source)) : nil
      }
    }
  }
}

/// The file that tiles are made of.
private struct TileSource {
  let sha256: String
  let signature: String
  let processor = CPUVariant.current.rawValue
  var key: String { CompiledBase.key(modelSHA256: sha256, processor: processor) }

  /// Nil where `receipt` is not of a base.
  init?(_ receipt: Receipt) {
    guard let base = receipt.base,
      let file = receipt.files.first(where: { $0.path == StoreLayout.model })
    else { return nil }
    (sha256, signature) = (file.sha256, base.signature)
  }
}

extension AdapterStore {
  private func place(_ source: TileSource) -> String { compiledPlace(source.key) }

  private func record(_ source: TileSource) -> String {
    FilePath.join(place(source), CompiledBase.fileName)
  }

  private func compiled(_ source: TileSource) -> CompiledBase? {
    CompiledBase(reading: record(source)).flatMap { $0.key == source.key ? $0 : nil }
  }

  /// What was written before, where every byte still is what it was.
  private func whole(_ source: TileSource) -> BaseCompilation? {
    compiled(source).flatMap { record in
      record.hasWholeTiles(in: place(source))
        ? BaseCompilation(record, .kept, at: place(source)) : nil
    }
  }

  private func write(
    _ source: TileSource, _ model: BaseModel, _ threads: Int?,
    _ progress: (CompilationProgress) -> Void
  ) throws(StoreError) -> BaseCompilation {
    let place = place(source)
    let wasThere = FileSystem.kind(of: record(source)) != nil
    do throws(StoreError) {
      // The record first, so that tiles never stand under one of other tiles.
      try clear(place, of: CompiledBase.fileName)
      try clear(place, of: CompiledBase.tilesName)
      let path = FilePath.join(place, CompiledBase.tilesName)
      try writeTiles(of: model, to: path, threads, progress)
      let made = try storing { () throws(FileError) in
        // As they were written they lie in small pages, which decoding is slower from.
        try MappedFile(path: path).forget()
        let base = CompiledBase(
          modelSHA256: source.sha256, baseSignature: source.signature,
          processor: source.processor, size: model.tilesSize(),
          tilesSHA256: try CompiledBase.digest(ofTiles: path), created: process.now())
        try base.write(to: record(source))
        return base
      }
      return BaseCompilation(made, wasThere ? .rebuilt : .compiled, at: place)
    } catch {
      try? FileSystem.removeTree(place)
      throw error
    }
  }

  private func writeTiles(
    of model: BaseModel, to path: String, _ threads: Int?,
    _ progress: (CompilationProgress) -> Void
  ) throws(StoreError) {
    do throws(BaseModelError) {
      try model.writeTiles(
        to: path, threads: threads,
        progress: { progress(.writing(done: $0, total: $1)) }, isCancelled: { Task.isCancelled })
    } catch {
      switch error {
      case .cancelled: throw .cancelled
      case .file(let error): throw .storage(error)
      default: throw .invalidBase(path: model.path, reason: "\(error)")
      }
    }
  }
}
