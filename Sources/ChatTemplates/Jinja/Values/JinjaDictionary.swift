/// A dictionary that keeps the order of its keys; but for those of namespaces none changes once it is made.
final class JinjaDictionary {
  private(set) var items: [(key: JinjaValue, value: JinjaValue)] = []
  private var keys: [JinjaKey] = []
  /// Values inside values.
  private(set) var depth = 1
  /// What going through all of them takes, in steps; values that were replaced count on.
  private(set) var size = 1
  /// Places of keys, once there are so many that looking through them takes long.
  private var places: [JinjaKey: Int] = [:]
  private static let indexed = 8

  var count: Int { items.count }

  /// The value of `key`.
  subscript(key: JinjaKey) -> JinjaValue? {
    place(of: key).map { items[$0].value }
  }

  subscript(name: String) -> JinjaValue? {
    guard items.count <= Self.indexed else { return self[.text(Array(name.utf8))] }
    return keys.firstIndex { $0.isText(name) }.map { items[$0].value }
  }

  private func place(of key: JinjaKey) -> Int? {
    guard items.count <= Self.indexed else { return places[key] }
    return keys.firstIndex(of: key)
  }

  /// Sets the value of a key, which has to be one that `JinjaKey` can be made of.
  func set(_ key: JinjaValue, _ value: JinjaValue) {
    guard let hashable = JinjaKey(key) else { return }
    depth = max(depth, 1 + value.depth, 1 + key.depth)
    size = JinjaValue.sum(size, key.size + value.size)
    if let place = place(of: hashable) {
      items[place].value = value
      return
    }
    items.append((key, value))
    keys.append(hashable)
    if items.count == Self.indexed + 1 {
      for (index, key) in keys.enumerated() { places[key] = index }
    } else if items.count > Self.indexed {
      places[hashable] = items.count - 1
    }
  }

  func set(_ name: String, _ value: JinjaValue) { set(.string(name, .data), value) }
}

/// What a value is as a key: numbers that are equal are one key, as in Python.
enum JinjaKey: Hashable {
  case undefined, none
  case integer(Int)
  case double(Double)
  case text([UInt8])
  case tuple([JinjaKey])

  /// nil for what Python cannot hash.
  init?(_ value: JinjaValue) {
    switch value {
    case .undefined: self = .undefined
    case .none: self = .none
    case .bool(let value): self = .integer(value ? 1 : 0)
    case .integer(let value): self = .integer(value)
    case .huge(let text): self = .text(Array("huge \(text)".utf8))
    case .double(let value): self = Int(exactly: value).map(JinjaKey.integer) ?? .double(value)
    case .text(let text): self = .text(text.bytes)
    case .tuple(let values):
      var keys: [JinjaKey] = []
      for value in values {
        guard let key = JinjaKey(value) else { return nil }
        keys.append(key)
      }
      self = .tuple(keys)
    default: return nil
    }
  }

  /// Whether the key is that of `text`, without making one of it.
  func isText(_ text: String) -> Bool {
    guard case .text(let bytes) = self else { return false }
    return bytes.count == text.utf8.count && bytes.elementsEqual(text.utf8)
  }
}
