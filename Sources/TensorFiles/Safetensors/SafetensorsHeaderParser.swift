/// What the header says of one tensor.
struct SafetensorsEntry {
  let name: String
  let type: SafetensorsType
  let shape: [Int]
  /// Bytes from the start of the data.
  let begin: Int
  let end: Int
  /// Where the entry stands in the file.
  let offset: Int
}

/// A strict parser for the one shape of JSON that a safetensors header may have.
///
/// General JSON parsers drop duplicate names without a word; here they are an error, as in the reference.
struct SafetensorsHeaderParser {
  private(set) var entries: [SafetensorsEntry] = []
  private(set) var metadata: [String: String] = [:]
  private var json: JSONScanner
  private var names: Set<ExactName> = []
  private let tensorLimit: Int

  /// `start` is the header's first byte in the file.
  init(
    _ header: [UInt8], path: String, start: Int, tensorLimit: Int = SafetensorsLimits.tensors
  ) {
    self.tensorLimit = tensorLimit
    json = JSONScanner(header, path: path, start: start)
  }

  mutating func parse() throws(TensorFileError) {
    try json.checkStart()
    try json.object { scanner, key, offset throws(TensorFileError) in
      guard names.insert(ExactName(key)).inserted else {
        throw scanner.defect(.duplicateName(key), at: offset)
      }
      if key == "__metadata__" {
        metadata = try scanner.optionalStringTable()
      } else {
        guard entries.count < tensorLimit else {
          throw scanner.defect(.tooManyTensors, at: offset)
        }
        entries.append(try Self.entry(key, at: offset, &scanner))
      }
    }
    try json.checkEnd()
  }

  private static func entry(
    _ name: String, at offset: Int, _ json: inout JSONScanner
  ) throws(TensorFileError) -> SafetensorsEntry {
    var type: SafetensorsType?
    var shape: [Int]?
    var range: [Int]?
    try json.object { json, field, place throws(TensorFileError) in
      let isRepeated: Bool
      switch field {
      case "dtype":
        isRepeated = type != nil
        let text = try json.string()
        type = SafetensorsType(rawValue: text)
        guard type != nil else {
          throw json.defect(.unknownType(tensor: name, type: text), at: place)
        }
      case "shape":
        isRepeated = shape != nil
        shape = try json.numbers(tensor: name)
      case "data_offsets":
        isRepeated = range != nil
        range = try json.numbers(tensor: name)
      default: throw json.defect(.unknownField(tensor: name, field: field), at: place)
      }
      if isRepeated { throw json.defect(.duplicateField(tensor: name, field: field), at: place) }
    }
    guard let type else { throw missing("dtype") }
    guard let shape else { throw missing("shape") }
    guard let range else { throw missing("data_offsets") }
    guard range.count == 2 else {
      throw json.defect(.offsetCount(tensor: name, count: range.count), at: offset)
    }
    return SafetensorsEntry(
      name: name, type: type, shape: shape, begin: range[0], end: range[1], offset: offset)

    func missing(_ field: String) -> TensorFileError {
      json.defect(.missingField(tensor: name, field: field), at: offset)
    }
  }
}
