public import Kernels
public import SystemFiles

/// The head of a GGUF file of version 3: the same content always gives the same bytes.
///
/// A ``GGUFStream`` writes it and then the values of its tensors.
public struct GGUFWriter: Sendable {
  /// What the table says of a tensor.
  public struct Tensor: Sendable, Equatable {
    /// Name, unique in its file.
    public let name: String
    /// How the values are stored.
    public let type: TensorType
    /// One to four sizes, the fastest-running first: `[columns, rows]` for a matrix.
    public let dimensions: [Int]
    /// Bytes of the values.
    public let size: Int

    /// Traps unless there are one to four positive dimensions and the rows are whole numbers of blocks.
    public init(name: String, type: TensorType, dimensions: [Int]) {
      precondition(1...GGUFLimits.dimensions ~= dimensions.count, "one to four dimensions")
      precondition(dimensions.allSatisfy { $0 > 0 }, "dimensions are positive")
      guard let row = type.rowBytes(columns: dimensions[0]) else {
        preconditionFailure("a row is a whole number of blocks")
      }
      self.name = name
      self.type = type
      self.dimensions = dimensions
      size = dimensions.dropFirst().reduce(row, *)
    }
  }

  /// Keys and values in the order of the file.
  public private(set) var metadata: [(key: String, value: GGUFValue)] = []
  /// The table of tensors, in the order of the file.
  public private(set) var tensors: [Tensor] = []
  /// What each tensor's place is a multiple of, in bytes.
  public let alignment: Int
  private var names: Set<ExactName> = []
  /// Where each key that was set stands in ``metadata``.
  private var places: [ExactName: Int] = [:]

  /// Starts a file; an alignment other than 32 is written as `general.alignment`.
  public init(alignment: Int = 32) {
    precondition(alignment.nonzeroBitCount == 1 && alignment <= GGUFLimits.alignment)
    self.alignment = alignment
    if alignment != 32 { metadata = [(Self.alignmentKey, .uint32(UInt32(alignment)))] }
  }

  private static let alignmentKey = "general.alignment"

  /// Sets `key`, in place when it is there already, else at the end.
  ///
  /// All keys of another file may be set: `general.alignment`, which says what ``alignment`` is, and what says that a file is one of
  /// several parts are left out, as a file that is written has its own alignment and is whole.
  public mutating func set(_ key: String, _ value: GGUFValue) {
    precondition(!key.isEmpty && key.utf8.count <= GGUFLimits.keyBytes, "key length")
    guard key != Self.alignmentKey, !GGUFFile.partKeys.contains(key) else { return }
    if let index = places[ExactName(key)] {
      metadata[index].value = value
    } else {
      places[ExactName(key)] = metadata.count
      metadata.append((key, value))
    }
  }

  /// Sets the keys of another file that `isTaken` takes, in its order.
  package mutating func set(
    _ metadata: GGUFMetadata, where isTaken: (String) -> Bool = { _ in true }
  ) {
    for key in metadata.keys where isTaken(key) {
      if let value = metadata[key] { set(key, value) }
    }
  }

  /// Adds a tensor to the table; traps when its name is taken, empty or longer than 63 bytes.
  public mutating func append(_ tensor: Tensor) {
    precondition(1...GGUFLimits.nameBytes ~= tensor.name.utf8.count, "name length")
    precondition(names.insert(ExactName(tensor.name)).inserted, "tensor name is taken")
    tensors.append(tensor)
  }

  /// Everything before the data.
  func head() -> [UInt8] {
    var encoder = ByteEncoder()
    encoder.append(raw: "GGUF".utf8)
    encoder.append(UInt32(3))
    encoder.append(UInt64(tensors.count))
    encoder.append(UInt64(metadata.count))
    for (key, value) in metadata {
      encoder.appendString(Array(key.utf8))
      encoder.append(value.type.rawValue)
      encoder.append(value)
    }
    var offset = 0
    for tensor in tensors {
      encoder.append(tensor, at: offset)
      offset = (offset + tensor.size + alignment - 1) / alignment * alignment
    }
    encoder.pad(to: alignment)
    return encoder.bytes
  }
}

extension ByteEncoder {
  fileprivate mutating func append(_ tensor: GGUFWriter.Tensor, at offset: Int) {
    appendString(Array(tensor.name.utf8))
    append(UInt32(tensor.dimensions.count))
    for dimension in tensor.dimensions { append(UInt64(dimension)) }
    append(tensor.type.rawValue)
    append(UInt64(offset))
  }

  fileprivate mutating func append(_ value: GGUFValue) {
    switch value {
    case .uint8(let value): append(value)
    case .int8(let value): append(value)
    case .uint16(let value): append(value)
    case .int16(let value): append(value)
    case .uint32(let value): append(value)
    case .int32(let value): append(value)
    case .float32(let value): append(value.bitPattern)
    case .bool(let value): append(value ? 1 : 0 as UInt8)
    case .string(let bytes): appendString(bytes)
    case .uint64(let value): append(value)
    case .int64(let value): append(value)
    case .float64(let value): append(value.bitPattern)
    case .array(let array):
      append(array.elementType.rawValue)
      append(UInt64(array.count))
      append(raw: array.bytes.array)
    }
  }
}

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
  /// - Throws: `FileError.system`.
  public init(_ head: GGUFWriter, path: String) throws(FileError) {
    var file = try AtomicFile(path: path)
    try file.write(head.head())
    self.file = file
    sizes = head.tensors.map(\.size)
    alignment = head.alignment
  }

  /// Appends values of the first tensor that is not full yet; traps when they are more than it lacks.
  ///
  /// - Throws: `FileError.system(.write)`.
  public mutating func write(_ bytes: TensorBytes) throws(FileError) {
    advance(by: bytes.count)
    try file.write(bytes)
    try padFullTensor()
  }

  /// Appends values of the first tensor that is not full yet; traps when they are more than it lacks.
  ///
  /// - Throws: `FileError.system(.write)`.
  public mutating func write(_ bytes: [UInt8]) throws(FileError) {
    advance(by: bytes.count)
    try file.write(bytes)
    try padFullTensor()
  }

  /// Brings the file to the disk and to its name; traps when a tensor is not full.
  ///
  /// - Throws: `FileError.system`; then nothing has changed under the name.
  public consuming func commit() throws(FileError) {
    precondition(index == sizes.count, "a tensor is not full")
    try file.commit()
  }

  private mutating func advance(by count: Int) {
    precondition(index < sizes.count && written + count <= sizes[index], "more than the tensor has")
    written += count
  }

  private mutating func padFullTensor() throws(FileError) {
    guard written == sizes[index] else { return }
    try file.pad(to: alignment)
    index += 1
    written = 0
  }
}
