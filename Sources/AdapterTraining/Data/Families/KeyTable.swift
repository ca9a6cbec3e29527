/// Numbers by keys that are hashes of their own, in one piece of memory.
struct KeyTable: Sendable {
  /// 0 where there is none.
  private var keys = [UInt64](repeating: 0, count: 64)
  private var values = [Int32](repeating: 0, count: 64)
  /// How many keys there are.
  private(set) var count = 0

  /// The value of `key`, or nil, to which it cannot be set.
  subscript(_ key: UInt64) -> Int32? {
    get {
      let place = place(Self.stored(key))
      return keys[place] == 0 ? nil : values[place]
    }
    set {
      guard let newValue else { return }
      if 2 * count >= keys.count { grow() }
      let key = Self.stored(key)
      let place = place(key)
      if keys[place] == 0 { count += 1 }
      (keys[place], values[place]) = (key, newValue)
    }
  }

  /// Adds 1 to the value of `key`; false where it is not there.
  mutating func increment(_ key: UInt64) -> Bool {
    let place = place(Self.stored(key))
    guard keys[place] != 0 else { return false }
    values[place] += 1
    return true
  }

  func contains(_ key: UInt64) -> Bool { count > 0 && self[key] != nil }

  /// Hands out all keys in no order.
  func forEach<E: Error>(_ body: (_ key: UInt64, _ value: Int32) throws(E) -> Void) throws(E) {
    for (place, key) in keys.enumerated() where key != 0 { try body(key, values[place]) }
  }

  /// Those whose new value is not nil, with that.
  func compactMapValues(_ value: (Int32) -> Int32?) -> KeyTable {
    var table = KeyTable()
    forEach { table[$0] = value($1) }
    return table
  }

  /// Lets go of all keys, but not of their room.
  mutating func removeAll() {
    for place in keys.indices { keys[place] = 0 }
    count = 0
  }

  // Two keys of all that there are share a place.
  private static func stored(_ key: UInt64) -> UInt64 { max(key, 1) }

  private func place(_ key: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: WordHash.mixed(key)) & (keys.count - 1)
    while keys[place] != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
    return place
  }

  private mutating func grow() {
    let old = self
    keys = Array(repeating: 0, count: 2 * old.keys.count)
    values = Array(repeating: 0, count: 2 * old.keys.count)
    old.forEach { key, value in
      let place = place(key)
      (keys[place], values[place]) = (key, value)
    }
  }
}
