import Grammars
import JSON
import SystemFiles

/// What the configuration of a PEFT folder says about scales; all that a package cannot say is refused.
struct PEFTSettings {
  private let rank: Int
  private let alpha: Double
  private let usesRoot: Bool
  /// Of an aLoRA.
  let invocation: [Int32]?
  private let ranks: [(key: String, pattern: Pattern, value: Int)]
  private let alphas: [(key: String, pattern: Pattern, value: Double)]

  /// The settings of an adapter for `base`.
  init(_ settings: FormSettings, _ base: ExchangeBase) throws(InterchangeError) {
    guard let kind = settings["peft_type"]?.string else {
      throw settings.bad("peft_type", "is missing")
    }
    guard kind == "LORA" else { throw settings.unsupported("peft_type", "“\(kind)”, not LORA") }
    try Self.refuse(settings)
    rank = try settings.rank(settings["r"], "r")
    alpha = try settings.number("lora_alpha")
    usesRoot = try settings.flag("use_rslora")
    invocation = try Self.invocation(settings, base)
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
    let stated = ranks.first { $0.pattern.occurs(in: path) }?.value ?? self.rank
    guard stated == rank else {
      throw .statedRank(path: file, tensor: tensor, rank: rank, stated: stated)
    }
    let alpha = alphas.first { $0.pattern.occurs(in: path) }?.value ?? self.alpha
    return alpha / (usesRoot ? Double(rank).squareRoot() : Double(rank))
  }

  private static func invocation(
    _ settings: FormSettings, _ base: ExchangeBase
  ) throws(InterchangeError) -> [Int32]? {
    guard let value = settings[invocationKey] else { return nil }
    guard let list = value.array else {
      throw settings.bad(invocationKey, "is \(value.kind), not an array")
    }
    let numbers = list.compactMap(\.integer)
    guard numbers.count == list.count else {
      throw settings.bad(invocationKey, "has something else than whole numbers in it")
    }
    return try base.invocation(numbers, invocationKey, in: settings.path)
  }

  private static let invocationKey = "alora_invocation_tokens"

  private static func patterns<Value>(
    _ settings: FormSettings, _ key: String,
    _ read: (JSONValue, String) throws(InterchangeError) -> Value
  ) throws(InterchangeError) -> [(key: String, pattern: Pattern, value: Value)] {
    guard let value = settings[key] else { return [] }
    guard let object = value.object else {
      throw settings.bad(key, "is \(value.kind), not an object")
    }
    guard object.members.count <= patternLimit else {
      throw settings.bad(key, "has more than \(Figures.grouped(patternLimit)) patterns")
    }
    var patterns: [(key: String, pattern: Pattern, value: Value)] = []
    for member in object.members {
      let name = "\(key).\(member.key)"
      guard let pattern = Self.pattern(of: member.key) else {
        throw .pattern(path: settings.path, key: name)
      }
      patterns.append((member.key, pattern, try read(member.value, name)))
    }
    return patterns
  }

  /// The pattern of the paths of modules that PEFT means by `key`; nil for one that cannot be searched for.
  static func pattern(of key: String) -> Pattern? {
    try? Pattern(#"^(?:.*\.)?(?:"# + key + ")$", limit: partLimit)
  }

  private static let partLimit = 512
  /// Patterns of one kind: a name for each linear layer of the largest models, and each is tried on all layers.
  private static let patternLimit = 4096

  /// What changes the result and has no place in a package, with the words for it.
  private static let features: [(key: String, feature: String)] = [
    ("use_dora", "DoRA"), ("lora_bias", "biases"),
    ("modules_to_save", "modules that are saved whole"),
    ("fan_in_fan_out", "transposed weights"), ("layer_replication", "repeated layers"),
    ("trainable_token_indices", "trained tokens"), ("target_parameters", "single parameters"),
    ("use_qalora", "QA-LoRA"),
    ("use_bdlora", "block-diagonal LoRA"), ("arrow_config", "Arrow"), ("kasa_config", "KaSA"),
    ("velora_config", "VeLoRA"), ("monteclora_config", "MonteCLoRA"),
    ("megatron_config", "Megatron"),
  ]

  /// What says where the adapter comes from, or how it was trained, and no more.
  private static let harmless: Set<String> = [
    "task_type", "peft_type", "auto_mapping", "peft_version", "base_model_name_or_path", "revision",
    "inference_mode", "r", "target_modules", "exclude_modules", "lora_alpha", "lora_dropout",
    "bias",
    "use_rslora", "alora_invocation_tokens", "init_lora_weights", "layers_to_transform",
    "layers_pattern", "rank_pattern",
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
