import Kernels
import SystemFiles
import TensorFiles

/// Finds tensors by name, compares their shapes, and remembers which were asked for.
struct TensorFinder {
  private let file: GGUFFile
  private var found: Set<String> = []

  init(_ file: GGUFFile) {
    self.file = file
  }

  func has(_ name: String) -> Bool { file.tensor(named: name) != nil }

  /// Takes a tensor that the model does not use as known.
  mutating func ignore(_ name: String) { found.insert(name) }

  /// A matrix of `rows` outputs and `columns` inputs.
  mutating func matrix(
    _ name: String, rows: Int, columns: Int
  ) throws(BaseModelError) -> WeightMatrix {
    let tensor = try tensor(name, dimensions: [columns, rows])
    return WeightMatrix(type: tensor.type, rows: rows, columns: columns, bytes: tensor.bytes)
  }

  /// `count` matrices of `rows` outputs and `columns` inputs each, one behind the other.
  mutating func matrices(
    _ name: String, count: Int, rows: Int, columns: Int
  ) throws(BaseModelError) -> [WeightMatrix] {
    let tensor = try tensor(name, dimensions: [columns, rows, count])
    let size = tensor.bytes.count / count
    return (0..<count).map { index in
      WeightMatrix(
        type: tensor.type, rows: rows, columns: columns,
        bytes: tensor.bytes.slice(index * size..<(index + 1) * size))
    }
  }

  /// A vector in floating point.
  mutating func vector(_ name: String, count: Int) throws(BaseModelError) -> FloatVector {
    let tensor = try tensor(name, dimensions: [count])
    guard tensor.type.blockLength == 1 else {
      throw .wrongType(file: file.path, tensor: name, type: tensor.type.name)
    }
    return FloatVector(
      WeightMatrix(type: tensor.type, rows: 1, columns: count, bytes: tensor.bytes))
  }

  /// A small matrix in floating point.
  mutating func floats(
    _ name: String, rows: Int, columns: Int
  ) throws(BaseModelError) -> FloatMatrix {
    let tensor = try tensor(name, dimensions: [columns, rows])
    guard tensor.type.blockLength == 1 else {
      throw .wrongType(file: file.path, tensor: name, type: tensor.type.name)
    }
    return FloatMatrix(
      WeightMatrix(type: tensor.type, rows: rows, columns: columns, bytes: tensor.bytes))
  }

  /// A matrix `stem`.weight and its bias `stem`.bias, which need not be there unless `biased`.
  mutating func projection(
    _ stem: String, rows: Int, columns: Int, biased: Bool = false
  ) throws(BaseModelError) -> Projection {
    let weights = try matrix(stem + ".weight", rows: rows, columns: columns)
    let hasBias = biased || has(stem + ".bias")
    return Projection(
      weights: weights, bias: hasBias ? try vector(stem + ".bias", count: rows) : nil)
  }

  /// Throws when the file has a tensor that nobody asked for, but for those of `blocks` and of parts that see or hear, which
  /// files of Ollama have beside the text model.
  func refuseOthers(but blocks: Range<Int>) throws(BaseModelError) {
    for tensor in file.tensors where !found.contains(tensor.name) {
      let parts = tensor.name.split(separator: ".", maxSplits: 2)
      if parts.count == 3, parts[0] == "blk", Int(parts[1]).map(blocks.contains) ?? false {
        continue
      }
      if ["v.", "a.", "mm."].contains(where: tensor.name.hasPrefix) { continue }
      throw .unknownTensor(file: file.path, tensor: tensor.name)
    }
  }

  private mutating func tensor(
    _ name: String, dimensions: [Int]
  ) throws(BaseModelError) -> GGUFTensor {
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
