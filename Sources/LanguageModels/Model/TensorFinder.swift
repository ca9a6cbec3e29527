import Kernels
import TensorFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds tensors by name, compares their shapes, and remembers which were asked for.
struct TensorFinder {
  private let file: GGUFFile
  private var found: Set<String> = []

  init(_ file: GGUFFile) {
    self.file = file
  }

  func has(_ name: String) -> Bool { file.tensor(named: name) != nil }

  /// A matrix of `rows` outputs and `columns` inputs.
  mutating func matrix(
    _ name: String, rows: Int, columns: Int
  ) throws(LanguageModelError) -> WeightMatrix {
    let tensor = try tensor(name, dimensions: [columns, rows])
    return WeightMatrix(type: tensor.type, rows: rows, columns: columns, bytes: tensor.bytes)
  }

  /// A vector in floating point.
  mutating func vector(_ name: String, count: Int) throws(LanguageModelError) -> FloatVector {
    let tensor = try tensor(name, dimensions: [count])
    guard tensor.type.blockLength == 1 else {
      throw .wrongType(file: file.path, tensor: name, type: tensor.type.name)
    }
    return FloatVector(
      WeightMatrix(type: tensor.type, rows: 1, columns: count, bytes: tensor.bytes))
  }

  /// A matrix `stem`.weight and its bias `stem`.bias, which need not be there unless `biased`.
  mutating func projection(
    _ stem: String, rows: Int, columns: Int, biased: Bool = false
  ) throws(LanguageModelError) -> Projection {
    let weights = try matrix(stem + ".weight", rows: rows, columns: columns)
    let hasBias = biased || has(stem + ".bias")
    return Projection(
      weights: weights, bias: hasBias ? try vector(stem + ".bias", count: rows) : nil)
  }

  /// Throws when the file has a tensor that nobody asked for.
  func refuseOthers() throws(LanguageModelError) {
    for tensor in file.tensors where !found.contains(tensor.name) {
      throw .unknownTensor(file: file.path, tensor: tensor.name)
    }
  }

  private mutating func tensor(
    _ name: String, dimensions: [Int]
  ) throws(LanguageModelError) -> GGUFTensor {
    guard let tensor = file.tensor(named: name) else {
      throw .missingTensor(file: file.path, tensor: name)
    }
    guard TensorFinder.trimmed(tensor.dimensions) == TensorFinder.trimmed(dimensions) else {
      throw .wrongShape(
        file: file.path, tensor: name, expected: dimensions, actual: tensor.dimensions)
    }
    found.insert(name)
    return tensor
  }

  /// Dimensions of 1 at the end say nothing.
  private static func trimmed(_ dimensions: [Int]) -> [Int] {
    var result = dimensions
    while result.count > 1, result.last == 1 { result.removeLast() }
    return result
  }
}

/// base^-exponent.
func inversePower(_ base: Float, _ exponent: Float) -> Float {
  1 / powf(base, exponent)
}
