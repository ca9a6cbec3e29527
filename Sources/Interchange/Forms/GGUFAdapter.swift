import Adapters
import Kernels
import SystemFiles
import TensorFiles

/// A LoRA in GGUF, as llama.cpp takes it.
///
/// Names are those of the base's tensors with `.lora_a` `(rank, in)` or `.lora_b` `(out, rank)` behind them, rows in the
/// order of the base's file. The update is scaled by `adapter.lora.alpha` / rank, where an alpha of 0 means 1. There is one
/// alpha for all; where a matrix that fuses several projections needs a higher rank, B has what the scale lacks, in F32.
/// Source: <https://github.com/ggml-org/llama.cpp/blob/master/src/llama-adapter.cpp>.
enum GGUFAdapter {
  private static let alphaKey = "adapter.lora.alpha"
  private static let invocationKey = "adapter.alora.invocation_tokens"

  static func read(
    _ path: String, _ modules: BaseModules
  ) throws(InterchangeError) -> ForeignContent {
    let file = try filing { () throws(FileError) in try GGUFFile(path: path) }
    let alpha = try checkedAlpha(file, modules)
    let invocation = try invocation(file, modules.base)
    var table = FactorTable(path, modules)
    for tensor in file.tensors {
      let (module, side) = try table.place(tensor.name, (".weight.lora_a", ".weight.lora_b"))
      try table.add(.init(tensor), side, of: module)
    }
    let updates = try table.updates { _, rank, _ in alpha == 0 ? 1 : alpha / Double(rank) }
    try filing { () throws(FileError) in try file.checkUnchanged() }
    return ForeignContent(updates: updates, invocation: invocation)
  }

  /// The alpha of a file that is a LoRA for such a base.
  private static func checkedAlpha(
    _ file: GGUFFile, _ modules: BaseModules
  ) throws(InterchangeError) -> Double {
    func text(_ key: String) throws(InterchangeError) -> String? {
      try filing { () throws(FileError) in try file.metadata.string(key) }
    }
    guard try text("general.type") ?? "model" != "model" else {
      throw .unknownForm(path: file.path, found: ["a model in GGUF"])
    }
    for (key, value) in [("general.type", "adapter"), ("adapter.type", "lora")] {
      guard let found = try text(key), found == value else {
        let found = try text(key)
        throw .setting(
          path: file.path, key: key,
          problem: (found.map { "is “\($0)”" } ?? "is missing") + ", but has to be “\(value)”")
      }
    }
    let expected = modules.base.contract.architecture
    guard let found = try text("general.architecture"), found == expected else {
      throw .otherArchitecture(
        path: file.path, found: try text("general.architecture") ?? "an unknown kind",
        expected: expected)
    }
    let alpha = try filing { () throws(FileError) in try file.metadata.float(alphaKey) }
    guard let alpha else { return 0 }
    guard alpha.isFinite else {
      throw .setting(path: file.path, key: alphaKey, problem: "is not finite")
    }
    return alpha
  }

  /// The invocation of an aLoRA, which llama.cpp takes as unsigned integers of 32 bits alone.
  private static func invocation(
    _ file: GGUFFile, _ base: ExchangeBase
  ) throws(InterchangeError) -> [Int32]? {
    guard let value = file.metadata[invocationKey] else { return nil }
    guard case .array(let array) = value, array.elementType == .uint32 else {
      throw .setting(
        path: file.path, key: invocationKey,
        problem: "is no array of unsigned integers of 32 bits")
    }
    let numbers = try filing { () throws(FileError) in
      try file.metadata.integers(invocationKey) ?? []
    }
    return try base.invocation(numbers, invocationKey, in: file.path)
  }

  /// Writes the file to `path`, for a base of `architecture`.
  ///
  /// llama.cpp rounds what it multiplies to the type of the factors, so that F32 gives other results than F16.
  static func write(
    _ content: ForeignContent, scale: Double, rank: Int, architecture: String, name: String,
    type: TensorType, to path: String
  ) throws(InterchangeError) {
    var head = GGUFWriter()
    head.set("general.architecture", .text(architecture))
    head.set("general.type", .text("adapter"))
    head.set("general.name", .text(name))
    head.set("general.file_type", .uint32(type == .f16 ? 1 : 0))
    head.set("adapter.type", .text("lora"))
    head.set(alphaKey, .float32(Float(scale * Double(rank))))
    if let invocation = content.invocation {
      head.set(invocationKey, .unsignedIntegers(invocation.map { UInt32($0) }))
    }
    var contents: [TensorBytes] = []
    for update in content.updates {
      let factor = Double(update.rank) / Double(rank)
      var b = update.b
      b.values = factor == 1 ? b.values : b.values.map { Float(Double($0) * factor) }
      // A quotient of two ranks is no power of two as a rule.
      for (matrix, side, type) in [(update.a, "a", type), (b, "b", factor == 1 ? type : .f32)] {
        head.append(
          .init(
            name: "\(update.module.name).weight.lora_\(side)", type: type,
            dimensions: [matrix.columns, matrix.rows]))
        contents.append(type == .f16 ? matrix.halves : matrix.bytes)
      }
    }
    try filing { () throws(FileError) in
      var stream = try GGUFStream(head, path: path)
      for bytes in contents { try stream.write(bytes) }
      try stream.commit()
    }
  }
}

extension FactorTable.Tensor {
  fileprivate init(_ tensor: GGUFTensor) {
    // Dimensions of 1 at the end say nothing.
    let dimensions = tensor.dimensions.count == 1 ? tensor.dimensions + [1] : tensor.dimensions
    self.init(
      name: tensor.name, type: tensor.type, typeName: tensor.type.name,
      shape: dimensions.reversed(), bytes: tensor.bytes)
  }
}
