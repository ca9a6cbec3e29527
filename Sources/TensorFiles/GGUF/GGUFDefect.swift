public import Kernels
public import SystemFiles

/// The ways in which a GGUF file can be wrong.
public enum GGUFDefect: Error, Equatable, Sendable {
  // Header
  case wrongMagic([UInt8])
  case versionOne
  case bigEndian
  case unknownVersion(UInt32)
  case tooManyKeys(UInt64)
  case tooManyTensors(UInt64)
  // Metadata
  case emptyKey
  case keyTooLong(UInt64)
  case keyNotUTF8
  case duplicateKey(String)
  case unknownValueType(key: String, number: UInt32)
  case nestedArray(key: String)
  case stringTooLong(key: String, bytes: UInt64)
  case arrayTooLong(key: String, count: UInt64)
  case wrongBool(key: String, byte: UInt8)
  case alignmentType(GGUFValueType)
  case alignmentValue(UInt32)
  // Tensors
  case emptyName
  case nameTooLong(UInt64)
  case nameNotUTF8
  case duplicateTensor(String)
  case dimensionCount(tensor: String, count: UInt32)
  case zeroDimension(tensor: String)
  case hugeTensor(tensor: String)
  case unknownType(tensor: String, number: UInt32)
  case brokenRow(tensor: String, type: TensorType, columns: Int)
  case misaligned(tensor: String, offset: UInt64, alignment: Int)
  case outsideFile(tensor: String, end: UInt64, fileSize: Int)
  case overlap(tensor: String, other: String)
  // Models that are split over several files; numbers from 1, but for a `split.no` as it was found
  case laterPart(Int, of: Int, first: String)
  case missingPart(Int, of: Int, name: String)
  case partName(count: Int)
  case wrongPart(Int?, of: Int?, expected: Int, total: Int)
  case partTensors(count: Int, expected: Int)
  case tensorInTwoParts(String, other: String)
  // Use of metadata
  case wrongType(key: String, found: String, expected: String)
  case valueOutOfRange(key: String, value: String)
  case textNotUTF8(key: String)
}

extension GGUFDefect: FormatDefect {
  /// What is wrong, without the file and the place, and what to do about it.
  public var text: ErrorText {
    switch self {
    case .wrongMagic(let bytes):
      "this is not a GGUF file\(otherFile(bytes)): it starts with \(hexadecimal(bytes)) instead of 47475546"
    case .versionOne:
      "GGUF version 1 is no longer read"
        + "\(remedy: "convert the model again with a current converter")"
    case .bigEndian:
      "the file is big-endian\(remedy: "convert the model again for little-endian machines")"
    case .unknownVersion(let version):
      "GGUF version \(version) is unknown, 2 and 3 can be read\(remedy: "update this program")"
    case .tooManyKeys(let count):
      "\(Figures.grouped(count)) metadata keys are more than the limit of \(Figures.grouped(GGUFLimits.keys)); the file is damaged"
    case .tooManyTensors(let count):
      "\(Figures.grouped(count)) tensors are more than the limit of \(Figures.grouped(GGUFLimits.tensors)); the file is damaged"
    case .emptyKey: "a metadata key is empty\(remedy: "write the file again")"
    case .keyTooLong(let count):
      "a metadata key of \(Figures.bytes(count)) is longer than the limit of \(Figures.grouped(GGUFLimits.keyBytes)); "
        + "the file is damaged"
    case .keyNotUTF8: "a metadata key is not UTF-8; the file is damaged"
    case .duplicateKey(let key):
      "metadata key “\(key)” occurs twice"
        + "\(remedy: "write the file again")"
    case .unknownValueType(let key, let number):
      "metadata key “\(key)” has the unknown value type \(number)\(remedy: "update this program")"
    case .nestedArray(let key):
      "metadata key “\(key)” holds an array of arrays, which is not supported"
        + "\(remedy: "remove the key")"
    case .stringTooLong(let key, let count):
      "a string of metadata key “\(key)” has \(Figures.bytes(count)), more than the limit of "
        + "\(Figures.grouped(GGUFLimits.stringBytes)); the file is damaged"
    case .arrayTooLong(let key, let count):
      "the array of metadata key “\(key)” has \(Figures.grouped(count)) elements, more than the limit of "
        + "\(Figures.grouped(GGUFLimits.elements)); the file is damaged"
    case .wrongBool(let key, let byte):
      "metadata key “\(key)” is a truth value of \(byte) instead of 0 or 1; the file is damaged"
    case .alignmentType(let type):
      "general.alignment is of type \(type) instead of uint32\(remedy: "write the file again")"
    case .alignmentValue(let value):
      "general.alignment is \(Figures.grouped(value)) instead of a power of two up to "
        + "\(Figures.grouped(GGUFLimits.alignment))\(remedy: "write the file again")"
    case .emptyName: "a tensor has no name\(remedy: "write the file again")"
    case .nameTooLong(let count):
      "a tensor name of \(Figures.bytes(count)) is longer than the limit of \(GGUFLimits.nameBytes); "
        + "the file is damaged"
    case .nameNotUTF8: "a tensor name is not UTF-8; the file is damaged"
    case .duplicateTensor(let name):
      "tensor “\(name)” occurs twice"
        + "\(remedy: "write the file again")"
    case .dimensionCount(let tensor, let count):
      "tensor “\(tensor)” has \(Figures.grouped(count)) dimensions instead of 1 to \(GGUFLimits.dimensions); "
        + "the file is damaged"
    case .zeroDimension(let tensor):
      "tensor “\(tensor)” has a dimension of 0\(remedy: "write the file again")"
    case .hugeTensor(let tensor):
      "the size of tensor “\(tensor)” does not fit 63 bits; the file is damaged"
    case .unknownType(let tensor, let number):
      "tensor “\(tensor)” is of type \(unreadTypeName(number)), which cannot be read"
        + "\(remedy: "use a file of another one, such as Q8_0, Q4_K or IQ4_XS")"
    case .brokenRow(let tensor, let type, let columns):
      "tensor “\(tensor)” has rows of \(Figures.grouped(columns)) values, which is not a "
        + "multiple of the \(type.blockLength) that \(type.name) needs"
        + "\(remedy: "write the file again")"
    case .misaligned(let tensor, let offset, let alignment):
      "tensor “\(tensor)” starts \(Figures.bytes(offset)) into the data, which is not a multiple "
        + "of the alignment \(Figures.grouped(alignment))\(remedy: "write the file again")"
    case .outsideFile(let tensor, let end, let size):
      "tensor “\(tensor)” ends at byte \(Figures.grouped(end)) of a file of "
        + "\(Figures.bytes(size))\(remedy: "copy or download the file again")"
    case .overlap(let tensor, let other):
      "tensor “\(tensor)” overlaps tensor “\(other)”\(remedy: "write the file again")"
    case .laterPart(let number, let count, let first):
      "this is part \(number) of \(count)\(remedy: "give the first one, “\(first)”, and the others are found")"
    case .missingPart(let number, let count, let name):
      "this is part 1 of \(count), and part \(number), “\(name)”, is not beside it"
        + "\(remedy: "put all parts into one folder, under the names that they had")"
    case .partName(let count):
      "this is part 1 of \(count), and its name does not end with “\(GGUFPartName.ending(1, of: count))”"
        + "\(remedy: "give all parts the names that they had, so that the others are found")"
    case .wrongPart(let number, let count, let expected, let total):
      "this is \(partTitle(number, count)), where its name and the first part say part \(expected) of \(total)"
        + "\(remedy: "download it again, or give it the name that it had")"
    case .partTensors(let count, let expected):
      "the parts have \(Figures.count(count, "tensor")) together where \(Figures.grouped(expected)) are promised here, "
        + "so that one is of another model\(remedy: "download all parts again, from one place")"
    case .tensorInTwoParts(let tensor, let other):
      "tensor “\(tensor)” is in “\(other)” already, so that one of them is of another model"
        + "\(remedy: "download all parts again, from one place")"
    case .wrongType(let key, let found, let expected):
      "metadata key “\(key)” is \(found) instead of \(expected)\(remedy: "write the file again")"
    case .valueOutOfRange(let key, let value):
      "metadata key “\(key)” is \(value), which is out of range\(remedy: "write the file again")"
    case .textNotUTF8(let key):
      "metadata key “\(key)” is not UTF-8 text"
        + "\(remedy: "write the file again")"
    }
  }
}

