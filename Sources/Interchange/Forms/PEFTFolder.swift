import Adapters
import Kernels
import TensorFiles

/// A folder of PEFT: `adapter_config.json` and `adapter_model.safetensors`.
///
/// Names are `base_model.model.` and the module's path in the model, then `.lora_A.weight` `(rank, in)` or `.lora_B.weight`
/// `(out, rank)`. The update is scaled by alpha / rank, or by alpha / √rank with rsLoRA; patterns give single modules
/// another rank or alpha. Source: <https://github.com/huggingface/peft/blob/v0.21.2/src/peft/tuners/lora/config.py>.
enum PEFTFolder {
  private static let namePrefix = "base_model.model."

  // MARK: Reading

  static func read(
    _ folder: String, _ modules: BaseModules
  ) throws(InterchangeError) -> [ModuleUpdate] {
    let settings = try PEFTSettings(try FormSettings(folder: folder))
    let path = modules.form.weightsPath(in: folder)
    let file = try filing { () throws(TensorFileError) in try SafetensorsFile(path: path) }
    var table = FactorTable(path, modules)
    var paths: [String: String] = [:]
    for tensor in file.tensors {
      let (module, side) = try place(tensor.name, path)
      let name = module.withoutModelPrefix
      paths[name] = module
      try table.add(.init(tensor), side, of: name)
    }
    let updates = try table.updates { module, rank, tensor throws(InterchangeError) in
      try settings.scale(
        of: paths[module.name] ?? module.name, rank: rank, tensor: tensor, in: path)
    }
    try filing { () throws(TensorFileError) in try file.checkUnchanged() }
    return updates
  }

  /// The path of the module that a tensor is for, and which factor it is.
  private static func place(
    _ name: String, _ path: String
  ) throws(InterchangeError) -> (String, FactorTable.Side) {
    let stem = name.hasPrefix(namePrefix) ? String(name.dropFirst(namePrefix.count)) : name
    for (suffix, side) in [(".lora_A.weight", FactorTable.Side.a), (".lora_B.weight", .b)]
    where stem.hasSuffix(suffix) {
      return (String(stem.dropLast(suffix.count)), side)
    }
    let reasons = [
      ("lora_magnitude_vector", "it is a magnitude of DoRA, which a package cannot say"),
      ("lora_embedding_", "embeddings and the output head cannot be changed"),
      (".bias", "it is a bias, and a package has none"),
      (".weight", "it is a module that was saved whole, and a package has changes alone"),
    ]
    let reason = reasons.first { stem.contains($0.0) }?.1 ?? "it is no factor of a LoRA"
    throw .unmatchedTensor(path: path, tensor: name, reason: reason)
  }

  // MARK: Writing

  /// Writes the two files into `folder`, for a base of `layers` layers.
  static func write(
    _ updates: [ModuleUpdate], scale: Double, layers: Int, to folder: String
  ) throws(InterchangeError) {
    var writer = SafetensorsWriter()
    writer.metadata = ["format": "pt"]
    for update in updates.sorted(by: { $0.module.name < $1.module.name }) {
      let name = "\(namePrefix)model.\(update.module.name).lora_"
      writer.append(
        name + "A.weight", .float16, shape: [update.a.rows, update.a.columns], update.a.halves)
      writer.append(
        name + "B.weight", .float16, shape: [update.b.rows, update.b.columns], update.b.halves)
    }
    let text = Array((JSONValue.object(settings(updates, scale, layers)).text + "\n").utf8)
    try filing { () throws(TensorFileError) in
      try writer.write(to: FilePath.join(folder, ForeignForm.peftWeights))
      try AtomicFile.write(text, to: FilePath.join(folder, ForeignForm.configurationName))
    }
  }

