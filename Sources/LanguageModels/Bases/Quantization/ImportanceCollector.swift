import Kernels
import SystemFiles
import TensorFiles

/// Sums of the squares of what the matrices of a base multiply, while it evaluates a text.
final class ImportanceCollector {
  /// What the matrices of a layer multiply: several the same.
  enum Input: Int, CaseIterable {
    case mixer
    case mixerOutput
    case feedForward
    case down
    case router
    case tokenGate
    case tokenProjection
  }

  /// Of the experts of a layer, `(experts, columns)`.
  private struct Experts {
    var given: [Double]
    var hidden: [Double]
    var counts: [Float]
  }

  /// The input of tensors by what stands in their names behind the layer; those of experts are apart.
  private static let inputs: [String: Input] = [
    "attn_q": .mixer, "attn_k": .mixer, "attn_v": .mixer, "attn_qkv": .mixer,
    "shortconv.in_proj": .mixer, "attn_gate": .mixer, "ssm_alpha": .mixer, "ssm_beta": .mixer,
    "attn_output": .mixerOutput, "shortconv.out_proj": .mixerOutput, "ssm_out": .mixerOutput,
    "ffn_gate": .feedForward, "ffn_up": .feedForward, "ffn_gate_inp": .router,
    "ffn_down": .down, "inp_gate": .tokenGate, "proj": .tokenProjection,
  ]

  private var sums: [[[Double]]]
  private var counts: [[Float]]
  private var experts: [Experts?]

  init(layers: Int) {
    let kinds = Input.allCases.count
    sums = Array(repeating: Array(repeating: [], count: kinds), count: layers)
    counts = Array(repeating: Array(repeating: 0, count: kinds), count: layers)
    experts = Array(repeating: nil, count: layers)
  }

  /// Adds the first `batch` rows of `x`, which matrices of layer `layer` multiply.
  func note(_ layer: Int, _ input: Input, _ x: Activations, batch: Int) {
    let kind = input.rawValue
    if sums[layer][kind].isEmpty { sums[layer][kind] = Array(repeating: 0, count: x.columns) }
    for row in 0..<batch {
      x.withRow(row) { Self.add($0, to: &sums[layer][kind], at: 0) }
    }
    counts[layer][kind] += Float(batch)
  }

  /// Adds what the router and the experts of `plan` have multiplied for `batch` rows.
  func note(_ layer: Int, _ plan: ExpertPlan, batch: Int) {
    note(layer, .router, plan.routed, batch: batch)
    let (count, width, hidden) = (
      plan.experts.count, plan.experts.router.columns, plan.experts.hiddenWidth
    )
    var sums =
      experts[layer]
      ?? Experts(
        given: Array(repeating: 0, count: count * width),
        hidden: Array(repeating: 0, count: count * hidden),
        counts: Array(repeating: 0, count: count))
    experts[layer] = nil
    plan.forEachTaken(batch: batch) { expert, given, inside in
      Self.add(given, to: &sums.given, at: expert * width)
      Self.add(inside, to: &sums.hidden, at: expert * hidden)
      sums.counts[expert] += 1
    }
    experts[layer] = sums
  }

  private static func add(_ row: Span<Float>, to sums: inout [Double], at start: Int) {
    var sums = sums.mutableSpan
    for index in row.indices { sums[start + index] += Double(row[index]) * Double(row[index]) }
  }

  /// What was summed for each matrix of a layer that `file` has.
  func entries(of file: GGUFFile) -> [String: ImportanceMatrix.Entry] {
    file.tensors.reduce(into: [:]) { entries, tensor in
      let parts = tensor.name.split(separator: ".").map(String.init)
      guard parts.count > 3, parts[0] == "blk", parts.last == "weight", let layer = Int(parts[1])
      else { return }
      entries[tensor.name] = entry(layer, parts[2..<parts.count - 1].joined(separator: "."))
    }
  }

  private func entry(_ layer: Int, _ stem: String) -> ImportanceMatrix.Entry? {
    guard sums.indices.contains(layer) else { return nil }
    if let kind = Self.inputs[stem]?.rawValue, !sums[layer][kind].isEmpty {
      return .init(sums: sums[layer][kind].map { Float($0) }, counts: [counts[layer][kind]])
    }
    guard let experts = experts[layer] else { return nil }
    return switch stem {
    case "ffn_gate_exps", "ffn_up_exps", "ffn_gate_up_exps":
      .init(sums: experts.given.map { Float($0) }, counts: experts.counts)
    case "ffn_down_exps":
      .init(sums: experts.hidden.map { Float($0) }, counts: experts.counts)
    default: nil
    }
  }
}

extension ImportanceMatrix {
  /// Measures `model` over `tokens`, a text of at least one piece of `length` tokens.
  ///
  /// As llama.cpp does: every piece begins with the begin token, in the place of its first token where the model has one, and
  /// what is left at the end is not looked at. `progress` is told the tokens that are done.
  ///
  /// - Throws: `BaseModelError`: `.invalidOption` for a length that the model cannot see or the text does not have,
  ///   `.nonFiniteLogits`, `.file`, or `.cancelled`.
  public init(
    measuring model: BaseModel, over tokens: [Int32], length: Int, begin: Int32?,
    text: String, threads: Int? = nil, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) {
    let limit = min(tokens.count, model.configuration.contextLength)
    guard (1...max(1, limit)).contains(length), !tokens.isEmpty else {
      throw .invalidOption(
        name: "context", value: "\(Figures.grouped(length)) tokens",
        rule: "at most \(Figures.grouped(limit)): the text has \(Figures.grouped(tokens.count)) "
          + "tokens, and the base sees \(Figures.grouped(model.configuration.contextLength))")
    }
    let collector = ImportanceCollector(layers: model.configuration.layers)
    let pass = ForwardPass(
      model, adapters: [], operations: Operations(pool: WorkerPool.shared(threads: threads)),
      state: ForwardState(
        model.weights, model.configuration, batch: min(length, ModelSession.batch)),
      collector: collector)
    let pool = CachePool(model.configuration, model.usualCacheFormat, isShared: false)
    let total = tokens.count / length * length
    for start in stride(from: 0, to: total, by: length) {
      var piece = Array(tokens[start..<start + length])
      if let begin { piece[0] = begin }
      let cache = try KeyValueCache(
        model.configuration, capacity: length, adapters: [], pool)
      while cache.tokens.count < length {
        progress(start + cache.tokens.count, total)
        let part = piece[cache.tokens.count...].prefix(pass.state.batch)
        try cache.reserve(part.count)
        try pass.run([.init(tokens: part, cache: cache, logits: 0)], isCancelled: isCancelled)
        cache.append(part)
      }
    }
    progress(total, total)
    self.init(
      entries: collector.entries(of: model.file), texts: [text], chunks: total / length,
      chunkLength: length)
    guard entries.values.allSatisfy({ $0.sums.allSatisfy(\.isFinite) }) else {
      throw .nonFiniteLogits(file: model.path, position: total)
    }
  }
}
