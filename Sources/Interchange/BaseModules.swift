public import Adapters
import Kernels
public import LanguageModels
import TensorFiles

/// What an exchange has to know of a base: the shapes of its projections, and how its file has them.
public struct ExchangeBase: Sendable {
  /// Signature, architecture and shapes.
  public let contract: BaseContract
  /// D, the values of a head.
  let headSize: Int
  /// Projections that the base's file has in one matrix, in the order of their rows.
  let fused: [[LoRATarget]]
  /// Tokens that there are; nil where that is not known.
  let vocabularySize: Int?
  /// Of layers that have one; their heads of values are in another order in other forms.
  let deltaRule: DeltaRuleSettings?

  /// An open base.
  public init(_ model: BaseModel) throws(InterchangeError) {
    do throws(BaseModelError) { contract = try model.contract() } catch { throw .base(error) }
    headSize = model.configuration.headSize
    vocabularySize = model.configuration.vocabularySize
    let isPhi3 = model.configuration.architecture == .phi3
    deltaRule = model.configuration.deltaRule
    let hasOneForAll =
      deltaRule == nil && model.file.tensor(named: "blk.0.attn_qkv.weight") != nil
    fused = (hasOneForAll ? [Self.attention] : []) + (isPhi3 ? [Self.feedForward] : [])
  }

  /// Apple's on-device model of OS 26, whose weights are not needed to say what fits it.
  public static let apple = ExchangeBase(contract: .apple, headSize: 128)

  private init(contract: BaseContract, headSize: Int) {
    (self.contract, self.headSize, fused) = (contract, headSize, [])
    (vocabularySize, deltaRule) = (nil, nil)
  }

  /// What PEFT calls the modules of `targets` in `target_modules`: last parts of names, or whole names where not every layer that has any
  /// of them has all.
  ///
  /// - Throws: `InterchangeError.noNames` where PEFT knows no such model.
  package func targetModules(of targets: Set<LoRATarget>) throws(InterchangeError) -> [String] {
    let modules = try BaseModules(self, in: .peft).modules.filter {
      targets.isSuperset(of: $0.targets)
    }
    let names = Set(modules.map { $0.name.split(separator: ".").last.map(String.init) ?? "" })
    return modules.count == names.count * contract.layers.count
      ? names.sorted() : modules.map { "model." + $0.name }.sorted()
  }

  static let attention: [LoRATarget] = [.query, .key, .value]
  static let feedForward: [LoRATarget] = [.gate, .up]

  var architecture: Architecture? { Architecture(rawValue: contract.architecture) }
}

/// The linear layers of a base that an adapter may change, under the names of one form.
struct BaseModules: Sendable {
  /// A linear layer: one projection, or several that share a matrix.
  struct Module: Sendable {
    /// Such as `layers.3.self_attn.q_proj` or `blk.3.attn_q`.
    let name: String
    let layer: Int
    /// The projections in the order of their rows.
    let targets: [LoRATarget]
    /// All rows, and the inputs.
    let shape: MatrixShape
  }

  let base: ExchangeBase
  let form: ForeignForm
  let modules: [Module]
  private let places: [String: Int]

  /// - Throws: `InterchangeError.noNames` where the form knows no such model.
  init(_ base: ExchangeBase, in form: ForeignForm) throws(InterchangeError) {
    (self.base, self.form) = (base, form)
    let isAFM = base.contract.architecture == "afm"
    let fits =
      switch form {
      case .peft, .mlx: !isAFM && base.architecture != nil
      case .gguf: true
      case .toolkit: isAFM
      }
    guard fits else { throw .noNames(architecture: base.contract.architecture, form: form) }
    let regular = base.contract.layers.prefix { $0[.key] != nil }.count
    modules = base.contract.layers.indices.flatMap { layer in
      Self.groups(base, form).compactMap { targets in
        let shapes = targets.compactMap { base.contract.layers[layer][$0] }
        guard let first = shapes.first, shapes.count == targets.count else { return nil }
        return Module(
          name: Self.name(
            form, layer, targets, regular: regular,
            names: base.architecture == .lfm2 ? Self.namesOfLFM : Self.names),
          layer: layer, targets: targets,
          shape: MatrixShape(rows: shapes.reduce(0) { $0 + $1.rows }, columns: first.columns))
      }
    }
    places = Dictionary(uniqueKeysWithValues: modules.enumerated().map { ($1.name, $0) })
  }

  func module(named name: String) -> Module? { places[name].map { modules[$0] } }

