public import Kernels
public import SystemFiles

/// A GGUF model, version 2 or 3, mapped into memory and fully checked; it may be split over several files.
///
/// Layout: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.
public struct GGUFFile: Sendable {
  /// The path that the file was opened with: of the first one, where there are several.
  public let path: String
  /// The paths of all files, in their order.
  public let parts: [String]
  /// 2 or 3.
  public let version: Int
  /// What every tensor's place in the data is a multiple of; a power of two, in bytes.
  public let alignment: Int
  /// The key–value part.
  public let metadata: GGUFMetadata
  /// All tensors, in the order of the files' tables.
  public let tensors: [GGUFTensor]
  /// Bytes of all files.
  public let size: Int
  private let places: [ExactName: Int]
  private let files: [MappedFile]

  /// Maps and checks the file at `path`, and the parts beside it where it is the first of several.
  ///
  /// - Throws: `FileError` naming the first defect, its file and its byte.
  public init(path: String) throws(FileError) {
    let first = try GGUFFile(part: path)
    let others = try first.otherParts()
    self = others.isEmpty ? first : GGUFFile(joining: [first] + others)
  }

  /// Maps and checks one file, whatever it is a part of.
  init(part path: String) throws(FileError) {
    let file = try MappedFile(path: path)
    self = try file.reading { bytes throws(FileError) in
      try GGUFFile(bytes: bytes, path: path, file: file)
    }
  }

  /// Checks `bytes` as a whole file; `path` is its name in errors.
  package init(
    bytes: TensorBytes, path: String, file: MappedFile? = nil
  ) throws(FileError) {
    var parser = GGUFParser(bytes: bytes, path: path)
    let header = try parser.header()
    metadata = try parser.metadata(count: header.keyCount)
    alignment = try parser.alignment(metadata)
    (tensors, places) = try parser.tensors(count: header.tensorCount, alignment: alignment)
    version = header.version
    size = bytes.count
    self.path = path
    parts = [path]
    files = file.map { [$0] } ?? []
  }

  /// The tensors of all, with all else that the first has; expects different names.
  private init(joining parts: [GGUFFile]) {
    let first = parts[0]
    (path, version, alignment, metadata) = (
      first.path, first.version, first.alignment, first.metadata
    )
    self.parts = parts.map(\.path)
    tensors = parts.flatMap(\.tensors)
    size = parts.reduce(0) { $0 + $1.size }
    files = parts.flatMap(\.files)
    places = Dictionary(
      tensors.enumerated().map { (ExactName($0.element.name), $0.offset) },
      uniquingKeysWith: { $1 })
  }

  /// The tensor called `name`, or nil when there is none.
  public func tensor(named name: String) -> GGUFTensor? {
    places[ExactName(name)].map { tensors[$0] }
  }

  /// Asks the system whether all files are still those that were opened.
  ///
  /// - Throws: `FileError.changed` when one is not.
  public func checkUnchanged() throws(FileError) {
    for file in files { try file.checkUnchanged() }
  }
}

/// A tensor of a GGUF file, in place.
public struct GGUFTensor: Sendable {
  /// Name, unique in its file.
  public let name: String
  /// How the values are stored.
  public let type: TensorType
  /// One to four sizes, the fastest-running first: `[columns, rows]` for a matrix.
  public let dimensions: [Int]
  /// First byte of the values in their file.
  public let fileOffset: Int
  /// The values, row after row.
  public let bytes: TensorBytes

  /// Values per row.
  public var columns: Int { dimensions[0] }
  /// Number of rows: the product of all dimensions but the first.
  public var rows: Int { dimensions.dropFirst().reduce(1, *) }
  /// Number of values.
  public var count: Int { rows * columns }
}
