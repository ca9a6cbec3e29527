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
    if let place = places[name] {
      keys[place].count += 1
    } else if keys.count < Self.limit {
      places[name] = keys.count
      keys.append(Key(name: name, count: 1, line: line))
    } else {
      isCut = true
    }
  }
}
