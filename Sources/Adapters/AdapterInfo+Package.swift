import Kernels
import SystemFiles
import TensorFiles

extension AdapterInfo {
  /// Reads the package at `path`; `base` gives the shapes, where it is known and the adapter's own.
  ///
  /// With `depth` `.usability` the norms are left out, which is the greater part of the time.
  ///
  /// - Throws: `AdapterError.refused` with all findings when the package breaks a rule; that it is for another base, or
  ///   diverged in training, is no error here. `.notFound` or `.file` when it cannot be read.
  public init(
    package path: String, base: BaseContract? = nil, depth: AdapterCheck.Depth = .complete
  ) throws(AdapterError) {
    let (report, package) = try AdapterCheck.examine(path, base: base, depth: depth)
    // The norms are what tells of an adapter that diverged, so it is shown.
    guard
      report.errors.allSatisfy({ $0.category == .compatibility || $0.rule == DivergedRule.name }),
      let package,
      let metadata = package.metadata?.metadata, let layout = package.layout
    else { throw .refused(report) }
    self.metadata = metadata
    rank = metadata.loraRank
    alpha = metadata.settings.alpha
    layerCount = layout.contract.layers.count
    targets = LoRATarget.allCases.filter { target in
      layout.tensors.contains { $0.target == target }
    }
    parameterCount = layout.tensors.reduce(0) { $0 + $1.shape.rows * $1.shape.columns }
    pairs = package.statistics.map { pair in
      Pair(
        layer: pair.a.layer, target: pair.a.target, name: pair.a.name, rows: pair.b.shape.rows,
        columns: pair.a.shape.columns, norm: pair.norm)
    }
    files = try AdapterInfo.files(package)
    draft =
      package.folder.hasFile(PackageFile.draftModel)
      ? .gguf : package.folder.hasFile(PackageFile.draftWeights) ? .apple : .none
    draftModel = package.draftModel.flatMap { try? DraftModel($0.get()) }
    suffixes = package.suffixes.flatMap { try? Suffixes($0.get()) }
    signature = (try? PackageSignature(package: path)).flatMap(\.self)
      .map { Signature(name: $0.name, key: $0.fingerprint) }
    needs = AdapterInfo.needs(metadata)
    // Sizes are read once more.
    try filing { () throws(FileError) in try package.checkUnchanged() }
  }

  private static func files(_ package: PackageReading) throws(AdapterError) -> [File] {
    var files: [File] = []
    for name in PackageFile.known where package.folder.hasFile(name) {
      do throws(FileError) {
        let path = package.folder.path(of: name)
        let known = name == PackageFile.weights ? package.weightsDigest : nil
        let digest = if let known { known } else { try SHA256.hex(ofFile: path) }
        files.append(File(name: name, size: try FileReader(path: path).size, sha256: digest))
      } catch {
        throw .file(error)
      }
    }
    return files
  }

  private static func needs(_ metadata: AdapterMetadata) -> String {
    if metadata.baseModelSignature == BaseContract.appleSignature {
      return "Apple's on-device model of OS 26 (adapter training toolkit 26.0.0), whose weights "
        + "are Apple's alone: it can be checked, stored and hosted here, and run on OS 26."
    }
    let architecture = metadata.settings.architecture.map { "\($0) base" } ?? "base"
    return "The \(printable(architecture)) with the signature \(metadata.baseModelSignature)."
  }
}

extension AdapterInfo.DraftModel {
  fileprivate init(_ file: GGUFFile) {
    architecture = ((try? file.metadata.string("general.architecture")) ?? nil) ?? ""
    let sizes = file.tensors.reduce(into: [TensorType: Int]()) {
      $0[$1.type, default: 0] += $1.count
    }
    let most = TensorType.allCases.max { sizes[$0] ?? 0 < sizes[$1] ?? 0 }
    type = most?.name ?? ""
    parameterCount = file.parameterCount
    vocabularySize = file.tensor(named: "token_embd.weight")?.rows ?? 0
    let tokens = (try? file.metadata.integers(DraftModelRule.tokensKey)) ?? nil
    tokenCount = tokens?.count ?? vocabularySize
    size = file.size
  }
}

extension AdapterInfo.Suffixes {
  fileprivate init(_ texts: SuffixTexts) {
    (textCount, tokenCount, longest) = (texts.texts.count, texts.tokenCount, texts.longest)
    vocabularySize = texts.vocabularySize
    size = 64 + 8 * texts.texts.count + 4 * texts.tokenCount
  }
}
