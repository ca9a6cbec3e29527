import Adapters
import JSON
import Kernels
import SystemFiles
import TensorFiles

/// A folder of PEFT: `adapter_config.json` and `adapter_model.safetensors`, or in older ones `adapter_model.bin`.
///
/// Names are `base_model.model.` and the module's path in the model, then `.lora_A.weight` `(rank, in)` or `.lora_B.weight`
/// `(out, rank)`. The update is scaled by alpha / rank, or by alpha / √rank with rsLoRA; patterns give single modules
/// another rank or alpha. Source: <https://github.com/huggingface/peft/blob/v0.21.2/src/peft/tuners/lora/config.py>.
enum PEFTFolder {
  private static let namePrefix = "base_model.model."

  // MARK: Reading

  static func read(
    _ folder: String, _ modules: BaseModules
  ) throws(InterchangeError) -> ForeignContent {
    let settings = try PEFTSettings(try FormSettings(folder: folder), modules.base)
    let path = modules.form.weightsPath(in: folder)
    let (tensors, checkUnchanged) = try tensors(path)
    var table = FactorTable(path, modules)
    var paths: [String: String] = [:]
    var names: [String] = []
    for tensor in tensors {
      let (plain, adapter) = Self.unnamed(tensor.name)
      if !names.contains(adapter ?? "default") { names.append(adapter ?? "default") }
      guard names.count == 1 else { throw .severalAdapters(path: path, names: names) }
      let (module, side) = try place(plain, of: tensor.name, in: table)
      let name = module.withoutModelPrefix
      paths[name] = module
      try table.add(tensor, side, of: name)
    }
    let updates = try table.updates { module, rank, tensor throws(InterchangeError) in
      try settings.scale(
        of: paths[module.name] ?? module.name, rank: rank, tensor: tensor, in: path)
    }
    try filing { () throws(FileError) in try checkUnchanged() }
    return ForeignContent(updates: updates, invocation: settings.invocation)
  }

  /// What is in the file of weights, and how to ask whether it is still the same.
  private static func tensors(
    _ path: String
  ) throws(InterchangeError) -> ([FactorTable.Tensor], () throws(FileError) -> Void) {
    guard FilePath.name(of: path) == ForeignForm.pickledWeights else {
      let file = try filing { () throws(FileError) in try SafetensorsFile(path: path) }
      return (file.tensors.map(FactorTable.Tensor.init), file.checkUnchanged)
    }
    let file = try filing { () throws(FileError) in try MappedFile(path: path) }
    return (try TorchArchive(file.bytes, path: path).tensors(), file.checkUnchanged)
  }

  /// Parts of names that come from what a model was wrapped in when it was saved.
  private static let wrappers: Set<Substring> = [
    "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module",
  ]

  /// A tensor's name without what a model was wrapped in, and without the name of the adapter, which stands behind that of the
  /// factor where a model was saved as it was trained.
  private static func unnamed(_ name: String) -> (plain: String, adapter: String?) {
    var parts = name.split(separator: ".").filter { !wrappers.contains($0) }
    guard parts.count >= 3, parts.last == "weight",
      ["lora_A", "lora_B"].contains(parts[parts.count - 3])
    else { return (parts.joined(separator: "."), nil) }
    let adapter = String(parts.remove(at: parts.count - 2))
    return (parts.joined(separator: "."), adapter)
  }

  /// The path of the module that a tensor is for, and which factor it is; `plain` is the name of `tensor` without other parts.
  private static func place(
    _ plain: String, of tensor: String, in table: FactorTable
  ) throws(InterchangeError) -> (String, FactorTable.Side) {
    let stem = plain.hasPrefix(namePrefix) ? String(plain.dropFirst(namePrefix.count)) : plain
    let reasons = [
      ("lora_magnitude_vector", FactorTable.magnitude),
      ("lora_embedding_", "embeddings and the output head cannot be changed"),
      (".bias", "it is a bias, and a package has none"),
      (".weight", "it is a module that was saved whole, and a package has changes alone"),
    ]
    return try table.place(
      stem, (".lora_A.weight", ".lora_B.weight"), of: tensor,
      reason: reasons.first { stem.contains($0.0) }?.1)
  }

