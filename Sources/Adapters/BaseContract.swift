/// What an adapter has to fit: the identity of a base model and the shape of each of its projections.
public struct BaseContract: Sendable {
  /// 40 lowercase hexadecimal digits.
  public let signature: String
  /// Name of the architecture, as in `general.architecture`.
  public let architecture: String
  /// One entry per layer; a layer that reuses another layer's keys and values has no key and value entry.
  public let layers: [[LoRATarget: MatrixShape]]
  /// The base's file, where it is at hand: a draft has to have its tokens, and to be smaller.
  package var path: String?

  /// The contract of a base with these `layers`.
  public init(signature: String, architecture: String, layers: [[LoRATarget: MatrixShape]]) {
    self.signature = signature
    self.architecture = architecture
    self.layers = layers
  }
}

extension BaseContract: Equatable {
  /// Whether the same adapters fit; the file is one of those that the signature names.
  public static func == (left: Self, right: Self) -> Bool {
    left.signature == right.signature && left.architecture == right.architecture
      && left.layers == right.layers
  }
}

/// Shape of a weight matrix: `rows` outputs by `columns` inputs.
public struct MatrixShape: Sendable, Equatable, Hashable {
  /// Outputs.
  public let rows: Int
  /// Inputs.
  public let columns: Int

  /// `rows` by `columns`.
  public init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }
}

/// A projection of a transformer layer that an adapter may change, named by its GGUF tensor stem.
///
/// The order of the cases is the native order of an adapter's tensors within a layer. The first seven are those of a
/// transformer; of the others a layer has some in the place of attention, or behind all.
public enum LoRATarget: String, CaseIterable, Codable, Sendable {
  case query = "attn_q"
  case key = "attn_k"
  case value = "attn_v"
  case output = "attn_output"
  case gate = "ffn_gate"
  case up = "ffn_up"
  case down = "ffn_down"
  case convolutionInput = "shortconv.in_proj"
  case convolutionOutput = "shortconv.out_proj"
  case deltaInput = "attn_qkv"
  case deltaGate = "attn_gate"
  case deltaAlpha = "ssm_alpha"
  case deltaBeta = "ssm_beta"
  case deltaOutput = "ssm_out"
  case tokenGate = "inp_gate"
  case tokenProjection = "proj"

  /// Those of a transformer's layer.
  public static let transformer: Set<LoRATarget> = [
    .query, .key, .value, .output, .gate, .up, .down,
  ]

  /// Its place among all cases, for tables: dictionaries hash the name, which takes longer than what is looked up.
  package var index: Int {
    switch self {
    case .query: 0
    case .key: 1
    case .value: 2
    case .output: 3
    case .gate: 4
    case .up: 5
    case .down: 6
    case .convolutionInput: 7
    case .convolutionOutput: 8
    case .deltaInput: 9
    case .deltaGate: 10
    case .deltaAlpha: 11
    case .deltaBeta: 12
    case .deltaOutput: 13
    case .tokenGate: 14
    case .tokenProjection: 15
    }
  }
}

extension BaseContract {
  /// Signature of the base of Apple's adapter training toolkit 26.0.0, the only one that was ever public.
  public static let appleSignature = "9799725ff8e851184037110b422d891ad3b92ec1"

  /// Apple's on-device model of OS 26, AFM text v7: 35 layers with keys and values of their own, 21 that reuse them.
  ///
  /// At rank 32 its adapters have 700 tensors in 133,312,320 bytes.
  public static let apple = BaseContract(
    signature: appleSignature, architecture: "afm",
    layers: Array(repeating: appleLayer(reusesKeys: false), count: 35)
      + Array(repeating: appleLayer(reusesKeys: true), count: 21))

  private static func appleLayer(reusesKeys: Bool) -> [LoRATarget: MatrixShape] {
    let (width, hidden, keys) = (2048, 6656, 256)
    var layer: [LoRATarget: MatrixShape] = [
      .query: MatrixShape(rows: width, columns: width),
      .output: MatrixShape(rows: width, columns: width),
      .gate: MatrixShape(rows: hidden, columns: width),
      .up: MatrixShape(rows: hidden, columns: width),
      .down: MatrixShape(rows: width, columns: hidden),
    ]
    if !reusesKeys {
      layer[.key] = MatrixShape(rows: keys, columns: width)
      layer[.value] = MatrixShape(rows: keys, columns: width)
    }
    return layer
  }
}
