import Adapters
import Kernels
import SystemFiles
import TensorFiles

/// The factors of a file of tensors, by the linear layer that they are for.
///
/// Whatever is no factor of a known layer is an error; so is a factor without its other one.
struct FactorTable {
  /// A tensor as it stands in the file.
  struct Tensor {
    let name: String
    /// As a type that can be computed with; nil where it is another.
    let type: TensorType?
    /// What messages call the type.
    let typeName: String
    /// Slowest first.
    let shape: [Int]
    let bytes: TensorBytes
  }

  enum Side: Hashable { case a, b }

  /// Named in errors.
  let path: String
  let modules: BaseModules
  /// Whether the file has `(in, rank)` and `(rank, out)`.
  var isTransposed = false
  private var found: [String: [Side: Tensor]] = [:]

  init(_ path: String, _ modules: BaseModules) { (self.path, self.modules) = (path, modules) }

  /// What a tensor called `name` is a factor of and which one, by how names of factors end.
  ///
  /// - Throws: `InterchangeError.unmatchedTensor` for another, which is `tensor` in its file, with the `reason` that there is.
  func place(
    _ name: String, _ ends: (a: String, b: String), of tensor: String? = nil,
    reason: String? = nil
  ) throws(InterchangeError) -> (module: String, side: Side) {
    for (end, side) in [(ends.a, Side.a), (ends.b, .b)] where name.hasSuffix(end) {
      return (String(name.dropLast(end.count)), side)
    }
    throw .unmatchedTensor(
      path: path, tensor: tensor ?? name, reason: reason ?? "it is no factor of a LoRA")
  }

  static let magnitude = "it is a magnitude of DoRA, which a package cannot say"

  /// Takes `tensor` as a factor of `module`.
  ///
  /// - Throws: `InterchangeError.unmatchedTensor` where the base has no such layer.
  mutating func add(_ tensor: Tensor, _ side: Side, of module: String) throws(InterchangeError) {
    guard modules.module(named: module) != nil else {
      throw .unmatchedTensor(path: path, tensor: tensor.name, reason: reason(module))
    }
    guard found[module]?[side] == nil else {
      throw .unmatchedTensor(
        path: path, tensor: tensor.name, reason: "another one is the same factor of the same layer")
    }
    found[module, default: [:]][side] = tensor
  }

  /// The updates in the order of the base's layers; `scale` gives that of a module with its rank, and may refuse it.
  func updates(
    scale: (BaseModules.Module, _ rank: Int, _ tensor: String) throws(InterchangeError) -> Double
  ) throws(InterchangeError) -> [ModuleUpdate] {
    var updates: [ModuleUpdate] = []
    for module in modules.modules {
      guard let sides = found[module.name] else { continue }
      guard let a = sides[.a], let b = sides[.b] else {
        let (tensor, missing) = (sides[.a] ?? sides[.b], sides[.a] == nil ? "A" : "B")
        throw .halfPair(path: path, tensor: tensor?.name ?? module.name, missing: missing)
      }
      let (first, second) = (try matrix(a), try matrix(b))
      guard first.columns == module.shape.columns else {
        throw wrongShape(
          a, isTransposed ? "(\(module.shape.columns), rank)" : "(rank, \(module.shape.columns))")
      }
      guard second.rows == module.shape.rows else {
        throw wrongShape(
          b, isTransposed ? "(rank, \(module.shape.rows))" : "(\(module.shape.rows), rank)")
      }
      guard first.rows == second.columns else {
        throw .ranksDiffer(path: path, tensor: a.name, rank: first.rows, other: second.columns)
      }
      updates.append(
        ModuleUpdate(
          module: module, a: first, b: second, scale: try scale(module, first.rows, a.name),
          names: (a.name, b.name)))
    }
    return updates
  }

  /// The values, `(rank, in)` or `(out, rank)`.
  private func matrix(_ tensor: Tensor) throws(InterchangeError) -> FloatMatrix {
    guard !tensor.shape.contains(0) else {
      throw .noValues(path: path, tensor: tensor.name)
    }
    guard tensor.shape.count == 2, tensor.shape.allSatisfy({ $0 > 0 }) else {
      throw wrongShape(tensor, "two sizes above 0")
    }
    guard let type = tensor.type else {
      throw .unreadableType(path: path, tensor: tensor.name, type: tensor.typeName)
    }
    let matrix = FloatMatrix(
      rows: tensor.shape[0], columns: tensor.shape[1],
      values: dequantize(type, bytes: tensor.bytes))
    if let index = matrix.values.firstIndex(where: { !$0.isFinite }) {
      throw .notFinite(path: path, tensor: tensor.name, index: index)
    }
    return isTransposed ? matrix.transposed() : matrix
  }

  private func wrongShape(_ tensor: Tensor, _ expected: String) -> InterchangeError {
    .wrongShape(path: path, tensor: tensor.name, expected: expected, actual: tensor.shape)
  }

  /// Why the base has no such module.
  private func reason(_ module: String) -> String {
    let parts = module.split(separator: ".")
    let senses: Set<Substring> = [
      "vision_tower", "vision_model", "visual", "audio_tower", "multi_modal_projector",
      "embed_vision", "embed_audio",
    ]
    if parts.contains(where: senses.contains) { return "what sees or hears is no part of a base" }
    let count = modules.base.contract.layers.count
    if let place = parts.firstIndex(where: { $0 == "layers" || $0 == "blk" }),
      parts.indices.contains(place + 1), let layer = Int(parts[place + 1]), layer >= count
    {
      return "the base has \(Figures.count(count, "layer"))"
    }
    if parts.contains("experts") { return "experts cannot be changed" }
    if parts.contains("router") { return "what chooses experts cannot be changed" }
    if ["lm_head", "embed_tokens", "token_embd", "output"].contains(parts.last.map(String.init)) {
      return "embeddings and the output head cannot be changed"
    }
    return "this base has no such projection"
  }
}

extension FactorTable.Tensor {
  init(_ tensor: SafetensorsTensor) {
    self.init(
      name: tensor.name, type: tensor.type.tensorType, typeName: tensor.type.rawValue,
      shape: tensor.shape, bytes: tensor.bytes)
  }
}
