import TensorFiles

/// How positions turn heads.
extension HyperparameterReader {
  func rotary(headSize: Int) throws(BaseModelError) -> RotarySettings {
    let size = try integer("rope.dimension_count") ?? headSize
    guard (2...headSize).contains(size), size.isMultiple(of: 2) else {
      throw invalid(
        key("rope.dimension_count"), size, "has to be even and between 2 and \(headSize)")
    }
    return RotarySettings(
      size: size, base: try number("rope.freq_base", default: 10_000, above: 1),
      localBase: architecture == .gemma3 || architecture == .gemma4
        ? try number("rope.freq_base_swa", default: 10_000, above: 1) : nil,
      scaling: try rotaryScaling(), localSize: try localRotarySize(default: headSize))
  }

  /// A file with lists of divisors need not name a type.
  private func rotaryScaling() throws(BaseModelError) -> RotaryScaling {
    let type = try Self.read(file, GGUFMetadata.string, key("rope.scaling.type"))
    if type == "longrope" || file.tensor(named: "rope_factors_long.weight") != nil {
      return .long(
        originalLength: try originalLength(),
        magnitude: try number("rope.scaling.attn_factor", default: 1, above: 0))
    }
    switch type {
    case "none": return .linear(1)
    case nil, "linear": return .linear(try scalingFactor())
    case "yarn": return .yarn(try yarn())
    case let type?: throw .unsupportedRopeScaling(file: file.path, name: type)
    }
  }

  /// The factor, also under the name that older files give it; as in llama.cpp, 0 scales nothing.
  private func scalingFactor() throws(BaseModelError) -> Float {
    let names = ["rope.scaling.factor", "rope.scale_linear"]
    guard let name = names.first(where: { file.metadata[key($0)] != nil }),
      try float(name) != 0
    else { return 1 }
    return try number(name, above: 0)
  }

  private func originalLength() throws(BaseModelError) -> Int {
    try count(
      "rope.scaling.original_context_length", in: 1...1 << 26,
      default: try count("context_length", in: 1...1 << 26))
  }

  private func yarn() throws(BaseModelError) -> YaRN {
    let factor = try scalingFactor()
    // Below 0 is what llama.cpp calls not stated.
    let mixed = try float("rope.scaling.yarn_ext_factor") ?? 1
    guard mixed == 1 || mixed < 0, try optionalNumber("rope.scaling.yarn_log_multiplier") == nil
    else {
      throw .unsupportedRopeScaling(file: file.path, name: "yarn with factors of its own")
    }
    return YaRN(
      factor: factor, originalLength: try originalLength(),
      fastTurns: try number("rope.scaling.yarn_beta_fast", default: 32, above: 0),
      slowTurns: try number("rope.scaling.yarn_beta_slow", default: 1, above: 0),
      magnitude: try number("rope.scaling.attn_factor", default: 1, above: 0)
        * (optionalNumber("rope.scaling.yarn_attn_factor")
          ?? YaRN.magnitude(factor)))
  }
}
