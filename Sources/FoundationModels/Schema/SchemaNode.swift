import JSON

/// A part of a schema, in the form of JSON Schema as far as Swift types need it.
indirect enum SchemaNode: Sendable {
  /// Properties in their order.
  case object(SchemaObject)
  /// One of several.
  case choice(SchemaChoice)
  /// A text.
  case string(SchemaString)
  /// A number without fraction.
  case integer(SchemaRange)
  /// A number.
  case number(SchemaRange)
  /// True or false.
  case boolean
  /// Nothing, spelled out.
  case null
  /// A list.
  case list(SchemaList)
  /// The definition with this name; `#` is the whole schema.
  case reference(String)
  /// The schema of a Swift type, looked up only when it is needed, as types may contain themselves.
  case type(SchemaType)
  /// Any JSON.
  case anything
  /// No value at all.
  case nothing

  /// The reference to the whole schema.
  static let root = "#"
}

/// Properties in the order in which they are generated.
struct SchemaObject: Sendable {
  /// A named part.
  struct Property: Sendable {
    var name: String
    var description: String?
    var node: SchemaNode
    var isOptional: Bool
  }

  var title: String?
  var description: String?
  var properties: [Property]

  /// Makes optional properties ones that are always there and may be null.
  mutating func representNilExplicitly() {
    for index in properties.indices where properties[index].isOptional {
      properties[index].isOptional = false
      properties[index].node = .choice(SchemaChoice(branches: [properties[index].node, .null]))
    }
  }
}

/// One of several schemas.
struct SchemaChoice: Sendable {
  var title: String?
  var description: String?
  var branches: [SchemaNode]
}

/// A text, any one unless limited.
struct SchemaString: Sendable, Equatable {
  var title: String?
  var description: String?
  var values: [String]?
  var patterns: [SchemaPattern] = []
}

/// Bounds of a number, ends included.
struct SchemaRange: Sendable, Equatable {
  var minimum: JSONNumber?
  var maximum: JSONNumber?
  /// A bound that no number can keep to, by its text.
  var unusableBound: String?
}

/// Elements of one schema.
struct SchemaList: Sendable {
  var element: SchemaNode
  var minimum: Int?
  var maximum: Int?
}

/// A Swift type with the limits that its use adds.
struct SchemaType: Sendable {
  var type: any Generable.Type
  var rules: [SchemaRule]

  var identity: ObjectIdentifier { ObjectIdentifier(type) }
  /// The type's name, without module and outer types.
  var name: String { String(describing: type) }
}

extension SchemaNode {
  /// The name under which other parts can refer to this one; nil where it has none.
  var title: String? {
    switch self {
    case .object(let object): object.title
    case .choice(let choice): choice.title
    case .string(let string): string.title
    default: nil
    }
  }

  /// What the node is, for the model; nil where nothing is said.
  var description: String? {
    switch self {
    case .object(let object): object.description
    case .choice(let choice): choice.description
    case .string(let string): string.description
    default: nil
    }
  }
}

extension SchemaNode {
  /// The node without a word about what it is.
  var undescribed: SchemaNode {
    switch self {
    case .object(var object):
      object.description = nil
      return .object(object)
    case .choice(var choice):
      choice.description = nil
      return .choice(choice)
    case .string(var string):
      string.description = nil
      return .string(string)
    default: return self
    }
  }
}

extension SchemaNode {
  /// The node, limited by `rules` as well; rules that say nothing about such values change nothing.
  func applying(_ rules: [SchemaRule]) -> SchemaNode {
    rules.reduce(self) { $0.applying($1) }
  }

  private func applying(_ rule: SchemaRule) -> SchemaNode {
    switch (self, rule) {
    case (.string(var string), .values(let values)):
      string.values = string.values?.filter { SchemaString.contains(values, $0) } ?? values
      return .string(string)
    case (.string(var string), .pattern(let pattern)):
      string.patterns.append(pattern)
      return .string(string)
    case (.integer(let range), _): return .integer(range.applying(rule))
    case (.number(let range), _): return .number(range.applying(rule))
    case (.list(var list), .minimumCount(let count)):
      list.minimum = max(list.minimum ?? count, count)
      return .list(list)
    case (.list(var list), .maximumCount(let count)):
      list.maximum = min(list.maximum ?? count, count)
      return .list(list)
    case (.list(var list), .element(let rules)):
      list.element = list.element.applying(rules)
      return .list(list)
    case (.type(var type), _):
      type.rules.append(rule)
      return .type(type)
    default: return self
    }
  }
}

extension SchemaString {
  /// Whether `values` has `value`, scalar by scalar.
  static func contains(_ values: [String], _ value: String) -> Bool {
    values.contains { $0.unicodeScalars.elementsEqual(value.unicodeScalars) }
  }
}

extension SchemaRange {
  /// The narrower of both ranges.
  func applying(_ rule: SchemaRule) -> SchemaRange {
    var range = self
    switch rule {
    case .minimum(let bound):
      range.minimum = Self.tighter(minimum, bound, keepsFirst: { $0 > $1 })
    case .maximum(let bound):
      range.maximum = Self.tighter(maximum, bound, keepsFirst: { $0 < $1 })
    case .unusableBound(let bound): range.unusableBound = bound
    default: break
    }
    return range
  }

  private static func tighter(
    _ first: JSONNumber?, _ second: JSONNumber, keepsFirst: (JSONDecimal, JSONDecimal) -> Bool
  ) -> JSONNumber {
    guard let first, let a = JSONDecimal(first), let b = JSONDecimal(second) else { return second }
    return keepsFirst(a, b) ? first : second
  }
}
