import Adapters
import JSON
import Kernels
import SystemFiles
import TensorFiles

/// A folder of mlx-lm: `adapter_config.json` and `adapters.safetensors`.
///
/// Names are the module's path in the model, then `.lora_a` `(in, rank)` or `.lora_b` `(rank, out)`. All modules have one
/// rank, and one scale that is not divided by it; `num_layers` counts from the last layer.
/// Source: <https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/tuner/utils.py>.
enum MLXFolder {
  static func read(
    _ folder: String, _ modules: BaseModules
  ) throws(InterchangeError) -> ForeignContent {
    let settings = try FormSettings(folder: folder)
    if let kind = settings["fine_tune_type"]?.string, kind != "lora" {
      throw settings.unsupported(
        "fine_tune_type", kind == "dora" ? "DoRA" : "“\(kind)”, not lora")
    }
    let parameters = try settings.part("lora_parameters")
    let (stated, scale) = (
      try parameters.rank(parameters["rank"], "rank"), try parameters.number("scale")
    )
    let path = modules.form.weightsPath(in: folder)
    let file = try filing { () throws(FileError) in try SafetensorsFile(path: path) }
    var table = FactorTable(path, modules)
    table.isTransposed = true
    for tensor in file.tensors {
      let (module, side) = try table.place(
        tensor.name, (".lora_a", ".lora_b"),
        reason: tensor.name.hasSuffix(".m") ? FactorTable.magnitude : nil)
      try table.add(.init(tensor), side, of: module.withoutModelPrefix)
    }
    let updates = try table.updates { module, rank, tensor throws(InterchangeError) in
      guard rank == stated else {
        throw .statedRank(path: path, tensor: tensor, rank: rank, stated: stated)
      }
      return scale
    }
    try filing { () throws(FileError) in try file.checkUnchanged() }
    return ForeignContent(updates: updates)
  }

  /// Writes the two files into `folder`, for a base of `layers` layers.
  static func write(
    _ updates: [ModuleUpdate], scale: Double, layers: Int, to folder: String
  ) throws(InterchangeError) {
    let rank = updates.map(\.rank).max() ?? 1
    var writer = SafetensorsWriter()
    writer.metadata = ["format": "mlx"]
    for update in updates.sorted(by: { $0.module.name < $1.module.name }) {
      var update = update
      update.pad(to: rank)
      let (a, b) = (update.a.transposed(), update.b.transposed())
      let name = "model.\(update.module.name).lora_"
      writer.append(name + "a", .float16, shape: [a.rows, a.columns], a.halves)
      writer.append(name + "b", .float16, shape: [b.rows, b.columns], b.halves)
    }
    let first = updates.map(\.module.layer).min() ?? 0
    let keys = Set(
      updates.map { $0.module.name.split(separator: ".").dropFirst(2).joined(separator: ".") })
    let settings: JSONObject = [
      "fine_tune_type": .string("lora"), "num_layers": .number(JSONNumber(layers - first)),
      "lora_parameters": .object([
        "rank": .number(JSONNumber(rank)), "scale": .number(JSONNumber(scale)),
        "dropout": .number(JSONNumber(0.0)), "keys": .array(keys.sorted().map(JSONValue.string)),
      ]),
    ]
    let text = Array((JSONValue.object(settings).text + "\n").utf8)
    try filing { () throws(FileError) in
      try writer.write(to: FilePath.join(folder, ForeignForm.mlxWeights))
      try AtomicFile.write(text, to: FilePath.join(folder, ForeignForm.configurationName))
    }
  }
}
