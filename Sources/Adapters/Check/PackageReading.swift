import Kernels
import SystemFiles
import TensorFiles

/// All that a check looks at, read once, each part as far as the ones before it allow.
struct PackageReading: Sendable {
  let folder: PackageFolder
  /// The files that were mapped.
  let files: [MappedFile]
  let base: BaseContract?
  /// Nil when the file is not there or cannot be read.
  let metadata: MetadataReading?
  /// The weights file, mapped; nil as above.
  let weights: MappedFile?
  let scan: BlobScan?
  /// SHA-256 of the weights file, 64 hexadecimal digits.
  let weightsDigest: String?
  /// Apple's draft weights; nil when there are none.
  let draft: BlobScan?
  /// Our draft model; nil when there is none.
  let draftModel: Result<GGUFFile, FileError>?
  /// The stated base, where it is at hand and the package has something to compare with it.
  let baseFile: GGUFFile?
  /// The suffix store; nil when there is none, or when it cannot be read.
  let suffixes: Result<SuffixTexts, SuffixDefect>?
  /// What is to be said of its signature; nothing where there is none, or where only usability counts.
  let signatureFindings: [Finding]
  /// Files that this user may not open, with the system's reason.
  let unreadable: [(name: String, error: FileError)]
  /// The tensors that have to be there; nil when metadata or records do not say.
  let layout: AdapterLayout?
  /// The values' statistics; empty when the tensors are not those of the layout.
  let statistics: [PairStatistics]

  /// Reads the package in `folder` to compare it with `base`.
  ///
  /// - Throws: `FileError.system` where the package is not at fault, as when no file can be opened any more.
  init(
    _ folder: PackageFolder, base: BaseContract?, depth: AdapterCheck.Depth
  ) throws(FileError) {
    var files: [MappedFile] = []
    var unreadable: [(name: String, error: FileError)] = []
    func open(_ name: String) throws(FileError) -> MappedFile? {
      guard folder.hasFile(name) else { return nil }
      do throws(FileError) {
        let file = try MappedFile(path: folder.path(of: name))
        files.append(file)
        return file
      } catch {
        guard error.isOfTheFile else { throw error }
        unreadable.append((name, error))
        return nil
      }
    }
    self.folder = folder
    self.base = base
    metadata = try open(PackageFile.metadata).map { MetadataReading(Self.text($0.bytes)) }
    weights = try open(PackageFile.weights)
    scan = weights.map { BlobScan($0.bytes) }
    weightsDigest = weights.map { SHA256.hex($0.bytes) }
    draft = try open(PackageFile.draftWeights).map { BlobScan($0.bytes) }
    draftModel =
      folder.hasFile(PackageFile.draftModel)
      ? try Self.model(folder.path(of: PackageFile.draftModel)) : nil
    suffixes = try open(PackageFile.suffixes).map { file in
      do throws(SuffixDefect) { return .success(try SuffixTexts(bytes: file.bytes)) } catch {
        return .failure(error)
      }
    }
    let hasInvocation = metadata?.metadata?.settings.invocation != nil
    if draftModel != nil || suffixes != nil || hasInvocation, let path = base?.path {
      let model = try Self.model(path)
      baseFile = try? model.get()
    } else {
      baseFile = nil
    }
    signatureFindings = depth == .complete ? try PackageSignatureRule.findings(in: folder) : []
    self.files = files
    self.unreadable = unreadable
    layout = Self.layout(metadata, scan, base)
    statistics = Self.statistics(metadata, scan, layout, norms: depth == .complete)
  }

  /// Asks the system whether the files are still those that were read.
  ///
  /// - Throws: `FileError.changed` for the first that is not.
  func checkUnchanged() throws(FileError) {
    for file in files { try file.checkUnchanged() }
    if case .success(let model) = draftModel { try model.checkUnchanged() }
  }

  private static func model(
    _ path: String
  ) throws(FileError) -> Result<GGUFFile, FileError> {
    do throws(FileError) { return .success(try GGUFFile(path: path)) } catch {
      guard error.isOfTheFile else { throw error }
      return .failure(error)
    }
  }

  /// At most one byte more than the parser takes, so that a huge file is not copied to be refused.
  private static func text(_ bytes: TensorBytes) -> [UInt8] {
    bytes.slice(0..<min(bytes.count, (8 << 20) + 1)).array
  }

  private static func layout(
    _ metadata: MetadataReading?, _ scan: BlobScan?, _ base: BaseContract?
  ) -> AdapterLayout? {
    guard let metadata = metadata?.metadata, let scan else { return nil }
    let sizes = scan.records.compactMap { $0.data?.count }
    guard sizes.count == scan.records.count else { return nil }
    return AdapterLayout(metadata: metadata, sizes: sizes, base: base)
  }

  private static func statistics(
    _ metadata: MetadataReading?, _ scan: BlobScan?, _ layout: AdapterLayout?, norms: Bool
  ) -> [PairStatistics] {
    guard let metadata = metadata?.metadata, let scan, let layout,
      scan.records.count == layout.tensors.count
    else { return [] }
    let scale = metadata.settings.alpha / Double(metadata.loraRank)
    return stride(from: 0, to: layout.tensors.count - 1, by: 2).compactMap { index in
      guard let a = scan.records[index].data, let b = scan.records[index + 1].data,
        a.count == layout.tensors[index].byteCount, b.count == layout.tensors[index + 1].byteCount
      else { return nil }
      defer {
        a.giveBackPages()
        b.giveBackPages()
      }
      return PairStatistics(
        a: layout.tensors[index], b: layout.tensors[index + 1], blob: index, aBytes: a, bBytes: b,
        scale: scale, norms: norms)
    }
  }
}

/// What the values of one low-rank pair tell.
struct PairStatistics: Sendable {
  let a: AdapterTensor
  let b: AdapterTensor
  /// Index of A among the blobs; B follows it.
  let blob: Int
  let aScan: HalfScan
  let bScan: HalfScan
  /// Frobenius norm of (alpha / rank) · B A; nil when a value is not finite, or when it is neither asked for nor can be
  /// that of a diverged adapter.
  let norm: Double?

  /// How long the update makes vectors whose values are of length 1 on average: the root of its mean squared row.
  ///
  /// What a projection reads has been normed to that length, and a projection itself has a gain of about 1.
  var gain: Double? { norm.map { $0 / Double(b.shape.rows).squareRoot() } }

  /// Scans both factors, whose product is scaled by `scale`; `norms` asks for the norm, which takes most of the time.
  init(
    a: AdapterTensor, b: AdapterTensor, blob: Int, aBytes: TensorBytes, bBytes: TensorBytes,
    scale: Double, norms: Bool
  ) {
    self.a = a
    self.b = b
    self.blob = blob
    aScan = HalfScan(aBytes)
    bScan = HalfScan(bBytes)
    // The gain if every value were the largest.
    let bound =
      scale * Double(a.shape.rows) * Double(aScan.maximum) * Double(bScan.maximum)
      * Double(a.shape.columns).squareRoot()
    guard norms || bound > DivergedRule.limit, aScan.isFinite, bScan.isFinite else {
      norm = nil
      return
    }
    norm = scale * lowRankNorm(a: aBytes, b: bBytes, rank: a.shape.rows)
  }
}
