import SystemFiles
import TestSupport

@testable import Adapters

/// A package of the size and layout of a genuine one, with values of no meaning.
///
/// `tools/fixtures/make_apple_like_package.py` writes the same bytes with coremltools.
enum ApplePackage {
  /// SHA-256 of the file that coremltools 9.0 wrote.
  static let digest = "e3214c4862c690d0564683a9107b52b5d5a779cb021251d75c87f87bdea1677d"

  /// Writes the package into `directory` and returns its path.
  static func write(to directory: String) throws -> String {
    let rank = 32
    let longest = 6656 * rank
    var random = SeededGenerator(seed: 26)
    var values = [UInt8](repeating: 0, count: 4 * longest)
    for index in 0..<2 * longest {
      let bits = UInt16(truncatingIfNeeded: random.next()) & 0xBFFF
      values[2 * index] = UInt8(truncatingIfNeeded: bits)
      values[2 * index + 1] = UInt8(bits >> 8)
    }
    let pool = TensorBytes(values)
    var layers = BaseContract.apple.layers.map { _ in [LoRATarget: LowRankPair]() }
    var index = 0
    func next(_ count: Int) -> TensorBytes {
      defer { index += 1 }
      let start = 2 * (index * 1009 % longest)
      return pool.slice(start..<start + 2 * count)
    }
    for layer in layers.indices {
      for target in LoRATarget.allCases {
        guard let shape = BaseContract.apple.layers[layer][target] else { continue }
        let a = next(rank * shape.columns)
        let b = next(shape.rows * rank)
        layers[layer][target] = LowRankPair(a: a, b: b, rank: rank, shape: shape)
      }
    }
    let metadata = try AdapterMetadata(
      name: "like_apple", baseModelSignature: BaseContract.appleSignature, loraRank: rank,
      author: "3P developer")
    return try AdapterWriter.write(metadata, layers: layers, to: "\(directory)/like_apple")
  }
}
