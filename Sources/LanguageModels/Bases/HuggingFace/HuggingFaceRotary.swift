import JSON
import TensorFiles

/// How positions turn the heads of a Hugging Face model: keys and vectors of a base.
struct HuggingFaceRotary {
  private(set) var keys: [(name: String, value: GGUFValue)] = []
  /// Divisors of the frequencies.
  private(set) var vectors: [(name: String, values: [Float])] = []

  /// Newer files have all in `rope_parameters`, older ones in `rope_scaling` and beside it.
  init(
    _ settings: CheckpointSettings, root: CheckpointSettings, headSize: Int, contextLength: Int,
    architecture: Architecture
  ) throws(BaseModelError) {
    let all = settings.part("rope_parameters")
    let older = settings.part("rope_scaling")
    let rope = all?.part("full_attention") ?? all ?? older
    // Who adds the older key to newer settings means that one, which transformers takes.
    if let rope, let older, !rope.says(older) {
      throw settings.bad("rope_scaling", "says something else than “rope_parameters”")
    }
    // transformers reads this in all kinds of scaling, and without one in the code of these families alone.
    let turnsInPart = [.phi3, .qwen35].contains(architecture) || Self.type(rope) != "default"
    func number(_ key: String, default standard: Double) throws(BaseModelError) -> Double {
      let beside = try settings.number(key, default: standard)
      guard let rope else { return beside }
      return try rope.number(key, default: beside)
    }
    let isGemma3 = architecture == .gemma3
    let base = try number("rope_theta", default: architecture.unstated("rope_theta") ?? 10_000)
    let share =
      turnsInPart
      ? try number("partial_rotary_factor", default: architecture == .qwen35 ? 0.25 : 1) : 1
    guard (0...1).contains(share), Int(Double(headSize) * share) > 1 else {
      throw (rope ?? settings).bad("partial_rotary_factor", "turns no part of a head")
    }
    let size = Int(Double(headSize) * share)
    keys = [
      ("rope.dimension_count", .uint32(UInt32(size))), ("rope.freq_base", .float32(Float(base))),
    ]
    if isGemma3 {
      let before = try settings.number("rope_local_base_freq", default: 10_000)
      let part = all?.part("sliding_attention")
      if let part, Self.type(part) != "default" {
        throw part.unsupported("rope_type", "is “\(Self.type(part))” in layers with a window")
      }
      let local = try part?.number("rope_theta", default: before) ?? before
      keys.append(("rope.freq_base_swa", .float32(Float(local))))
    }
    guard let rope else { return }
    let key = "original_max_position_embeddings"
    var original = try root.integer(
      key, in: 1...1 << 26, default: architecture.unstated(key).map { Int($0) } ?? contextLength)
    // Phi's class has the setting, which goes before that of the angles.
    if architecture != .phi3 {
      original = try rope.integer(key, in: 1...1 << 26, default: original)
    }
    try setScaling(rope, size: size, base: base, original: original, length: contextLength)
  }

  /// Those of Gemma 4, whose layers with a window and those without have angles and heads of their own; the latter turn in part.
  init(
    _ settings: CheckpointSettings, _ layers: UnlikeLayers
  ) throws(BaseModelError) {
    guard let all = settings.part("rope_parameters"), let full = all.part("full_attention"),
      let local = all.part("sliding_attention")
    else { throw settings.bad("rope_parameters", "does not tell both kinds of layers apart") }
    for (part, type) in [(full, "proportional"), (local, "default")] {
      let stated = part.string("rope_type") ?? "none"
      guard stated == type else {
        throw part.unsupported("rope_type", "is “\(stated)”, not “\(type)”")
      }
    }
    guard try full.number("factor", default: 1) == 1 else {
      throw full.unsupported("factor", "is not 1")
    }
    let (size, localSize) = layers.headSizes
    keys = [
      ("rope.dimension_count", .uint32(UInt32(size))),
      ("rope.dimension_count_swa", .uint32(UInt32(localSize))),
      ("rope.freq_base", .float32(Float(try full.number("rope_theta")))),
      ("rope.freq_base_swa", .float32(Float(try local.number("rope_theta")))),
    ]
    let share = try full.number("partial_rotary_factor", default: 1)
    guard (0...1).contains(share) else {
      throw full.bad("partial_rotary_factor", "turns no part of a head")
    }
    let turned = Int(Double(size) * share / 2)
    let ones = [Float](repeating: 1, count: turned)
    // So slow that nothing turns.
    vectors = [
      ("rope_freqs.weight", ones + [Float](repeating: 1e30, count: size / 2 - turned))
    ]
  }

  /// How positions are scaled: by nothing where the settings do not say it.
  private static func type(_ rope: CheckpointSettings?) -> String {
    rope?.string("rope_type") ?? rope?.string("type") ?? "default"
  }