  // MARK: Writing

  /// Writes the two files into `folder`, for a base of `layers` layers that is loaded by `baseModel`.
  static func write(
    _ content: ForeignContent, scale: Double, layers: Int, baseModel: String?, to folder: String
  ) throws(InterchangeError) {
    var writer = SafetensorsWriter()
    writer.metadata = ["format": "pt"]
    for update in content.updates.sorted(by: { $0.module.name < $1.module.name }) {
      let name = "\(namePrefix)model.\(update.module.name).lora_"
      writer.append(
        name + "A.weight", .float16, shape: [update.a.rows, update.a.columns], update.a.halves)
      writer.append(
        name + "B.weight", .float16, shape: [update.b.rows, update.b.columns], update.b.halves)
    }
    var settings = settings(content, scale, layers)
    settings["base_model_name_or_path"] = baseModel.map(JSONValue.string) ?? .null
    let text = Array((JSONValue.object(settings).text + "\n").utf8)
    try filing { () throws(FileError) in
      try writer.write(to: FilePath.join(folder, ForeignForm.peftWeights))
      try AtomicFile.write(text, to: FilePath.join(folder, ForeignForm.configurationName))
    }
  }

  /// The settings of which each has another value than PEFT's own, or which it needs.
  private static func settings(
    _ content: ForeignContent, _ scale: Double, _ layers: Int
  ) -> JSONObject {
    let updates = content.updates
    let rank = updates.map(\.rank).max() ?? 1
    func alpha(_ rank: Int) -> JSONValue { .number(JSONNumber(exactly: scale * Double(rank))) }
    var (ranks, alphas): (JSONObject, JSONObject) = ([:], [:])
    for update in updates where update.rank != rank {
      // The names are regular expressions to PEFT.
      let name = "model.\(update.module.name)".replacing(".", with: "\\.")
      ranks[name] = .number(JSONNumber(update.rank))
      alphas[name] = alpha(update.rank)
    }
    var settings: JSONObject = [
      "peft_type": .string("LORA"), "task_type": .string("CAUSAL_LM"),
      "inference_mode": .bool(true),
      "base_model_name_or_path": .null, "r": .number(JSONNumber(rank)), "lora_alpha": alpha(rank),
      "lora_dropout": .number(JSONNumber(0)), "bias": .string("none"),
      "fan_in_fan_out": .bool(false), "use_rslora": .bool(false), "use_dora": .bool(false),
      "init_lora_weights": .bool(true), "modules_to_save": .null,
      "target_modules": .array(targetModules(updates, layers).map(JSONValue.string)),
      "rank_pattern": .object(ranks), "alpha_pattern": .object(alphas),
    ]
    settings["alora_invocation_tokens"] = content.invocation.map { tokens in
      .array(tokens.map { .number(JSONNumber(Int($0))) })
    }
    return settings
  }

  /// The last parts of the names, or whole names where not every layer has all of them.
  private static func targetModules(_ updates: [ModuleUpdate], _ layers: Int) -> [String] {
    let targets = Set(
      updates.map { $0.module.name.split(separator: ".").last.map(String.init) ?? "" })
    return updates.count == targets.count * layers
      ? targets.sorted() : updates.map { "model." + $0.module.name }.sorted()
  }
}

extension String {
  /// The path of a module without what stands in front of `layers.`.
  var withoutModelPrefix: String {
    for prefix in BaseModules.prefixes where hasPrefix(prefix + "layers.") {
      return String(dropFirst(prefix.count))
    }
    return self
  }
}

extension JSONNumber {
  /// The shortest text of `value`: without a fraction where it has none.
  init(exactly value: Double) {
    if value == value.rounded(), value.magnitude < 1e15 {
      self.init(Int(value))
    } else {
      self.init(value)
    }
  }
}
