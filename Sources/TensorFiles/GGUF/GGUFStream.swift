public import Kernels

/// Writes a GGUF file front to back, so that no more than one piece of one tensor is in memory.
public struct GGUFStream: ~Copyable {
  private var file: AtomicFile
  private let sizes: [Int]
  private let alignment: Int
  /// Tensor that the next bytes belong to.
  private var index = 0
  /// Bytes of it that were written.
  private var written = 0

  /// Starts the file at `path` with everything that comes before the values.
  ///
  /// - Throws: `TensorFileError.system`.
  public init(_ head: GGUFWriter, path: String) throws(TensorFileError) {
    var file = try AtomicFile(path: path)
    try file.write(head.head())
    self.file = file
    sizes = head.tensors.map(\.size)
    alignment = head.alignment
  }

  /// Appends values of the first tensor that is not full yet; traps when they are more than it lacks.
  ///
  /// - Throws: `TensorFileError.system(.write)`.
  public mutating func write(_ bytes: TensorBytes) throws(TensorFileError) {
    advance(by: bytes.count)
    try file.write(bytes)
    try padFullTensor()
  }

  /// Appends values of the first tensor that is not full yet; traps when they are more than it lacks.
  ///
  /// - Throws: `TensorFileError.system(.write)`.
  public mutating func write(_ bytes: [UInt8]) throws(TensorFileError) {
    advance(by: bytes.count)
    try file.write(bytes)
    try padFullTensor()
  }

  /// Brings the file to the disk and to its name; traps when a tensor is not full.
  ///
  /// - Throws: `TensorFileError.system`; then nothing has changed under the name.
  public consuming func commit() throws(TensorFileError) {
    precondition(index == sizes.count, "a tensor is not full")
    try file.commit()
  }

  private mutating func advance(by count: Int) {
    precondition(index < sizes.count && written + count <= sizes[index], "more than the tensor has")
    written += count
  }

  private mutating func padFullTensor() throws(TensorFileError) {
    guard written == sizes[index] else { return }
    try file.pad(to: alignment)
    index += 1
    written = 0
  }
}
