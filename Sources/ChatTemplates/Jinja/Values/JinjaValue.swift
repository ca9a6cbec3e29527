/// A value of a template, with the meaning that it has in Python.
enum JinjaValue {
  /// Nothing, with what to say when it is used.
  case undefined(String)
  case none
  case bool(Bool)
  case integer(Int)
  /// An integer of data beyond 64 bits; it can be written and no more.
  case huge(String)
  case double(Double)
  case text(SourcedText)
  case list(JinjaList)
  case tuple(JinjaList)
  case dictionary(JinjaDictionary)
  /// `items()`, `keys()` or `values()` of a dictionary.
  case view(String, JinjaList)
  case range(start: Int, end: Int, step: Int, count: Int)
  /// What filters such as `map` give: read once, and made when it is read.
  case generator(JinjaGenerator)
  case namespace(JinjaNamespace)
  case macro(JinjaMacro)
  case function(JinjaFunction)
  case loop(JinjaLoop)

  /// Text of a template or of this interpreter.
  static func string(_ text: String, _ source: TextSource = .template) -> JinjaValue {
    .text(SourcedText(text, source))
  }
}

/// Values in order, none of which can be changed.
struct JinjaList: RandomAccessCollection {
  let items: [JinjaValue]
  /// Values inside values; freeing deep ones would take more stack than there is.
  let depth: Int
  /// What going through all of them takes, in steps.
  let size: Int

  init(_ items: [JinjaValue]) {
    self.items = items
    var (depth, size) = (0, 1)
    for item in items {
      depth = Swift.max(depth, item.depth)
      size = JinjaValue.sum(size, item.size)
    }
    (self.depth, self.size) = (depth + 1, size)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { items.count }
  subscript(index: Int) -> JinjaValue { items[index] }
}

extension JinjaValue {
  /// A list of `items`.
  static func list(_ items: [JinjaValue]) -> JinjaValue { .list(JinjaList(items)) }
  static func tuple(_ items: [JinjaValue]) -> JinjaValue { .tuple(JinjaList(items)) }

  /// Values inside the value.
  var depth: Int {
    switch self {
    case .list(let items), .tuple(let items), .view(_, let items): items.depth
    case .dictionary(let dictionary): dictionary.depth
    case .generator(let generator): generator.depth
    case .function(let function): function.depth
    case .loop(let loop): loop.depth
    default: 0
    }
  }
}

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

/// Values that are made when they are first read, and can be read once.
final class JinjaGenerator {
  private var make: (() throws(JinjaFault) -> [JinjaValue])?
  private var values: [JinjaValue] = []
  private var position = 0
  /// Generators and values inside each other.
  let depth: Int

  /// Reads `source`, or what is made of it, later; `arguments` are kept for it, too.
  init(
    of source: JinjaValue, with arguments: JinjaArguments = JinjaArguments(),
    _ make: @escaping () throws(JinjaFault) -> [JinjaValue]
  ) {
    self.make = make
    depth = max(source.depth, arguments.depth) + 1
  }

  func next() throws(JinjaFault) -> JinjaValue? {
    if let make {
      self.make = nil
      values = try make()
    }
    guard position < values.count else { return nil }
    position += 1
    return values[position - 1]
  }

  func rest() throws(JinjaFault) -> [JinjaValue] {
    var rest: [JinjaValue] = []
    while let value = try next() { rest.append(value) }
    return rest
  }
}

/// What `namespace()` makes: the one value that a template can change.
final class JinjaNamespace {
  var values = JinjaDictionary()
}

/// Variables of a part of a template.
final class JinjaScope {
  private var values: [NameIndex: JinjaValue] = [:]
  private let outer: JinjaScope?

  init(in outer: JinjaScope?) { self.outer = outer }

  subscript(name: NameIndex) -> JinjaValue? {
    get {
      var scope: JinjaScope? = self
      while let current = scope {
        if let value = current.values[name] { return value }
        scope = current.outer
      }
      return nil
    }
    set { values[name] = newValue }
  }
}

/// A macro with the variables that it sees.
final class JinjaMacro {
  let definition: TemplateMacro
  /// Taken away at the end, as the scope has the macro in it.
  var scope: JinjaScope?

  init(_ definition: TemplateMacro, in scope: JinjaScope) {
    (self.definition, self.scope) = (definition, scope)
  }
}

/// Arguments as values.
struct JinjaArguments {
  var positional: [JinjaValue] = []
  var named: [(name: String, value: JinjaValue)] = []

  /// Values inside the values.
  var depth: Int {
    max(positional.lazy.map(\.depth).max() ?? 0, named.lazy.map(\.value.depth).max() ?? 0)
  }

  /// The values of parameters by position or name; nil for those that are not given.
  ///
  /// - Throws: `JinjaFault.wrongArguments` when there are others.
  func bound(
    to names: [String], required: Int = 0, of function: String
  ) throws(JinjaFault) -> [JinjaValue?] {
    guard positional.count <= names.count else {
      throw .wrongArguments(
        "\(function) takes at most \(names.count) arguments, not \(positional.count)")
    }
    var values: [JinjaValue?] = positional
    values += Array(repeating: nil, count: names.count - positional.count)
    for (name, value) in named {
      guard let index = names.firstIndex(of: name) else {
        throw .wrongArguments("\(function) has no argument “\(name)”")
      }
      guard values[index] == nil else {
        throw .wrongArguments("\(function) is given the argument “\(name)” twice")
      }
      values[index] = value
    }
    for index in 0..<required where values[index] == nil {
      throw .wrongArguments("\(function) needs the argument “\(names[index])”")
    }
    return values
  }

  /// For functions that take no arguments.
  func expectNone(of function: String) throws(JinjaFault) {
    _ = try bound(to: [], of: function)
  }
}

/// Something of this interpreter that can be called.
final class JinjaFunction {
  typealias Body = (Interpreter, JinjaArguments) throws(JinjaFault) -> JinjaValue
  let name: String
  let depth: Int
  let call: Body

  /// `receiver` is what a method is one of, and all that `call` keeps.
  init(_ name: String, of receiver: JinjaValue = .none, _ call: @escaping Body) {
    (self.name, self.depth, self.call) = (name, receiver.depth + 1, call)
  }
}