/// What is often in the place of a model, by its first bytes, and what to do then.
private func otherFile(_ bytes: [UInt8]) -> ErrorText {
  switch String(decoding: bytes, as: UTF8.self) {
  case let text where text.hasPrefix("<"):
    ", but a page of the web\(remedy: "give the address that its download button has")"
  case "PK\u{3}\u{4}": ", but an archive\(remedy: "unpack it")"
  case "lmgg", "fmgg", "tjgg":
    ", but a model in a form that GGUF has replaced\(remedy: "convert the model again")"
  default: ""
  }
}

/// What the keys of a part say that it is; `number` is from zero.
private func partTitle(_ number: Int?, _ count: Int?) -> String {
  guard let number, let count else { return "no part of a model" }
  return "part \(number.addingReportingOverflow(1).partialValue) of \(count)"
}

/// Number and, where ggml has one, name of a type that is not read here.
private func unreadTypeName(_ number: UInt32) -> String {
  let names: [UInt32: String] = [
    4: "Q4_2, removed from ggml", 5: "Q4_3, removed from ggml", 9: "Q8_1", 15: "Q8_K",
    19: "IQ1_S", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64",
    29: "IQ1_M", 31: "Q4_0_4_4, removed from ggml", 32: "Q4_0_4_8, removed from ggml",
    33: "Q4_0_8_8, removed from ggml", 34: "TQ1_0", 40: "NVFP4", 41: "Q1_0",
  ]
  guard let name = names[number] else { return "\(number)" }
  return "\(number) (\(name))"
}

/// Upper bounds on what a GGUF file may ask for: far above real models, far below what would hurt.
enum GGUFLimits {
  static let keys = 65_536
  static let tensors = 65_536
  static let keyBytes = 65_535
  static let nameBytes = 63
  static let stringBytes = 16 << 20
  static let elements = 16 << 20
  static let dimensions = 4
  static let alignment = 1 << 20
  static let parts = 1000
}

extension FileError {
  /// A GGUF file breaks a rule of its format at byte `offset`.
  package static func gguf(_ defect: GGUFDefect, path: String, offset: Int) -> FileError {
    .malformed(Malformation(defect), path: path, offset: offset)
  }
}
