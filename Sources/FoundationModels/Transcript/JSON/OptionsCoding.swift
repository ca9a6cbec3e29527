/// Options in the JSON of a transcript.
///
/// `temperature`, `maximumResponseTokens`, `topK` and `randomSeed` are the names that Apple's framework writes; how it
/// writes a threshold or greedy sampling no public file shows, so `topP` and `greedy` are ours.
struct OptionsCoding: Codable {
  let options: GenerationOptions

  private enum Key: String, CodingKey {
    case temperature, maximumResponseTokens, topK, topP, randomSeed, greedy
  }

  init(_ options: GenerationOptions) { self.options = options }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    options = GenerationOptions(
      sampling: try Self.sampling(container),
      temperature: try container.decodeIfPresent(Double.self, forKey: .temperature),
      maximumResponseTokens: try container.decodeIfPresent(
        Int.self, forKey: .maximumResponseTokens))
  }

  private static func sampling(
    _ container: KeyedDecodingContainer<Key>
  ) throws -> GenerationOptions.SamplingMode? {
    let seed = try container.decodeIfPresent(UInt64.self, forKey: .randomSeed)
    if let count = try container.decodeIfPresent(Int.self, forKey: .topK) {
      return .random(top: count, seed: seed)
    }
    if let threshold = try container.decodeIfPresent(Double.self, forKey: .topP) {
      return .random(probabilityThreshold: threshold, seed: seed)
    }
    return try container.decodeIfPresent(Bool.self, forKey: .greedy) == true ? .greedy : nil
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeIfPresent(options.temperature, forKey: .temperature)
    try container.encodeIfPresent(options.maximumResponseTokens, forKey: .maximumResponseTokens)
    switch options.sampling?.kind {
    case .greedy: try container.encode(true, forKey: .greedy)
    case .top(let count, let seed):
      try container.encode(count, forKey: .topK)
      try container.encodeIfPresent(seed, forKey: .randomSeed)
    case .threshold(let threshold, let seed):
      try container.encode(threshold, forKey: .topP)
      try container.encodeIfPresent(seed, forKey: .randomSeed)
    case nil: break
    }
  }
}