  /// The rows of `target` in a module that has it.
  func rows(of target: LoRATarget, in module: Module) -> Range<Int> {
    let heights = module.targets.map { base.contract.layers[module.layer][$0]?.rows ?? 0 }
    let index = module.targets.firstIndex(of: target) ?? 0
    let start = heights[..<index].reduce(0, +)
    return start..<start + heights[index]
  }

  /// Where a row of `target` in the base is in the other form; nil where the order is the same.
  ///
  /// GGUF has the rows as the base's file does. Files of some families have each rotary pair side by side, where models of
  /// PyTorch have halves of a head; tamm has pairs side by side, where bases of `afm` have halves. Heads of values of delta rules are
  /// in the order of ``ValueHeadOrder``.
  func order(of target: LoRATarget) -> ((Int) -> Int)? {
    guard form != .gguf else { return nil }
    let rule = base.deltaRule
    switch target {
    case .query, .key:
      if form == .toolkit { return RotaryOrder(headSize: base.headSize).source }
      guard base.architecture?.rotatesAdjacentPairs ?? false else { return nil }
      return RotaryOrder(headSize: base.headSize, makesNeighbours: true).source
    case .deltaInput:
      return heads(size: rule?.valueSize ?? 1, behind: 2 * (rule?.shape.keyWidth ?? 0))
    case .deltaGate: return heads(size: rule?.valueSize ?? 1)
    case .deltaAlpha, .deltaBeta: return heads(size: 1)
    default: return nil
    }
  }

  /// The same of the columns of `target`.
  func columnOrder(of target: LoRATarget) -> ((Int) -> Int)? {
    guard target == .deltaOutput, form != .gguf else { return nil }
    return heads(size: base.deltaRule?.valueSize ?? 1)
  }

  private func heads(size: Int, behind first: Int = 0) -> ((Int) -> Int)? {
    guard let rule = base.deltaRule, rule.keyHeads != rule.valueHeads else { return nil }
    return ValueHeadOrder(
      keyHeads: rule.keyHeads, valueHeads: rule.valueHeads, size: size, behind: first
    ).source
  }

  private static func groups(_ base: ExchangeBase, _ form: ForeignForm) -> [[LoRATarget]] {
    let fused: [[LoRATarget]] =
      switch form {
      case .gguf: base.fused
      case .peft, .mlx:
        base.architecture == .phi3 ? [ExchangeBase.attention, ExchangeBase.feedForward] : []
      case .toolkit: []
      }
    let others = LoRATarget.allCases.filter { target in !fused.contains { $0.contains(target) } }
    return (fused + others.map { [$0] }).sorted { $0[0].index < $1[0].index }
  }

  private static func name(
    _ form: ForeignForm, _ layer: Int, _ targets: [LoRATarget], regular: Int,
    names: [LoRATarget: String]
  ) -> String {
    let stem: String
    switch form {
    case .toolkit:
      return BaseContract.toolkitName(layer: layer, targets[0], regularLayers: regular)
    case .gguf:
      stem =
        targets == ExchangeBase.attention
        ? "attn_qkv" : targets == ExchangeBase.feedForward ? "ffn_up" : targets[0].rawValue
      return "blk.\(layer).\(stem)"
    case .peft, .mlx:
      switch targets {
      case ExchangeBase.attention: stem = "self_attn.qkv_proj"
      case ExchangeBase.feedForward: stem = "mlp.gate_up_proj"
      default: stem = names[targets[0]] ?? ""
      }
      return "layers.\(layer).\(stem)"
    }
  }

  private static let names: [LoRATarget: String] = [
    .query: "self_attn.q_proj", .key: "self_attn.k_proj", .value: "self_attn.v_proj",
    .output: "self_attn.o_proj", .gate: "mlp.gate_proj", .up: "mlp.up_proj",
    .down: "mlp.down_proj", .deltaInput: "linear_attn.in_proj_qkv",
    .deltaGate: "linear_attn.in_proj_z", .deltaAlpha: "linear_attn.in_proj_a",
    .deltaBeta: "linear_attn.in_proj_b", .deltaOutput: "linear_attn.out_proj",
    .tokenGate: "per_layer_input_gate", .tokenProjection: "per_layer_projection",
  ]

  private static let namesOfLFM: [LoRATarget: String] = [
    .query: "self_attn.q_proj", .key: "self_attn.k_proj", .value: "self_attn.v_proj",
    .output: "self_attn.out_proj", .gate: "feed_forward.w1", .up: "feed_forward.w3",
    .down: "feed_forward.w2", .convolutionInput: "conv.in_proj",
    .convolutionOutput: "conv.out_proj",
  ]

  /// What a model's name of a module may begin with, in front of `layers.`.
  static let prefixes = ["model.language_model.", "language_model.model.", "model.", ""]
}
