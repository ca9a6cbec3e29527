/// The members of a JSON object in their order; keys are compared scalar by scalar.
public struct JSONObject: Sendable, Equatable {
  /// A key with its value.
  public struct Member: Sendable, Equatable {
    /// The key without quotes and escapes.
    public let key: String
    /// The key's value.
    public var value: JSONValue

    /// Where the key starts in the text that it was parsed from, in bytes; nil when it was not.
    ///
    /// It takes no part in equality.
    package var offset: Int? { storedOffset >= 0 ? Int(storedOffset) : nil }
    // As small as this, it fits beside the tag of the value.
    private let storedOffset: Int32

    /// Pairs `key` with `value`.
    public init(key: String, value: JSONValue) { self.init(key: key, value: value, offset: -1) }

    init(key: String, value: JSONValue, offset: Int) {
      self.key = key
      self.value = value
      storedOffset = Int32(clamping: offset)
    }

    /// Whether key and value are the same.
    public static func == (left: Member, right: Member) -> Bool {
      left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }
  }

  /// The members in file order.
  public private(set) var members: [Member]
  private var keySet: KeySet

  /// An object with `members`, whose keys have to differ.
  public init(_ members: [Member] = []) { self.init(members, KeySet(members)) }

  /// As above, with the keys of `members`.
  init(_ members: [Member], _ keySet: KeySet) {
    self.members = members
    self.keySet = keySet
  }

  /// Whether both have the same members in the same order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members == right.members
  }

  /// The keys in file order.
  public var keys: [String] { members.map(\.key) }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of `key`; assigning nil removes the member, a new key goes to the end.
  public subscript(key: String) -> JSONValue? {
    get { keySet.index(of: key, in: members).map { members[$0].value } }
    set {
      switch (keySet.index(of: key, in: members), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil):
        members.remove(at: index)
        keySet = KeySet(members)
      case (nil, let value?):
        _ = keySet.insert(key, after: members)
        members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The members ordered by the code points of their keys, as Python orders them.
  public var sorted: [Member] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object from a literal, in the order written.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { Member(key: $0.0, value: $0.1) })
  }
}
