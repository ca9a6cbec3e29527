import SystemFiles

/// Reads the header and the metadata of a GGUF file, front to back.
struct GGUFParser {
  struct Header {
    let version: Int
    let tensorCount: Int
    let keyCount: Int
  }

  var cursor: ByteCursor

  init(bytes: TensorBytes, path: String) {
    cursor = ByteCursor(bytes, path: path)
  }

  mutating func header() throws(FileError) -> Header {
    let magic = try cursor.take(4, "the magic").array
    guard magic == Array("GGUF".utf8) else { throw defect(.wrongMagic(magic), at: 0) }
    let version = try cursor.read(UInt32.self, "the version")
    switch version {
    case 2, 3: break
    case 1: throw defect(.versionOne, at: 4)
    case let other where other != 0 && other & 0xFFFF == 0: throw defect(.bigEndian, at: 4)
    default: throw defect(.unknownVersion(version), at: 4)
    }
    let tensors = try cursor.read(UInt64.self, "the tensor count")
    guard tensors <= UInt64(GGUFLimits.tensors) else {
      throw defect(.tooManyTensors(tensors), at: 8)
    }
    let keys = try cursor.read(UInt64.self, "the key count")
    guard keys <= UInt64(GGUFLimits.keys) else { throw defect(.tooManyKeys(keys), at: 16) }
    // The smallest key takes 8 + 1 + 4 + 1 bytes, the smallest tensor entry 8 + 1 + 4 + 8 + 4 + 8.
    try cursor.require(keys * 14 + tensors * 33, "the metadata and the tensor table")
    return Header(version: Int(version), tensorCount: Int(tensors), keyCount: Int(keys))
  }

  mutating func metadata(count: Int) throws(FileError) -> GGUFMetadata {
    var entries: [GGUFMetadata.Entry] = []
    var places: [ExactName: Int] = [:]
    entries.reserveCapacity(count)
    places.reserveCapacity(count)
    for index in 0..<count {
      let entry = try entry()
      guard places.updateValue(index, forKey: ExactName(entry.key)) == nil else {
        throw defect(.duplicateKey(entry.key), at: entry.offset)
      }
      entries.append(entry)
    }
    return GGUFMetadata(entries: entries, places: places, path: cursor.path)
  }

  func alignment(_ metadata: GGUFMetadata) throws(FileError) -> Int {
    guard let entry = metadata.entry("general.alignment") else { return 32 }
    guard case .uint32(let value) = entry.value else {
      throw defect(.alignmentType(entry.type), at: entry.offset)
    }
    guard value.nonzeroBitCount == 1, value <= GGUFLimits.alignment else {
      throw defect(.alignmentValue(value), at: entry.offset)
    }
    return Int(value)
  }

  private mutating func entry() throws(FileError) -> GGUFMetadata.Entry {
    let offset = cursor.offset
    let key = try key()
    let type = try valueType(key: key)
    switch type {
    case .array: return try arrayEntry(key: key, offset: offset)
    case .string:
      let bytes = try string(key: key)
      return .init(
        key: key, offset: offset, type: type, elementType: type, count: bytes.count, bytes: bytes)
    default:
      let bytes = try cursor.take(UInt64(type.size ?? 0), "the value of “\(key)”")
      if type == .bool { try checkBools(bytes, key: key) }
      return .init(key: key, offset: offset, type: type, elementType: type, count: 1, bytes: bytes)
    }
  }

  private mutating func key() throws(FileError) -> String {
    try text(
      "a metadata key", limit: GGUFLimits.keyBytes, empty: .emptyKey,
      tooLong: GGUFDefect.keyTooLong, notUTF8: .keyNotUTF8)
  }

  mutating func name() throws(FileError) -> String {
    try text(
      "a tensor name", limit: GGUFLimits.nameBytes, empty: .emptyName,
      tooLong: GGUFDefect.nameTooLong, notUTF8: .nameNotUTF8)
  }

  private mutating func text(
    _ field: String, limit: Int, empty: GGUFDefect, tooLong: (UInt64) -> GGUFDefect,
    notUTF8: GGUFDefect
  ) throws(FileError) -> String {
    let offset = cursor.offset
    let length = try cursor.read(UInt64.self, "the length of \(field)")
    guard length > 0 else { throw defect(empty, at: offset) }
    guard length <= UInt64(limit) else { throw defect(tooLong(length), at: offset) }
    let bytes = try cursor.take(length, field).array
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw defect(notUTF8, at: offset)
    }
    return text
  }

  private mutating func valueType(key: String) throws(FileError) -> GGUFValueType {
    let offset = cursor.offset
    let number = try cursor.read(UInt32.self, "the value type of “\(key)”")
    guard let type = GGUFValueType(rawValue: number) else {
      throw defect(.unknownValueType(key: key, number: number), at: offset)
    }
    return type
  }

  private mutating func string(key: String) throws(FileError) -> TensorBytes {
    let offset = cursor.offset
    let length = try cursor.read(UInt64.self, "the string length of “\(key)”")
    guard length <= UInt64(GGUFLimits.stringBytes) else {
      throw defect(.stringTooLong(key: key, bytes: length), at: offset)
    }
    return try cursor.take(length, "a string of “\(key)”")
  }

  private mutating func arrayEntry(
    key: String, offset: Int
  ) throws(FileError) -> GGUFMetadata.Entry {
    let typeOffset = cursor.offset
    let type = try valueType(key: key)
    guard type != .array else { throw defect(.nestedArray(key: key), at: typeOffset) }
    let countOffset = cursor.offset
    let count = try cursor.read(UInt64.self, "the array length of “\(key)”")
    guard count <= UInt64(GGUFLimits.elements) else {
      throw defect(.arrayTooLong(key: key, count: count), at: countOffset)
    }
    let bytes: TensorBytes
    if let size = type.size {
      bytes = try cursor.take(count * UInt64(size), "the array of “\(key)”")
      if type == .bool { try checkBools(bytes, key: key) }
    } else {
      try cursor.require(count, of: 8, "the array of “\(key)”")
      bytes = try strings(Int(count), key: key)
    }
    return .init(
      key: key, offset: offset, type: .array, elementType: type, count: Int(count), bytes: bytes)
  }

  /// Steps over `count` strings and gives their bytes with their lengths.
  private mutating func strings(_ count: Int, key: String) throws(FileError) -> TensorBytes {
    let start = cursor.offset
    let left = cursor.skipStrings(count, limit: GGUFLimits.stringBytes)
    // The string that stopped the walk is read again for its error.
    for _ in 0..<left { _ = try string(key: key) }
    return cursor.bytes.slice(start..<cursor.offset)
  }

  private func checkBools(_ bytes: TensorBytes, key: String) throws(FileError) {
    let wrong = bytes.array.enumerated().first { $0.element > 1 }
    if let wrong {
      throw defect(
        .wrongBool(key: key, byte: wrong.element), at: cursor.offset - bytes.count + wrong.offset)
    }
  }

  func defect(_ defect: GGUFDefect, at offset: Int) -> FileError {
    .gguf(defect, path: cursor.path, offset: offset)
  }
}
