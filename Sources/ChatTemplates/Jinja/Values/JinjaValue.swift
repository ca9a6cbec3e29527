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
  /// What the items of a named tuple are called, in their order; none for others.
  let names: [String]
  /// Values inside values; freeing deep ones would take more stack than there is.
  let depth: Int
  /// What going through all of them takes, in steps.
  let size: Int

  init(_ items: [JinjaValue], names: [String] = []) {
    (self.items, self.names) = (items, names)
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
  static func tuple(_ items: [JinjaValue], names: [String] = []) -> JinjaValue {
    .tuple(JinjaList(items, names: names))
  }

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
