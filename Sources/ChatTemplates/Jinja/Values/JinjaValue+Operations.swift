extension JinjaValue {
  /// Name of the type, as Python has it.
  var typeName: String {
    switch self {
    case .undefined: "Undefined"
    case .none: "NoneType"
    case .bool: "bool"
    case .integer, .huge: "int"
    case .double: "float"
    case .text(let text): text.isMarkup ? "Markup" : "str"
    case .list: "list"
    case .tuple: "tuple"
    case .dictionary: "dict"
    case .view(let name, _): "dict_\(name)"
    case .range: "range"
    case .generator: "generator"
    case .namespace: "Namespace"
    case .macro: "Macro"
    case .function: "function"
    case .loop: "LoopContext"
    }
  }

  /// What the value is as a condition.
  var isTrue: Bool {
    switch self {
    case .undefined, .none: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .double(let value): value != 0
    case .text(let text): !text.isEmpty
    case .list(let items), .tuple(let items), .view(_, let items): !items.isEmpty
    case .dictionary(let items): items.count > 0
    case .range(_, _, _, let count): count > 0
    case .huge, .generator, .namespace, .macro, .function, .loop: true
    }
  }

  /// The text, if the value is one.
  var sourced: SourcedText? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The number, if the value is one that fits into 64 bits; true is 1.
  var integer: Int? {
    switch self {
    case .integer(let value): value
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }

  var double: Double? {
    switch self {
    case .double(let value): value
    case .huge(let text): Double(text)
    default: integer.map(Double.init)
    }
  }

  var isUndefined: Bool {
    if case .undefined = self { true } else { false }
  }

  var isNone: Bool {
    if case .none = self { true } else { false }
  }

  /// The value, unless it is nothing.
  func used() throws(JinjaFault) {
    if case .undefined(let what) = self { throw .undefined(what) }
  }
}

extension JinjaValue {
  /// `==`; `depth` bounds values inside values.
  func equals(_ other: JinjaValue, depth: Int = 0) throws(JinjaFault) -> Bool {
    guard depth < JinjaLimits.nesting else { throw .tooDeep(limit: JinjaLimits.nesting) }
    switch (self, other) {
    case (.undefined, .undefined), (.none, .none): return true
    case (.text(let left), .text(let right)): return left == right
    case (.huge(let left), .huge(let right)): return left == right
    case (.list(let left), .list(let right)), (.tuple(let left), .tuple(let right)):
      return try Self.equal(left, right, depth)
    case (.dictionary(let left), .dictionary(let right)):
      guard left.count == right.count else { return false }
      for (key, value) in left.items {
        guard let hashable = JinjaKey(key), let twin = right[hashable],
          try value.equals(twin, depth: depth + 1)
        else { return false }
      }
      return true
    case (.range(let start, _, let step, let count), .range(let start2, _, let step2, let count2)):
      return count == count2 && (count == 0 || start == start2 && (count == 1 || step == step2))
    case (.namespace(let left), .namespace(let right)): return left === right
    case (.generator(let left), .generator(let right)): return left === right
    case (.macro(let left), .macro(let right)): return left === right
    default:
      if let left = integer, let right = other.integer { return left == right }
      guard let left = double, let right = other.double else { return false }
      return left == right
    }
  }

  private static func equal(
    _ left: JinjaList, _ right: JinjaList, _ depth: Int
  ) throws(JinjaFault) -> Bool {
    guard left.count == right.count else { return false }
    for (left, right) in zip(left, right) where try !left.equals(right, depth: depth + 1) {
      return false
    }
    return true
  }

  /// Whether the value comes before `other`.
  func isLess(than other: JinjaValue, depth: Int = 0) throws(JinjaFault) -> Bool {
    guard depth < JinjaLimits.nesting else { throw .tooDeep(limit: JinjaLimits.nesting) }
    switch (self, other) {
    case (.text(let left), .text(let right)): return left < right
    case (.list(let left), .list(let right)), (.tuple(let left), .tuple(let right)):
      for (left, right) in zip(left, right) where try !left.equals(right, depth: depth + 1) {
        return try left.isLess(than: right, depth: depth + 1)
      }
      return left.count < right.count
    default:
      try used()
      try other.used()
      if let left = integer, let right = other.integer { return left < right }
      guard let left = double, let right = other.double else {
        throw .wrongType("a \(typeName) and a \(other.typeName) have no order")
      }
      return left < right
    }
  }

  /// Whether `item` is in the value.
  func contains(_ item: JinjaValue) throws(JinjaFault) -> Bool {
    switch self {
    case .text(let text):
      if case .undefined = item { throw .undefined("nothing was looked for in a text") }
      guard let part = item.sourced else {
        throw .wrongType("a \(item.typeName) was looked for in a text")
      }
      return text.contains(part)
    case .dictionary(let dictionary):
      guard let key = JinjaKey(item) else { throw .wrongType("a \(item.typeName) cannot be a key") }
      return dictionary[key] != nil
    default:
      for value in try values(for: "looked through") where try value.equals(item) { return true }
      return false
    }
  }

  /// What a loop over the value gives; `purpose` is for the error.
  func values(for purpose: String = "looped over") throws(JinjaFault) -> [JinjaValue] {
    switch self {
    case .undefined: return []
    case .list(let items), .tuple(let items), .view(_, let items): return items.items
    case .text(let text): return text.characters.map { .text($0) }
    case .dictionary(let dictionary): return dictionary.items.map(\.key)
    case .range(let start, _, let step, let count):
      return (0..<count).map { .integer(start + $0 * step) }
    case .generator(let generator): return try generator.rest()
    case .none, .bool, .integer, .huge, .double, .namespace, .macro, .function, .loop:
      throw .wrongType("a \(typeName) cannot be \(purpose)")
    }
  }

  /// What going through the value costs, in steps.
  var weight: Int {
    switch self {
    case .text(let text): text.bytes.count / 16
    case .huge(let digits): digits.utf8.count / 16
    case .list(let items), .tuple(let items), .view(_, let items): items.count / 2
    case .dictionary(let dictionary): dictionary.count
    case .range(_, _, _, let count): count / 2
    default: 0
    }
  }

  /// How many things are in the value; nil where Python's `len` fails.
  var length: Int? {
    switch self {
    case .undefined: 0
    case .text(let text): text.count
    case .list(let items), .tuple(let items), .view(_, let items): items.count
    case .dictionary(let dictionary): dictionary.count
    case .range(_, _, _, let count): count
    default: nil
    }
  }
}
