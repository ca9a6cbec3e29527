public import Kernels
public import SystemFiles

/// A safetensors file, mapped into memory and fully checked.
///
/// Layout: <https://huggingface.co/docs/safetensors>: the length of the header (8 bytes), a header in JSON, the data
/// without holes or overlaps.
public struct SafetensorsFile: Sendable {
  /// The path that the file was opened with.
  public let path: String
  /// All tensors, in the order of the data.
  public let tensors: [SafetensorsTensor]
  /// The strings under `__metadata__`.
  public let metadata: [String: String]
  private let places: [ExactName: Int]
  private let file: MappedFile?

  /// Maps and checks the file at `path`.
  ///
  /// - Throws: `FileError` naming the first defect and its byte.
  public init(path: String) throws(FileError) {
    let file = try MappedFile(path: path)
    self = try file.reading { bytes throws(FileError) in
      try SafetensorsFile(bytes: bytes, path: path, file: file)
    }
  }

  /// Checks `bytes` as a whole file; `path` is its name in errors.
  package init(
    bytes: TensorBytes, path: String, file: MappedFile? = nil
  ) throws(FileError) {
    let (entries, metadata, dataStart) = try readSafetensorsHeader(bytes, path: path)
    let layout = SafetensorsLayout(bytes: bytes, path: path, dataStart: dataStart)
    tensors = try layout.tensors(entries)
    places = Dictionary(
      uniqueKeysWithValues: tensors.enumerated().map { (ExactName($0.element.name), $0.offset) })
    self.metadata = metadata
    self.path = path
    self.file = file
  }

  /// The tensor called `name`, or nil when there is none.
  public func tensor(named name: String) -> SafetensorsTensor? {
    places[ExactName(name)].map { tensors[$0] }
  }

  /// Asks the system whether the file is still the one that was opened.
  ///
  /// - Throws: `FileError.changed` when it is not.
  public func checkUnchanged() throws(FileError) {
    try file?.checkUnchanged()
  }
}

/// Splits the file into its header, parsed, and the first byte of its data.
private func readSafetensorsHeader(
  _ bytes: TensorBytes, path: String
) throws(FileError) -> ([SafetensorsEntry], [String: String], Int) {
  var cursor = ByteCursor(bytes, path: path)
  let length = try cursor.read(UInt64.self, "the header length")
  guard length <= UInt64(SafetensorsLimits.headerBytes) else {
    throw .safetensors(.headerTooLong(length), path: path, offset: 0)
  }
  let header = try cursor.take(length, "the header").array
  let read = try SafetensorsHeader(header, path: path, start: 8)
  return (read.entries, read.metadata, cursor.offset)
}

/// Puts the entries of the header into the data and checks that they fill it exactly.
private struct SafetensorsLayout {
  let bytes: TensorBytes
  let path: String
  let dataStart: Int

  func tensors(_ entries: [SafetensorsEntry]) throws(FileError) -> [SafetensorsTensor] {
    var tensors: [SafetensorsTensor] = []
    tensors.reserveCapacity(entries.count)
    var end = 0
    // Empty tensors start and end where another one starts, so the end decides among equal starts.
    for entry in entries.sorted(by: { ($0.begin, $0.end) < ($1.begin, $1.end) }) {
      try checkSize(entry)
      guard entry.begin <= end else {
        throw defect(.hole(tensor: entry.name, begin: entry.begin, expected: end), entry)
      }
      guard entry.begin == end else {
        throw defect(.overlap(tensor: entry.name, begin: entry.begin, expected: end), entry)
      }
      end = entry.end
      guard end <= bytes.count - dataStart else { throw wrongEnd(end, entry.offset) }
      tensors.append(
        SafetensorsTensor(
          name: entry.name, type: entry.type, shape: entry.shape,
          fileOffset: dataStart + entry.begin,
          bytes: bytes.slice(dataStart + entry.begin..<dataStart + end)))
    }
    guard end == bytes.count - dataStart else { throw wrongEnd(end, dataStart + end) }
    return tensors
  }

  private func checkSize(_ entry: SafetensorsEntry) throws(FileError) {
    guard entry.begin <= entry.end else {
      throw defect(
        .reversedOffsets(tensor: entry.name, begin: entry.begin, end: entry.end), entry)
    }
    var size = entry.type.size
    for dimension in entry.shape {
      let (product, overflow) = size.multipliedReportingOverflow(by: dimension)
      guard !overflow else { throw defect(.hugeTensor(tensor: entry.name), entry) }
      size = product
    }
    guard size == entry.end - entry.begin else {
      throw defect(
        .wrongSize(tensor: entry.name, bytes: entry.end - entry.begin, expected: size), entry)
    }
  }

  private func wrongEnd(_ end: Int, _ offset: Int) -> FileError {
    let (sum, overflow) = dataStart.addingReportingOverflow(end)
    return .safetensors(
      .wrongEnd(dataEnd: overflow ? .max : sum, fileSize: bytes.count), path: path,
      offset: offset)
  }

  private func defect(_ defect: SafetensorsDefect, _ entry: SafetensorsEntry) -> FileError {
    .safetensors(defect, path: path, offset: entry.offset)
  }
}

/// A tensor of a safetensors file, in place.
public struct SafetensorsTensor: Sendable {
  /// Name, unique in its file.
  public let name: String
  /// How the values are stored.
  public let type: SafetensorsType
  /// Sizes, the slowest-running first: `[rows, columns]` for a matrix; empty for a single value.
  public let shape: [Int]
  /// First byte of the values in the file.
  public let fileOffset: Int
  /// The values, row after row.
  public let bytes: TensorBytes

  /// Number of values.
  public var count: Int { shape.reduce(1, *) }
}

/// The kinds of data that a safetensors file can hold, by their names in its header.
public enum SafetensorsType: String, CaseIterable, Sendable {
  case bool = "BOOL"
  case uint8 = "U8"
  case int8 = "I8"
  case float8E5M2 = "F8_E5M2"
  case float8E4M3 = "F8_E4M3"
  case int16 = "I16"
  case uint16 = "U16"
  case float16 = "F16"
  case bfloat16 = "BF16"
  case int32 = "I32"
  case uint32 = "U32"
  case float32 = "F32"
  case float64 = "F64"
  case int64 = "I64"
  case uint64 = "U64"

  /// Bytes per value.
  public var size: Int {
    switch self {
    case .bool, .uint8, .int8, .float8E5M2, .float8E4M3: 1
    case .int16, .uint16, .float16, .bfloat16: 2
    case .int32, .uint32, .float32: 4
    case .float64, .int64, .uint64: 8
    }
  }

  /// The same layout as a tensor type that can be computed with, or nil.
  public var tensorType: TensorType? {
    switch self {
    case .float32: .f32
    case .float16: .f16
    case .bfloat16: .bf16
    default: nil
    }
  }
}