  private mutating func setScaling(
    _ rope: CheckpointSettings, size: Int, base: Double, original: Int, length: Int
  ) throws(BaseModelError) {
    switch Self.type(rope) {
    case "default": break
    case "dynamic":
      // It begins behind the context that the model was trained for, which is all that a base offers.
      guard !rope.has("alpha") else { throw rope.unsupported("alpha", "is there") }
    case "linear": setType("linear", factor: try rope.number("factor"))
    case "yarn":
      let factor = try rope.number("factor")
      setType("yarn", factor: factor)
      keys.append(("rope.scaling.original_context_length", .uint32(UInt32(original))))
      for (setting, key) in [("beta_fast", "yarn_beta_fast"), ("beta_slow", "yarn_beta_slow")]
      where rope.has(setting) {
        keys.append(("rope.scaling." + key, .float32(Float(try rope.number(setting)))))
      }
      if let magnitude = try Self.magnitude(rope, factor: factor) {
        // What llama.cpp multiplies its own with; it does not read yarn_attn_factor.
        let share = magnitude / Double(YaRN.magnitude(Float(factor)))
        keys.append(("rope.scaling.attn_factor", .float32(Float(share))))
      }
      guard rope.bool("truncate") != false else {
        throw rope.unsupported("truncate", "is false")
      }
    case "longrope", "su":
      keys.append(("rope.scaling.type", .text("longrope")))
      keys.append(("rope.scaling.original_context_length", .uint32(UInt32(original))))
      let factor = try rope.number("factor", default: Double(length) / Double(original))
      let magnitude = try rope.number(
        "attention_factor", default: Self.longMagnitude(factor, original: original))
      keys.append(("rope.scaling.attn_factor", .float32(Float(magnitude))))
      for name in ["long", "short"] {
        let divisors = try Self.list(rope, name + "_factor", count: size / 2)
        vectors.append(("rope_factors_\(name).weight", divisors))
      }
    case "llama3":
      let divisors = try Self.llama3(rope, size: size, base: base, original: original)
      vectors.append(("rope_freqs.weight", divisors))
    case let type: throw rope.unsupported("rope_type", "is “\(type)”")
    }
  }

  /// The magnitude that settings of YaRN state; nil where it is as usual.
  ///
  /// One of the two scales alone says nothing.
  private static func magnitude(
    _ rope: CheckpointSettings, factor: Double
  ) throws(BaseModelError) -> Double? {
    if rope.has("attention_factor") { return try rope.number("attention_factor") }
    guard rope.has("mscale"), rope.has("mscale_all_dim") else { return nil }
    let growth = factor > 1 ? 0.1 * logarithm(factor) : 0
    return (1 + growth * (try rope.number("mscale")))
      / (1 + growth * (try rope.number("mscale_all_dim")))
  }

  private mutating func setType(_ type: String, factor: Double) {
    keys.append(("rope.scaling.type", .text(type)))
    keys.append(("rope.scaling.factor", .float32(Float(factor))))
  }

  /// √(1 + ln(factor) / ln(original)); Ding and others 2024.
  private static func longMagnitude(_ factor: Double, original: Int) -> Double {
    guard factor > 1, original > 1 else { return 1 }
    return (1 + logarithm(factor) / logarithm(Double(original))).squareRoot()
  }

  private static func list(
    _ rope: CheckpointSettings, _ key: String, count: Int
  ) throws(BaseModelError) -> [Float] {
    let numbers = rope.value(key)?.array?.compactMap { $0.number.map { Float($0.double) } } ?? []
    guard numbers.count == count, numbers.allSatisfy({ $0.isFinite && $0 > 0 }) else {
      throw rope.bad(key, "is not a list of \(count) numbers above 0")
    }
    return numbers
  }

  /// Slow frequencies are divided by the factor, fast ones not, those between in proportion: Llama 3.1's rule.
  private static func llama3(
    _ rope: CheckpointSettings, size: Int, base: Double, original: Int
  ) throws(BaseModelError) -> [Float] {
    let factor = Float(try rope.number("factor", default: 8))
    let low = Float(try rope.number("low_freq_factor", default: 1))
    let high = Float(try rope.number("high_freq_factor", default: 4))
    guard high > low else { throw rope.bad("high_freq_factor", "is not above low_freq_factor") }
    return (0..<size / 2).map { index in
      let length = 2 * Float.pi / inversePower(Float(base), Float(2 * index) / Float(size))
      let turns = Float(original) / length
      if turns > high { return 1 }
      if turns < low { return factor }
      let smooth = (turns - low) / (high - low)
      return 1 / ((1 - smooth) / factor + smooth)
    }
  }
}

extension CheckpointSettings {
  /// Whether each of `others` stands here, too, with the same value; types have had two names.
  fileprivate func says(_ others: CheckpointSettings) -> Bool {
    others.object.members.allSatisfy { member in
      let key = member.key == "type" && !has("type") ? "rope_type" : member.key
      let (one, other) = (object[key], member.value)
      return other == .null || one == other
        || other.number != nil && one?.number?.double == other.number?.double
    }
  }
}
