package import Kernels

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
  private let places: [String: Int]
  /// Named in errors.
  let path: String

  /// Expects entries with different keys.
  init(entries: [Entry], places: [String: Int], path: String) {
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
    places[key].map { entries[$0] }
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
