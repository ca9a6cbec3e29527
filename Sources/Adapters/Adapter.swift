package import Kernels
public import SystemFiles

/// The weights of an adapter that fit one base, mapped and never changed.
///
/// Any number of sessions may share it, and it shares its base with any number of other adapters.
public struct Adapter: Sendable {
  /// Name, and first digits of the base's signature.
  public let identifier: AdapterIdentifier
  /// What the package says about itself.
  public internal(set) var metadata: AdapterMetadata
  /// Columns of every B and rows of every A.
  public let rank: Int
  /// The update is scaled by alpha / rank.
  public let alpha: Double
  /// SHA-256 of `adapter_weights.bin`, 64 lowercase hexadecimal digits.
  public let contentHash: String
  /// One entry per layer of the base, with a pair for each projection that the adapter changes.
  public let layers: [[LoRATarget: LowRankPair]]
  /// Texts like those that it writes, as its package carries them; nil when it carries none.
  public let suffixes: SuffixTexts?
  /// Path of the draft model in its package, or of what was made of that for this machine; nil when it carries none.
  public package(set) var draftModelPath: String?
  private let file: MappedFile

  /// Factor of the update: alpha / rank.
  public var scale: Double { alpha / Double(rank) }
}

extension Adapter {
  /// Loads the package at `path` for a base that fulfils `base`.
  ///
  /// - Throws: `AdapterError.refused` with all findings when the package breaks a rule or is for another base;
  ///   `.notFound` or `.file` when it cannot be read. Warnings are no errors.
  public init(package path: String, for base: BaseContract) throws(AdapterError) {
    let (report, package) = try AdapterCheck.examine(path, base: base, depth: .usability)
    guard report.isAccepted, let package, let adapter = Adapter(package) else {
      throw .refused(report)
    }
    self = adapter
  }

  /// Loads the package at `path` to be looked at, whatever base it is for; `base` gives the shapes, where it is known and
  /// the adapter's own.
  ///
  /// - Throws: as ``init(package:for:)``; that it is for another base, or diverged in training, is no error here.
  public init(inspecting path: String, base: BaseContract? = nil) throws(AdapterError) {
    let (report, package) = try AdapterCheck.examine(path, base: base, depth: .usability)
    guard
      report.errors.allSatisfy({ $0.category == .compatibility || $0.rule == DivergedRule.name }),
      let package, let adapter = Adapter(package)
    else { throw .refused(report) }
    self = adapter
  }

  /// What was read of a package; nil where that is not whole.
  private init?(_ package: PackageReading) {
    guard let metadata = package.metadata?.metadata, let layout = package.layout,
      let scan = package.scan, let digest = package.weightsDigest, let file = package.weights,
      scan.records.count == layout.tensors.count
    else { return nil }
    identifier = metadata.adapterIdentifier
    self.metadata = metadata
    rank = metadata.loraRank
    alpha = metadata.settings.alpha
    contentHash = digest
    suffixes = package.suffixes.flatMap { try? $0.get() }
    draftModelPath =
      package.draftModel.map { _ in package.folder.path(of: PackageFile.draftModel) }
    self.file = file
    layers = Adapter.layers(layout, scan, rank: metadata.loraRank)
  }

  /// Asks the system whether the weights are still those that were loaded.
  ///
  /// - Throws: `FileError.changed` when they are not.
  package func checkUnchanged() throws(FileError) { try file.checkUnchanged() }

  /// The tensors by layer and target; an accepted check has compared every size.
  private static func layers(
    _ layout: AdapterLayout, _ scan: BlobScan, rank: Int
  ) -> [[LoRATarget: LowRankPair]] {
    var layers = layout.contract.layers.map { _ in [LoRATarget: LowRankPair]() }
    for index in stride(from: 0, to: layout.tensors.count, by: 2) {
      let tensor = layout.tensors[index]
      guard let a = scan.records[index].data, let b = scan.records[index + 1].data,
        let shape = layout.contract.layers[tensor.layer][tensor.target]
      else { continue }
      layers[tensor.layer][tensor.target] = LowRankPair(a: a, b: b, rank: rank, shape: shape)
    }
    return layers
  }
}

/// The two factors of the update of one projection: y = W x + scale · B (A x).
public struct LowRankPair: Sendable {
  /// A `(rank, in)` in Float16, row by row.
  public let a: TensorBytes
  /// B `(out, rank)` in Float16, row by row.
  public let b: TensorBytes
  /// Columns of B and rows of A.
  public let rank: Int
  /// Shape of the projection, `(out, in)`.
  public let shape: MatrixShape

  /// Pairs `a` and `b`, whose sizes have to be those of `rank` and `shape`.
  public init(a: TensorBytes, b: TensorBytes, rank: Int, shape: MatrixShape) {
    precondition(a.count == 2 * rank * shape.columns && b.count == 2 * rank * shape.rows)
    self.a = a
    self.b = b
    self.rank = rank
    self.shape = shape
  }

  /// A in full precision.
  package var aMatrix: FloatMatrix {
    FloatMatrix(rows: rank, columns: shape.columns, values: dequantize(.f16, bytes: a))
  }

  /// B in full precision.
  package var bMatrix: FloatMatrix {
    FloatMatrix(rows: shape.rows, columns: rank, values: dequantize(.f16, bytes: b))
  }
}
