/// The keys of an object; a few are compared one by one, many are found by their hashes.
struct KeySet {
  private static let few = 16
  /// Places of members by their keys' hashes, at most half of them taken; -1 is free.
  private var places: [Int32] = []

  init() {}

  /// The keys of `members`; of equal ones the first counts.
  init(_ members: [JSONObject.Member]) {
    if members.count > Self.few { rehash(members) }
  }

  /// Which of `members`, all of which were added or given, has `key`.
  func index(of key: String, in members: [JSONObject.Member]) -> Int? {
    guard places.isEmpty else {
      let index = places[place(of: key, in: members)]
      return index < 0 ? nil : Int(index)
    }
    let key = key.utf8
    return members.firstIndex { $0.key.utf8.count == key.count && $0.key.utf8.elementsEqual(key) }
  }

  /// Adds `key`, which comes after `members`; false when one of them has it already.
  mutating func insert(_ key: String, after members: [JSONObject.Member]) -> Bool {
    if members.count < Self.few {
      return !members.contains { $0.key.utf8.elementsEqual(key.utf8) }
    }
    if places.count < 2 * (members.count + 1) { rehash(members) }
    let place = place(of: key, in: members)
    guard places[place] < 0 else { return false }
    places[place] = Int32(members.count)
    return true
  }

  private mutating func rehash(_ members: [JSONObject.Member]) {
    var size = 64
    while size < 2 * (members.count + 1) { size *= 2 }
    places = [Int32](repeating: -1, count: size)
    for (index, member) in members.enumerated() {
      let place = place(of: member.key, in: members)
      if places[place] < 0 { places[place] = Int32(index) }
    }
  }

  /// Where `key` is, or belongs.
  private func place(of key: String, in members: [JSONObject.Member]) -> Int {
    // Seeded anew in every process, so that no text can be made of keys that collide.
    var hasher = Hasher()
    for byte in key.utf8 { hasher.combine(byte) }
    var place = hasher.finalize() & (places.count - 1)
    while places[place] >= 0, !members[Int(places[place])].key.utf8.elementsEqual(key.utf8) {
      place = (place + 1) & (places.count - 1)
    }
    return place
  }
}
