import LanguageModels

/// What `bench` measured, with units in the names.
struct BenchReport: Encodable {
  let base: String
  let fileSize: Int
  let adapters: [String]
  let threads: Int
  /// Name of the instruction set that the kernels used.
  let kernels: String
  let promptTokens: Int
  let generatedTokens: Int
  let prefillTokensPerSecond: Double
  let decodeTokensPerSecond: Double
  let decodeGigabytesPerSecond: Double
  /// What the same threads read of the same weights without computing.
  let readGigabytesPerSecond: Double
  let logitsHash: UInt32
  /// Bytes, the mapped base included.
  let peakMemory: Int

  init(_ bench: Benchmark, _ loaded: LoadedModel) {
    base = loaded.model.path
    fileSize = loaded.model.fileSize
    adapters = loaded.adapters.map(\.identifier)
    threads = bench.threads
    kernels = bench.instructions
    promptTokens = bench.prefill.tokens
    generatedTokens = bench.decode.tokens
    prefillTokensPerSecond = bench.prefill.tokensPerSecond
    decodeTokensPerSecond = bench.decode.tokensPerSecond
    decodeGigabytesPerSecond = bench.decode.gigabytesPerSecond
    readGigabytesPerSecond = bench.readBandwidth
    logitsHash = bench.logitsHash
    peakMemory = bench.peakMemory
  }

  var facts: FactList {
    var facts = FactList()
    facts.add("base", "\(base), \(Figures.size(fileSize))")
    facts.add("adapters", adapters.joined(separator: ", "))
    facts.add("threads", "\(threads), \(kernels) kernels")
    let prefill = Figures.fixed(prefillTokensPerSecond, 1)
    facts.add("prefill", "\(prefill) tokens/s over \(promptTokens) tokens")
    let decode = Figures.fixed(decodeTokensPerSecond, 1)
    facts.add("decode", "\(decode) tokens/s over \(generatedTokens) tokens")
    let reached = Figures.fixed(decodeGigabytesPerSecond, 2)
    let possible = Figures.fixed(readGigabytesPerSecond, 2)
    facts.add(
      "bandwidth", "\(reached) GB/s of weights while decoding, \(possible) GB/s without computing")
    facts.add("peak memory", Figures.size(peakMemory))
    facts.add("logits hash", String(logitsHash, radix: 16))
    return facts
  }
}
