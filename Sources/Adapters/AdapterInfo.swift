import Kernels
import TensorFiles

/// What there is to know about an adapter before running it.
public struct AdapterInfo: Sendable, Equatable {
  /// A file of the package.
  public struct File: Sendable, Equatable, Encodable {
    /// Name within the package.
    public let name: String
    /// Bytes.
    public let size: Int
    /// 64 lowercase hexadecimal digits.
    public let sha256: String
  }

  /// The draft model that comes with it.
  public enum Draft: String, Sendable, Encodable {
    /// None.
    case none
    /// Apple's pair of a MIL program and its weights.
    case apple
    /// A whole small model in GGUF.
    case gguf
  }

  /// What a draft model is.
  public struct DraftModel: Sendable, Equatable, Encodable {
    /// Name of the architecture; empty where the file does not say.
    public let architecture: String
    /// How most of the values are stored, such as `Q8_0`.
    public let type: String
    /// Values of all tensors.
    public let parameterCount: Int
    /// Tokens that it can propose.
    public let tokenCount: Int
    /// Tokens that it knows.
    public let vocabularySize: Int
    /// Bytes.
    public let size: Int
  }

  /// What a suffix store holds.
  public struct Suffixes: Sendable, Equatable, Encodable {
    /// Texts that differ.
    public let textCount: Int
    /// Tokens of all texts.
    public let tokenCount: Int
    /// Tokens of the longest text.
    public let longest: Int
    /// Pieces of the vocabulary that the tokens are of.
    public let vocabularySize: Int
    /// Bytes.
    public let size: Int
  }

  /// One low-rank pair.
  public struct Pair: Sendable, Equatable, Encodable {
    /// Layer of the base, from 0.
    public let layer: Int
    /// Projection of that layer.
    public let target: LoRATarget
    /// Name of A; that of B differs in its end.
    public let name: String
    /// Outputs of the projection.
    public let rows: Int
    /// Inputs of the projection.
    public let columns: Int
    /// Frobenius norm of (alpha / rank) · B A; nil when a value is not finite, or when not asked for.
    public let norm: Double?
  }

  /// The whole of the metadata, unknown keys included.
  public let metadata: AdapterMetadata
  /// Columns of every B.
  public let rank: Int
  /// The update is scaled by alpha / rank.
  public let alpha: Double
  /// The projections that it changes, in native order.
  public let targets: [LoRATarget]
  /// Layers of the base.
  public let layerCount: Int
  /// Values of all factors.
  public let parameterCount: Int
  /// Every pair, in native order.
  public let pairs: [Pair]
  /// The files that the format names, the needed ones first.
  public let files: [File]
  /// The draft model that comes with it.
  public let draft: Draft
  /// What the draft model in GGUF is; nil when there is none.
  public let draftModel: DraftModel?
  /// What the suffix store holds; nil when there is none.
  public let suffixes: Suffixes?
  /// What has to be there to run it, as a sentence.
  public let needs: String

  /// Norm of each layer's update: the root of the sum of its pairs' squared norms.
  public var layerNorms: [Double] {
    var squares = [Double](repeating: 0, count: layerCount)
    for pair in pairs { squares[pair.layer] += (pair.norm ?? 0) * (pair.norm ?? 0) }
    return squares.map { $0.squareRoot() }
  }

  /// Bytes of all files.
  public var size: Int { files.reduce(0) { $0 + $1.size } }
}

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
    needs = AdapterInfo.needs(metadata)
  }

  private static func files(_ package: PackageReading) throws(AdapterError) -> [File] {
    var files: [File] = []
    for name in PackageFile.known where package.folder.hasFile(name) {
      do throws(TensorFileError) {
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

extension AdapterInfo: Encodable {
  private enum Key: String, CodingKey {
    case metadata, rank, alpha, scale, targets, layerCount, parameterCount, layerNorms, pairs
    case files, size, draft, draftModel, suffixes, needs
  }

  /// Writes everything, the computed values included.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(JSONValue.object(metadata.json), forKey: .metadata)
    try container.encode(rank, forKey: .rank)
    try container.encode(alpha, forKey: .alpha)
    try container.encode(alpha / Double(rank), forKey: .scale)
    try container.encode(targets, forKey: .targets)
    try container.encode(layerCount, forKey: .layerCount)
    try container.encode(parameterCount, forKey: .parameterCount)
    try container.encode(layerNorms, forKey: .layerNorms)
    try container.encode(pairs, forKey: .pairs)
    try container.encode(files, forKey: .files)
    try container.encode(size, forKey: .size)
    try container.encode(draft, forKey: .draft)
    try container.encodeIfPresent(draftModel, forKey: .draftModel)
    try container.encodeIfPresent(suffixes, forKey: .suffixes)
    try container.encode(needs, forKey: .needs)
  }
}
