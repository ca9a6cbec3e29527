package import Kernels

/// The angles that turn the heads of a layer.
package enum LayerRotation: Sendable {
  /// Those of the model.
  case main
  /// Those of layers with a window.
  case local
}

/// How positions turn the heads; Su and others 2021.
struct RotarySettings: Sendable, Equatable {
  /// Leading values of each head that turn; even.
  let size: Int
  /// Base of the frequencies.
  let base: Float
  /// Base in layers with a window that have angles of their own; no scaling changes those.
  let localBase: Float?
  /// What lets the model see more tokens than it was first trained for.
  let scaling: RotaryScaling
  /// As `size`, in layers with a window whose heads are of another size.
  var localSize: Int?
}

/// What is done to the frequencies for long contexts.
enum RotaryScaling: Sendable, Equatable {
  /// Positions are divided by the factor; 1 leaves them as they are. Chen and others 2023.
  case linear(Float)
  /// Slow frequencies are divided, fast ones are not.
  case yarn(YaRN)
  /// The file divides each frequency, by one list up to `originalLength` tokens of context and by another beyond; Ding and
  /// others 2024.
  case long(originalLength: Int, magnitude: Float)
}

/// YaRN; Peng and others 2023.
struct YaRN: Sendable, Equatable {
  /// What slow frequencies are divided by.
  let factor: Float
  /// Tokens that the model was first trained for.
  let originalLength: Int
  /// Turns within `originalLength` from which a frequency counts as fast.
  let fastTurns: Float
  /// Turns up to which it counts as slow.
  let slowTurns: Float
  /// Factor of cosines and sines.
  let magnitude: Float

  /// The magnitude for a factor where nothing else is stated.
  static func magnitude(_ factor: Float) -> Float { factor > 1 ? 1 + 0.1 * logarithm(factor) : 1 }

  /// What the frequency of each of `size / 2` pairs is divided by.
  func divisors(size: Int, base: Float) -> [Float] {
    func pair(turns: Float) -> Float {
      Float(size) * logarithm(Float(originalLength) / (turns * 2 * .pi)) / (2 * logarithm(base))
    }
    let first = max(pair(turns: fastTurns).rounded(.down), 0)
    let last = min(pair(turns: slowTurns).rounded(.up), Float(size - 1))
    return (0..<size / 2).map { index in
      let slowness = (Float(index) - first) / max(last - first, 0.001)
      let kept = 1 - min(max(slowness, 0), 1)
      return 1 / (kept + (1 - kept) / factor)
    }
  }
}

/// Angle per position of each turned pair, and the factor of their cosines and sines.
package struct RotaryTable: Sendable {
  /// `(turned values / 2)`.
  package let frequencies: FloatVector
  /// 1 but for contexts that were made longer.
  package let magnitude: Float

  /// base^(-2i / size) / divisor for each pair.
  init(size: Int, base: Float, divisors: [Float], magnitude: Float = 1) {
    self.magnitude = magnitude
    frequencies = FloatVector(
      divisors.enumerated().map { index, divisor in
        inversePower(base, Float(2 * index) / Float(size)) / divisor
      })
  }
}

/// All tables of a model.
package struct RotaryTables: Sendable {
  private let short: RotaryTable
  // Instead of `short` for contexts of more than so many tokens.
  private let long: (table: RotaryTable, above: Int)?
  private let local: RotaryTable?

  init(short: RotaryTable, long: (RotaryTable, above: Int)? = nil, local: RotaryTable? = nil) {
    (self.short, self.long, self.local) = (short, long.map { ($0.0, $0.above) }, local)
  }

  /// The table of layers with `rotation`, for a context of at most `length` tokens.
  ///
  /// A conversation cannot change its table on the way: the keys that it has are turned already.
  package func table(_ rotation: LayerRotation, contextLength length: Int) -> RotaryTable {
    if rotation == .local, let local { return local }
    if let long, length > long.above { return long.table }
    return short
  }
}
