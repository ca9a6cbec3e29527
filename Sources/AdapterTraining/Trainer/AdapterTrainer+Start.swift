import Adapters
import Kernels
import LanguageModels
import TensorFiles

extension AdapterTrainer {
  /// Bytes of activations that are kept for a gradient at once.
  private static let room = 1 << 30

  /// A with values of deviation 1 / √inputs, as tamm starts it, and B of zeros.
  static func start(_ model: LanguageModel, _ options: TrainingOptions) -> AdapterFactors {
    var factors = AdapterFactors(
      model.weights.layers.map(\.shapes), rank: options.rank, targets: options.targets)
    var random = SplitMix64(seed: options.seed)
    for (layer, target) in factors.places {
      guard var pair = factors.layers[layer][target] else { continue }
      let deviation = 1 / Float(pair.a.columns).squareRoot()
      for index in pair.a.values.indices {
        pair.a.values[index] = Mathematics.normal(&random) * deviation
      }
      factors.layers[layer][target] = pair
    }
    return factors
  }

  /// - Throws: `TrainingError.tokenOutside`, or `.base` for a context that the base does not have.
  static func check(
    _ examples: [TokenizedExample], _ model: LanguageModel, _ options: TrainingOptions
  ) throws(TrainingError) {
    let limit = model.configuration.contextLength
    if let length = options.contextLength, length > limit {
      throw .base(.contextTooLong(requested: length, limit: limit))
    }
    let count = model.configuration.vocabularySize
    for example in examples {
      for token in example.tokens where !(0..<count).contains(Int(token)) {
        throw .tokenOutside(line: example.line, token: token, count: count)
      }
    }
  }

  /// The first step of each epoch and the first after all of them; of the first alone where steps decide.
  static func epochStarts(_ plan: BatchPlan, _ options: TrainingOptions) -> [Int] {
    guard options.steps == nil else { return [0] }
    return (0..<options.epochs).reduce(into: [0]) { starts, epoch in
      starts.append((starts.last ?? 0) + plan.epoch(epoch).count)
    }
  }

  /// Tokens whose activations fit into the room; a longer sequence goes alone.
  static func passTokens(_ c: ModelConfiguration) -> Int {
    let perLayer = 6 * c.width + 4 * c.queryWidth + 4 * c.keyValueWidth + 4 * c.hiddenWidth
    return max(1, room / (4 * perLayer * c.layers))
  }

  /// SHA-256 over what decides the result: base, options and examples.
  static func fingerprint(
    _ model: LanguageModel, _ examples: [TokenizedExample], _ options: TrainingOptions
  ) -> String {
    var digest = SHA256()
    digest.update(Array((model.signature + options.fingerprint).utf8))
    for example in examples {
      digest.update(Array("\(example.tokens) \(example.trained)".utf8))
    }
    return digest.finishHex()
  }
}

extension AdapterFactors {
  /// Adds `other`, of the same shapes.
  mutating func add(_ other: AdapterFactors) {
    for (layer, target) in other.places {
      guard let added = other.layers[layer][target],
        var pair = layers[layer].removeValue(forKey: target)
      else { continue }
      pair.a.add(added.a)
      pair.b.add(added.b)
      layers[layer][target] = pair
    }
  }

  /// Root of the sum of all squares.
  var norm: Double {
    matrices.reduce(0) { sum, values in
      values.reduce(sum) { $0 + Double($1) * Double($1) }
    }.squareRoot()
  }
}
