/// Keys of somebody's records that nothing reads, and how often each stands there.
package struct UnreadKeys: Sendable, Equatable {
  /// A key that is not read.
  package struct Key: Sendable, Equatable {
    /// Its name; of a message in a list with the list before it, as in `messages[].name`.
    package let name: String
    /// How many records have it.
    package internal(set) var count: Int
    /// Line of the first of them, from 1.
    package let line: Int
  }

  /// Records may have keys of their own each, of which no more are named.
  static let limit = 100

  /// The keys in the order in which they came first, 100 at most.
  package private(set) var keys: [Key] = []
  /// Whether there were more keys than are named.
  package private(set) var isCut = false
  private var places: [String: Int] = [:]

  /// No keys yet.
  package init() {}

  /// Notes a key of the record on `line`.
  package mutating func note(_ name: String, line: Int) {
    add(Key(name: name, count: 1, line: line))
  }

  /// Adds those of another file.
  mutating func add(_ other: UnreadKeys) {
    for key in other.keys { add(key) }
    isCut = isCut || other.isCut
  }

  private mutating func add(_ key: Key) {
    if let place = places[key.name] {
      keys[place].count += key.count
    } else if keys.count < Self.limit {
      places[key.name] = keys.count
      keys.append(key)
    } else {
      isCut = true
    }
  }
}
