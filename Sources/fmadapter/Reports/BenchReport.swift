import LanguageModels
import SystemFiles

/// What `bench` measured, with units in the names.
struct BenchReport: Encodable {
  let base: String
  let fileSize: Int
  let adapters: [String]
  /// Of an adapter with random weights, beside those.
  let randomAdapterRank: Int?
  let threads: Int
  /// Name of the instruction set that the kernels used.
  let kernels: String
  let promptTokens: Int
  let generatedTokens: Int
  let prefillTokensPerSecond: Double
  /// Of the first tokens of a long prompt.
  let prefillStartTokensPerSecond: Double?
  /// Of its last ones, behind all others.
  let prefillEndTokensPerSecond: Double?
  let decodeTokensPerSecond: Double
  let decodeGigabytesPerSecond: Double
  /// What the same threads read of the same weights without computing.
  let readGigabytesPerSecond: Double
  /// Of what can be read.
  let decodeShareOfReadable: Double
  let prefillGigabytesPerSecond: Double
  let logitsHash: UInt32
  /// Bytes, the mapped base included.
  let peakMemory: Int
  var openMilliseconds: Double?
  var firstPassMilliseconds: Double?
  var details: Details?

  /// What `--details` measures besides.
  struct Details: Encodable {
    /// By the tokens of a pass: how much longer it takes than a pass of one.
    let passRatios: [String: Double]
    /// How many times as many tokens four sessions get together as one after the other.
    let sessionsGain: Double
    let coldFirstTokenMilliseconds: Double
    let warmFirstTokenMilliseconds: Double
    let swapMilliseconds: Double
    let contextTokens: Int
    let contextMilliseconds: Double
    let contextGigabytesPerSecond: Double

    init(_ details: BenchmarkDetails) {
      passRatios = details.passes.reduce(into: [:]) { $0["\($1.tokens)"] = $1.ratio }
      sessionsGain = details.sessionsGain
      coldFirstTokenMilliseconds = details.firstToken.cold / .milliseconds(1)
      warmFirstTokenMilliseconds = details.firstToken.warm / .milliseconds(1)
      swapMilliseconds = details.swap / .milliseconds(1)
      contextTokens = details.longContext.tokens
      contextMilliseconds = details.longContext.added / .milliseconds(1)
      contextGigabytesPerSecond = details.longContext.gigabytesPerSecond
    }
  }

  init(_ bench: Benchmark, _ loaded: LoadedModel, randomAdapterRank: Int? = nil) {
    self.randomAdapterRank = randomAdapterRank
    base = loaded.model.path
    fileSize = loaded.model.fileSize
    adapters = loaded.adapters.map(\.identifier)
    threads = bench.threads
    kernels = bench.instructions
    promptTokens = bench.prefill.tokens
    generatedTokens = bench.decode.tokens
    prefillTokensPerSecond = bench.prefill.tokensPerSecond
    prefillStartTokensPerSecond = bench.prefillParts?.first.tokensPerSecond
    prefillEndTokensPerSecond = bench.prefillParts?.last.tokensPerSecond
    decodeTokensPerSecond = bench.decode.tokensPerSecond
    decodeGigabytesPerSecond = bench.decode.gigabytesPerSecond
    readGigabytesPerSecond = bench.readBandwidth
    decodeShareOfReadable = bench.decode.gigabytesPerSecond / bench.readBandwidth
    prefillGigabytesPerSecond = bench.prefill.gigabytesPerSecond
    logitsHash = bench.logitsHash
    peakMemory = bench.peakMemory
  }

  var facts: FactList {
    var facts = FactList()
    facts.add("base", "\(base), \(Figures.size(fileSize))")
    let random = randomAdapterRank.map { ["random weights of rank \($0)"] } ?? []
    facts.add("adapters", (adapters + random).joined(separator: ", "))
    facts.add("threads", "\(threads), \(kernels) kernels")
    let prefill = Figures.fixed(prefillTokensPerSecond, 1)
    let read = Figures.fixed(prefillGigabytesPerSecond, 2)
    facts.add(
      "prefill",
      "\(prefill) tokens/s over \(Figures.grouped(promptTokens)) tokens, \(read) GB/s of weights")
    if let start = prefillStartTokensPerSecond, let end = prefillEndTokensPerSecond {
      facts.add(
        "long prompt",
        "\(Figures.fixed(start, 1)) tokens/s over its first \(Benchmark.partTokens) tokens, "
          + "\(Figures.fixed(end, 1)) over its last, \(Figures.fixed(end / start * 100, 0)) %")
    }
    let decode = Figures.fixed(decodeTokensPerSecond, 1)
    facts.add("decode", "\(decode) tokens/s over \(Figures.grouped(generatedTokens)) tokens")
    let reached = Figures.fixed(decodeGigabytesPerSecond, 2)
    let possible = Figures.fixed(readGigabytesPerSecond, 2)
    let share = Figures.fixed(decodeShareOfReadable * 100, 0) + " %"
    facts.add(
      "bandwidth",
      "\(reached) GB/s of weights while decoding, "
        + (decodeShareOfReadable > 1
          ? "more than the \(possible) that a machine busy with other work let be read before"
          : "\(share) of the \(possible) that can be read"))
    if let details { add(details, to: &facts) }
    facts.add("peak memory", Figures.size(peakMemory))
    facts.add("logits hash", String(logitsHash, radix: 16))
    return facts
  }

  private func add(_ details: Details, to facts: inout FactList) {
    func time(_ milliseconds: Double) -> String { Figures.fixed(milliseconds, 1) + " ms" }
    let passes = details.passRatios.sorted { $0.key < $1.key }
      .map { "\($0.key): \(Figures.fixed($0.value, 2))" }
    facts.add(
      "short passes", "times that of one token, by tokens: " + passes.joined(separator: ", "))
    facts.add(
      "sessions",
      "four together decode \(Figures.fixed(details.sessionsGain, 2)) times as much as in turn")
    facts.add(
      "first token",
      "\(time(details.coldFirstTokenMilliseconds)) with new instructions, "
        + "\(time(details.warmFirstTokenMilliseconds)) with known ones")
    facts.add(
      "other adapters", "\(Figures.fixed(details.swapMilliseconds, 2)) ms for a session with them")
    facts.add(
      "long context",
      "\(Figures.grouped(details.contextTokens)) tokens add \(time(details.contextMilliseconds)) to a pass, "
        + "\(Figures.fixed(details.contextGigabytesPerSecond, 2)) GB/s of keys and values")
    if let openMilliseconds, let firstPassMilliseconds {
      facts.add(
        "opening",
        "\(time(openMilliseconds)), and \(time(firstPassMilliseconds)) for the first pass")
    }
  }
}
