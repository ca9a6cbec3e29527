import JSON

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

  /// What its signature says of itself, which only a key can prove.
  public struct Signature: Sendable, Equatable, Encodable {
    /// The name that the folder had.
    public let name: String
    /// Fingerprint of the key that it names; nil where it names none.
    public let key: String?
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
  /// What its signature says; nil when there is none that can be used.
  public let signature: Signature?
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

extension AdapterInfo: Encodable {
  private enum Key: String, CodingKey {
    case metadata, rank, alpha, scale, targets, layerCount, parameterCount, layerNorms, pairs
    case files, size, draft, draftModel, suffixes, signature, needs
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
    try container.encodeIfPresent(signature, forKey: .signature)
    try container.encode(needs, forKey: .needs)
  }
}
