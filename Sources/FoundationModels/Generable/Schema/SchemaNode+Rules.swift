import Adapters

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
