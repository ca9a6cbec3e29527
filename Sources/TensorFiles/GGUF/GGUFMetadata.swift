public import SystemFiles

/// The key–value part of a GGUF file; values stay in the file until they are asked for.
public struct GGUFMetadata: Sendable {
  /// Where one value lies.
  struct Entry: Sendable {
    let key: String
    /// First byte of the key in the file.
    let offset: Int
    let type: GGUFValueType
    /// Only for arrays.
    let elementType: GGUFValueType
    /// Elements of an array, bytes of a string, else 1.
    let count: Int
    let bytes: TensorBytes
  }

  let entries: [Entry]
  private let places: [ExactName: Int]
  /// Named in errors.
  let path: String

  /// Expects entries with different keys.
  init(entries: [Entry], places: [ExactName: Int], path: String) {
    self.entries = entries
    self.places = places
    self.path = path
  }

  /// All keys, in the order of the file.
  public var keys: [String] { entries.map(\.key) }

  /// The value of `key`, or nil when there is none.
  public subscript(key: String) -> GGUFValue? {
    guard let entry = entry(key) else { return nil }
    return entry.value
  }

  /// The type and the bytes of a value as the file has them; of an array, the elements.
  package func encoded(_ key: String) -> (type: GGUFValueType, bytes: TensorBytes)? {
    entry(key).map { ($0.type, $0.bytes) }
  }

  func entry(_ key: String) -> Entry? {
    places[ExactName(key)].map { entries[$0] }
  }
}

extension GGUFMetadata.Entry {
  var value: GGUFValue {
    switch type {
    case .string: .string(bytes.array)
    case .array: .array(GGUFArray(elementType: elementType, count: count, bytes: bytes))
    default: decodeScalar(type, in: bytes, at: 0) ?? .string([])
    }
  }
}

/// Typed access: nil when the key is missing, an error when its value is of another kind.
extension GGUFMetadata {
  /// The bytes of a string, which need not be UTF-8.
  ///
  /// - Throws: `FileError.gguf(.wrongType)`.
  public func bytes(_ key: String) throws(FileError) -> [UInt8]? {
    guard let entry = entry(key) else { return nil }
    guard entry.type == .string else { throw wrongType(entry, expected: "string") }
    return entry.bytes.array
  }

  /// A string.
  ///
  /// - Throws: `FileError.gguf` with `.wrongType` or `.textNotUTF8`.
  public func string(_ key: String) throws(FileError) -> String? {
    guard let entry = entry(key), let bytes = try bytes(key) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .gguf(.textNotUTF8(key: key), path: path, offset: entry.offset)
    }
    return text
  }

  /// An integer of any width.
  ///
  /// - Throws: `FileError.gguf` with `.wrongType`, or `.valueOutOfRange` above `Int.max`.
  public func integer(_ key: String) throws(FileError) -> Int? {
    guard let entry = entry(key) else { return nil }
    if case .uint64(let value) = entry.value, Int(exactly: value) == nil {
      throw .gguf(.valueOutOfRange(key: key, value: "\(value)"), path: path, offset: entry.offset)
    }
    guard let value = entry.value.integer else { throw wrongType(entry, expected: "integer") }
    return value
  }

  /// A floating-point number, or an integer of any width.
  ///
  /// - Throws: `FileError.gguf(.wrongType)`.
  public func float(_ key: String) throws(FileError) -> Double? {
    guard let entry = entry(key) else { return nil }
    guard let value = entry.value.float else { throw wrongType(entry, expected: "number") }
    return value
  }

  /// A truth value.
  ///
  /// - Throws: `FileError.gguf(.wrongType)`.
  public func bool(_ key: String) throws(FileError) -> Bool? {
    guard let entry = entry(key) else { return nil }
    guard case .bool(let value) = entry.value else { throw wrongType(entry, expected: "bool") }
    return value
  }

  /// An array of integers of any width.
  ///
  /// - Throws: `FileError.gguf` with `.wrongType` or `.valueOutOfRange`.
  public func integers(_ key: String) throws(FileError) -> [Int]? {
    guard let (entry, array) = try array(key, of: "array of integers") else { return nil }
    var result: [Int] = []
    result.reserveCapacity(array.count)
    for index in 0..<array.count {
      let value = array.scalar(at: index)
      if case .uint64(let number) = value, Int(exactly: number) == nil {
        throw .gguf(
          .valueOutOfRange(key: key, value: "\(number)"), path: path, offset: entry.offset)
      }
      guard let integer = value?.integer else {
        throw wrongType(entry, expected: "array of integers")
      }
      result.append(integer)
    }
    return result
  }

  /// An array of floating-point numbers.
  ///
  /// - Throws: `FileError.gguf(.wrongType)`.
  public func floats(_ key: String) throws(FileError) -> [Float]? {
    guard let (entry, array) = try array(key, of: "array of numbers") else { return nil }
    guard array.elementType == .float32 || array.elementType == .float64 else {
      throw wrongType(entry, expected: "array of numbers")
    }
    return (0..<array.count).map { Float(array.scalar(at: $0)?.float ?? 0) }
  }

  /// An array of strings, left in the file.
  ///
  /// - Throws: `FileError.gguf(.wrongType)`.
  public func strings(_ key: String) throws(FileError) -> GGUFStrings? {
    guard let (entry, array) = try array(key, of: "array of strings") else { return nil }
    guard let strings = array.strings else {
      throw wrongType(entry, expected: "array of strings")
    }
    return strings
  }

  private func array(
    _ key: String, of expected: String
  ) throws(FileError) -> (Entry, GGUFArray)? {
    guard let entry = entry(key) else { return nil }
    guard case .array(let array) = entry.value else { throw wrongType(entry, expected: expected) }
    return (entry, array)
  }

  private func wrongType(_ entry: Entry, expected: String) -> FileError {
    let found = entry.type == .array ? "array of \(entry.elementType)" : "\(entry.type)"
    return .gguf(
      .wrongType(key: entry.key, found: found, expected: expected), path: path,
      offset: entry.offset)
  }
}