  /// The settings of which each has another value than PEFT's own, or which it needs.
  private static func settings(
    _ updates: [ModuleUpdate], _ scale: Double, _ layers: Int
  ) -> JSONObject {
    let rank = updates.map(\.rank).max() ?? 1
    func alpha(_ rank: Int) -> JSONValue { .number(JSONNumber(exactly: scale * Double(rank))) }
    var (ranks, alphas): (JSONObject, JSONObject) = ([:], [:])
    for update in updates where update.rank != rank {
      // The names are regular expressions to PEFT.
      let name = "model.\(update.module.name)".replacing(".", with: "\\.")
      ranks[name] = .number(JSONNumber(update.rank))
      alphas[name] = alpha(update.rank)
    }
    return [
      "peft_type": .string("LORA"), "task_type": .string("CAUSAL_LM"),
      "inference_mode": .bool(true),
      "base_model_name_or_path": .null, "r": .number(JSONNumber(rank)), "lora_alpha": alpha(rank),
      "lora_dropout": .number(JSONNumber(0)), "bias": .string("none"),
      "fan_in_fan_out": .bool(false), "use_rslora": .bool(false), "use_dora": .bool(false),
      "init_lora_weights": .bool(true), "modules_to_save": .null,
      "target_modules": .array(targetModules(updates, layers).map(JSONValue.string)),
      "rank_pattern": .object(ranks), "alpha_pattern": .object(alphas),
    ]
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

/// What the configuration of a PEFT folder says about scales; all that a package cannot say is refused.
struct PEFTSettings {
  private let settings: FormSettings
  private let rank: Int
  private let alpha: Double
  private let usesRoot: Bool
  private let ranks: [(key: String, pattern: ModulePattern, value: Int)]
  private let alphas: [(key: String, pattern: ModulePattern, value: Double)]

  init(_ settings: FormSettings) throws(InterchangeError) {
    self.settings = settings
    guard let kind = settings["peft_type"]?.string else {
      throw settings.bad("peft_type", "is missing")
    }
    guard kind == "LORA" else { throw settings.unsupported("peft_type", "“\(kind)”, not LORA") }
    try Self.refuse(settings)
    rank = try settings.rank(settings["r"], "r")
    alpha = try settings.number("lora_alpha")
    usesRoot = try settings.flag("use_rslora")
    ranks = try Self.patterns(settings, "rank_pattern") { value, key throws(InterchangeError) in
      try settings.rank(value, key)
    }
    alphas = try Self.patterns(settings, "alpha_pattern") { value, key throws(InterchangeError) in
      try settings.number(value, key)
    }
  }

  /// The factor of the update of the module at `path`.
  ///
  /// - Throws: `InterchangeError.statedRank` where the tensors have another rank than is said here.
  func scale(
    of path: String, rank: Int, tensor: String, in file: String
  ) throws(InterchangeError) -> Double {
    let stated = ranks.first { $0.pattern.matches(path) }?.value ?? self.rank
    guard stated == rank else {
      throw .statedRank(path: file, tensor: tensor, rank: rank, stated: stated)
    }
    let alpha = alphas.first { $0.pattern.matches(path) }?.value ?? self.alpha
    return alpha / (usesRoot ? Double(rank).squareRoot() : Double(rank))
  }

  private static func patterns<Value>(
    _ settings: FormSettings, _ key: String,
    _ read: (JSONValue, String) throws(InterchangeError) -> Value
  ) throws(InterchangeError) -> [(key: String, pattern: ModulePattern, value: Value)] {
    guard let value = settings[key] else { return [] }
    guard let object = value.object else {
      throw settings.bad(key, "is \(value.kind), not an object")
    }
    guard object.members.count <= patternLimit else {
      throw settings.bad(key, "has more than \(Figures.grouped(patternLimit)) patterns")
    }
    var patterns: [(key: String, pattern: ModulePattern, value: Value)] = []
    for member in object.members {
      let name = "\(key).\(member.key)"
      guard let pattern = ModulePattern(member.key) else {
        throw settings.bad(name, "is a regular expression that is not understood here")
      }
      patterns.append((member.key, pattern, try read(member.value, name)))
    }
    return patterns
  }

  /// Patterns of one kind: a name for each linear layer of the largest models, and each is tried on all layers.
  private static let patternLimit = 4096

  /// What changes the result and has no place in a package, with the words for it.
  private static let features: [(key: String, feature: String)] = [
    ("use_dora", "DoRA"), ("lora_bias", "biases"),
    ("modules_to_save", "modules that are saved whole"),
    ("fan_in_fan_out", "transposed weights"), ("layer_replication", "repeated layers"),
    ("trainable_token_indices", "trained tokens"), ("target_parameters", "single parameters"),
    ("alora_invocation_tokens", "activation by tokens (aLoRA)"), ("use_qalora", "QA-LoRA"),
    ("use_bdlora", "block-diagonal LoRA"), ("arrow_config", "Arrow"), ("kasa_config", "KaSA"),
    ("velora_config", "VeLoRA"), ("monteclora_config", "MonteCLoRA"),
    ("megatron_config", "Megatron"),
  ]

  /// What says where the adapter comes from, or how it was trained, and no more.
  private static let harmless: Set<String> = [
    "task_type", "peft_type", "auto_mapping", "peft_version", "base_model_name_or_path", "revision",
    "inference_mode", "r", "target_modules", "exclude_modules", "lora_alpha", "lora_dropout",
    "bias",
    "use_rslora", "init_lora_weights", "layers_to_transform", "layers_pattern", "rank_pattern",
    "alpha_pattern", "megatron_core", "loftq_config", "eva_config", "corda_config",
    "lora_ga_config", "qalora_group_size", "ensure_weight_tying", "runtime_config",
    "parent_library", "lora_dtype", "lorap_lr_ratio", "lorap_emb_lr",
  ]

  /// Ways to begin that leave the base as it is.
  private static let starts = ["gaussian", "eva", "orthogonal"]

  private static func refuse(_ settings: FormSettings) throws(InterchangeError) {
    for (key, feature) in features where !(settings[key]?.saysNothing ?? true) {
      throw settings.unsupported(key, feature)
    }
    if let bias = settings["bias"], bias.string != "none" {
      throw settings.unsupported("bias", "biases")
    }
    switch settings["init_lora_weights"] {
    case nil, .bool: break
    case .string(let name) where starts.contains(name): break
    default:
      throw settings.unsupported(
        "init_lora_weights", "a start that changes the base as well")
    }
    let known = harmless.union(features.map(\.key))
    for member in settings.object.members
    where !known.contains(member.key) && !member.value.saysNothing {
      throw settings.unsupported(member.key, "something that is not known here")
    }
  }
}
