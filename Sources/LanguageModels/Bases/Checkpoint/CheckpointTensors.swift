import Kernels
import SystemFiles
import TensorFiles

/// Finds the tensors of an AFM checkpoint under its own names and gives them their names in a base.
///
/// Fused Q, K and V are split, so that an adapter's targets and the tensors of the base have the same names.
struct CheckpointTensors {
  private let file: SafetensorsFile
  private let configuration: CheckpointConfiguration
  private var sources: [TensorSource] = []
  private var found: Set<String> = []

  /// The tensors in the order of the file to be written.
  ///
  /// - Throws: `BaseModelError.base` for one that is missing, unknown, or of another shape or type.
  static func sources(
    of file: SafetensorsFile, _ configuration: CheckpointConfiguration
  ) throws(BaseModelError) -> [TensorSource] {
    var tensors = CheckpointTensors(file: file, configuration: configuration)
    try tensors.collect()
    if let other = file.tensors.first(where: { !tensors.found.contains($0.name) }) {
      throw tensors.defect(.unknownTensor(other.name))
    }
    return tensors.sources
  }

  private init(file: SafetensorsFile, configuration: CheckpointConfiguration) {
    self.file = file
    self.configuration = configuration
  }

  private mutating func collect() throws(BaseModelError) {
    let c = configuration
    try add("token_embd", from: "embedding", [c.vocabularySize, c.width])
    for layer in 0..<c.layers { try addLayer(layer) }
    try add("output_norm", from: "output_norm", [c.width])
  }

  private mutating func addLayer(_ layer: Int) throws(BaseModelError) {
    let c = configuration
    let isShared = layer >= c.regularLayers
    let place =
      isShared
      ? "layers.segment_1.layer_\(layer - c.regularLayers)." : "layers.segment_0.layer_\(layer)."
    let block = "blk.\(layer)."
    try add(block + "attn_norm", from: place + "attention.norm", [c.width])
    if isShared {
      try addSharedAttention(block, place)
    } else {
      try addAttention(block, place)
    }
    try add(
      block + "attn_output", from: place + "attention.output_transform", [c.width, c.queryWidth])
    let feedForward = place + "feed_forward."
    try add(block + "ffn_norm", from: feedForward + "norm", [c.width])
    for (stem, name) in [("ffn_gate", "linear_0"), ("ffn_up", "linear_1")] {
      try add(
        block + stem, from: feedForward + "hidden_transform." + name, [c.hiddenWidth, c.width])
    }
    try add(
      block + "ffn_down", from: feedForward + "output_transform", [c.width, c.hiddenWidth])
  }

  private mutating func addAttention(
    _ block: String, _ place: String
  ) throws(BaseModelError) {
    let c = configuration
    let order = RotaryOrder(headSize: c.headSize)
    let fused = try find(
      place + "attention.qkv_transform.fused_linear.weight",
      [c.queryWidth + 2 * c.keyValueWidth, c.width])
    let keys = c.queryWidth..<c.queryWidth + c.keyValueWidth
    let values = keys.upperBound..<keys.upperBound + c.keyValueWidth
    add(block + "attn_q", rows: 0..<c.queryWidth, of: fused, order)
    add(block + "attn_k", rows: keys, of: fused, order)
    add(block + "attn_v", rows: values, of: fused, nil)
    let norms = place + "attention.qk_norm."
    try add(block + "attn_q_norm", from: norms + "query_norm", [c.headSize], order)
    try add(block + "attn_k_norm", from: norms + "key_norm", [c.headSize], order)
  }

  private mutating func addSharedAttention(
    _ block: String, _ place: String
  ) throws(BaseModelError) {
    let c = configuration
    let order = RotaryOrder(headSize: c.headSize)
    try add(
      block + "attn_q", from: place + "attention.q_transform", [c.queryWidth, c.width], order)
    try add(
      block + "attn_q_norm", from: place + "attention.q_norm.query_norm", [c.headSize], order)
  }

  private mutating func add(
    _ name: String, from source: String, _ shape: [Int], _ order: RotaryOrder? = nil
  ) throws(BaseModelError) {
    let (type, bytes) = try find(source + ".weight", shape)
    sources.append(
      TensorSource(
        name: name + ".weight", dimensions: shape.reversed(), type: type, parts: [bytes],
        order: order))
  }

  private mutating func add(
    _ name: String, rows: Range<Int>, of fused: (type: TensorType, bytes: TensorBytes),
    _ order: RotaryOrder?
  ) {
    let row = configuration.width * fused.type.blockBytes
    sources.append(
      TensorSource(
        name: name + ".weight", dimensions: [configuration.width, rows.count], type: fused.type,
        parts: [fused.bytes.slice(rows.lowerBound * row..<rows.upperBound * row)], order: order))
  }

  private mutating func find(
    _ name: String, _ shape: [Int]
  ) throws(BaseModelError) -> (type: TensorType, bytes: TensorBytes) {
    guard let tensor = file.tensor(named: name) else { throw defect(.missingTensor(name)) }
    guard tensor.shape == shape else {
      throw defect(.wrongShape(tensor: name, expected: shape, actual: tensor.shape))
    }
    guard let type = tensor.type.tensorType else {
      throw defect(.unreadableType(tensor: name, type: tensor.type.rawValue))
    }
    found.insert(name)
    return (type, tensor.bytes)
  }

  private func defect(_ defect: BaseDefect) -> BaseModelError {
    .base(defect, file: file.path)
  }
}
