public import JSON
public import SystemFiles

/// The ways in which a safetensors file can be wrong.
public enum SafetensorsDefect: Error, Equatable, Sendable {
  // Header
  case headerTooLong(UInt64)
  case headerStart(UInt8)
  case header(JSONError)
  // Entries
  case duplicateName(String)
  case wrongMetadata(key: String)
  case noObject(tensor: String)
  case unknownField(tensor: String, field: String)
  case missingField(tensor: String, field: String)
  case unknownType(tensor: String, type: String)
  case badNumber(tensor: String)
  case tooManyTensors
  case tooManyDimensions(tensor: String)
  case offsetCount(tensor: String, count: Int)
  // Places
  case reversedOffsets(tensor: String, begin: Int, end: Int)
  case hugeTensor(tensor: String)
  case wrongSize(tensor: String, bytes: Int, expected: Int)
  case hole(tensor: String, begin: Int, expected: Int)
  case overlap(tensor: String, begin: Int, expected: Int)
  case wrongEnd(dataEnd: Int, fileSize: Int)
}

extension SafetensorsDefect: FormatDefect {
  /// What is wrong, without the file and the place, and what to do about it.
  public var text: ErrorText {
    switch self {
    case .headerTooLong(let count):
      "the header has \(Figures.bytes(count)), more than the limit of "
        + "\(Figures.grouped(SafetensorsLimits.headerBytes)); "
        + "this is not a safetensors file, or it is damaged"
    case .headerStart(let byte):
      "the header starts with byte \(byte) instead of “{”; this is not a safetensors file"
    case .header(let error):
      "the header is not JSON as it should be: \(error)\(remedy: "write the file again")"
    case .duplicateName(let name): "“\(name)” occurs twice\(remedy: "write the file again")"
    case .wrongMetadata(let key):
      "the metadata under “\(key)” are not texts\(remedy: "write the file again")"
    case .noObject(let tensor):
      "tensor “\(tensor)” is not described by an object\(remedy: "write the file again")"
    case .unknownField(let tensor, let field):
      "tensor “\(tensor)” has the unknown field “\(field)”\(remedy: "write the file again")"
    case .missingField(let tensor, let field):
      "tensor “\(tensor)” has no field “\(field)”\(remedy: "write the file again")"
    case .unknownType(let tensor, let type):
      "tensor “\(tensor)” is of type “\(type)”, which cannot be read"
        + "\(remedy: "save it as F32, F16 or BF16")"
    case .badNumber(let tensor):
      "tensor “\(tensor)” has a number that is not a whole number below 2^63"
        + "\(remedy: "write the file again")"
    case .tooManyTensors:
      "there are more than \(Figures.grouped(SafetensorsLimits.tensors)) tensors; the file is damaged"
    case .tooManyDimensions(let tensor):
      "tensor “\(tensor)” has more than \(SafetensorsLimits.dimensions) dimensions; "
        + "the file is damaged"
    case .offsetCount(let tensor, let count):
      "tensor “\(tensor)” has \(Figures.grouped(count)) data_offsets instead of 2"
        + "\(remedy: "write the file again")"
    case .reversedOffsets(let tensor, let begin, let end):
      "tensor “\(tensor)” ends at byte \(Figures.grouped(end)), before its start at "
        + "\(Figures.grouped(begin))\(remedy: "write the file again")"
    case .hugeTensor(let tensor):
      "the size of tensor “\(tensor)” does not fit 63 bits; the file is damaged"
    case .wrongSize(let tensor, let bytes, let expected):
      "tensor “\(tensor)” takes \(Figures.bytes(bytes)), but its shape and type need "
        + "\(Figures.grouped(expected))\(remedy: "write the file again")"
    case .hole(let tensor, let begin, let expected):
      "tensor “\(tensor)” starts at byte \(Figures.grouped(begin)) of the data and leaves a hole "
        + "from \(Figures.grouped(expected))\(remedy: "write the file again")"
    case .overlap(let tensor, let begin, let expected):
      "tensor “\(tensor)” starts at byte \(Figures.grouped(begin)) of the data, inside another "
        + "one that ends at \(Figures.grouped(expected))\(remedy: "write the file again")"
    case .wrongEnd(let end, let size):
      "the tensors end at byte \(Figures.grouped(end)) of a file of \(Figures.bytes(size))"
        + "\(remedy: "copy or download the file again")"
    }
  }
}

/// Upper bounds on what a safetensors file may ask for.
enum SafetensorsLimits {
  static let headerBytes = 100_000_000
  static let tensors = 65_536
  static let dimensions = 8
  /// Values of the whole header: those tensors with all their numbers, and as many strings.
  static let values = tensors * (dimensions + 6) + tensors
  /// What the header says of a tensor.
  static let fields = ["dtype", "shape", "data_offsets"]
}

extension FileError {
  /// A safetensors file breaks a rule of its format at byte `offset`.
  package static func safetensors(_ defect: SafetensorsDefect, path: String, offset: Int)
    -> FileError
  {
    .malformed(Malformation(defect), path: path, offset: offset)
  }
}
