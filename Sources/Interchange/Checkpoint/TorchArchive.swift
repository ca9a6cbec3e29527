import Kernels
import SystemFiles

/// A file of `torch.save`: a zip archive with a pickled dictionary and an entry for each storage.
struct TorchArchive {
  private let archive: ZipArchive
  private let path: String
  /// Bytes of the whole file.
  private let size: Int
  /// The folder that all entries are in.
  private let folder: String

  init(_ bytes: TensorBytes, path: String) throws(InterchangeError) {
    archive = try ZipArchive(bytes, path: path)
    (self.path, size) = (path, bytes.count)
    let suffix = "/data.pkl"
    guard let name = archive.names.filter({ $0.hasSuffix(suffix) }).min() else {
      throw .archive(path: path, offset: 0, problem: "the archive has no data.pkl")
    }
    folder = String(name.dropLast(suffix.count))
    guard let order = try archive.entry(folder + "/byteorder") else { return }
    guard order.array == Array("little".utf8) else {
      throw .archive(path: path, offset: 0, problem: "the values are not stored low bytes first")
    }
  }

  /// All tensors, ordered by name.
  ///
  /// - Throws: `InterchangeError.archive`, `.pickle`, or `.unmatchedTensor` for what is no tensor.
  func tensors() throws(InterchangeError) -> [FactorTable.Tensor] {
    let name = "\(folder)/data.pkl"
    var reader = PickleReader(try content(name), path: path, entry: "data.pkl")
    let values = try reader.read()
    var storages: [String: TensorBytes] = [:]
    var tensors: [FactorTable.Tensor] = []
    var total = 0
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard case .tensor(let tensor) = value else {
        throw .unmatchedTensor(path: path, tensor: name, reason: "it is no tensor")
      }
      let storage = tensor.storage
      if storages[storage.key] == nil {
        storages[storage.key] = try content("\(folder)/data/\(storage.key)")
      }
      let view = try view(tensor, of: storages[storage.key] ?? TensorBytes([]), name)
      // Each is at most a storage; many that are views of one would still be more than memory holds.
      total += view.bytes.count
      guard total <= 2 * size else {
        throw .archive(
          path: path, offset: 0, problem: "the tensors are together larger than the file")
      }
      tensors.append(view)
    }
    return tensors
  }

  private func content(_ name: String) throws(InterchangeError) -> TensorBytes {
    guard let content = try archive.entry(name) else {
      throw .archive(path: path, offset: 0, problem: "the archive has no “\(name)”")
    }
    return content
  }

  /// The values of `tensor`, one row after the other.
  private func view(
    _ tensor: PickleReader.Tensor, of bytes: TensorBytes, _ name: String
  ) throws(InterchangeError) -> FactorTable.Tensor {
    let type = tensor.storage.type
    let title = String(type.rawValue.dropFirst("torch ".count).dropLast("Storage".count))
    guard let size = type.tensorType?.blockBytes else {
      throw .unreadableType(path: path, tensor: name, type: title)
    }
    let (expected, overflow) = tensor.storage.count.multipliedReportingOverflow(by: size)
    guard !overflow, expected == bytes.count else {
      throw .archive(
        path: path, offset: 0,
        problem: "the storage of “\(name)” has \(Figures.bytes(bytes.count)) instead of "
          + "\(Figures.count(tensor.storage.count, "value"))")
    }
    return FactorTable.Tensor(
      name: name, type: type.tensorType, typeName: title, shape: tensor.sizes,
      bytes: tensor.gathered(from: bytes, size: size))
  }
}

extension PickleReader.StorageType {
  /// The same layout as a type that can be computed with, or nil.
  fileprivate var tensorType: TensorType? {
    switch self {
    case .float: .f32
    case .half: .f16
    case .bfloat: .bf16
    default: nil
    }
  }
}

extension PickleReader.Tensor {
  /// The values of `size` bytes each, in the order of their places; the reader has made sure that all are there.
  fileprivate func gathered(from bytes: TensorBytes, size: Int) -> TensorBytes {
    let count = sizes.reduce(1, *)
    var expected = 1
    let isInOrder = zip(sizes, strides).reversed().allSatisfy { length, stride in
      defer { expected *= length }
      return length == 1 || stride == expected
    }
    guard !isInOrder else { return bytes.slice(offset * size..<(offset + count) * size) }
    var result: [UInt8] = []
    result.reserveCapacity(count * size)
    var indices = [Int](repeating: 0, count: sizes.count)
    for _ in 0..<count {
      let place = offset + zip(indices, strides).reduce(0) { $0 + $1.0 * $1.1 }
      result += bytes.slice(place * size..<(place + 1) * size).array
      for axis in indices.indices.reversed() {
        indices[axis] += 1
        if indices[axis] < sizes[axis] { break }
        indices[axis] = 0
      }
    }
    return TensorBytes(result)
  }
}
