public import FoundationEssentials
import JSON

/// A limit on the values that a model may generate for a property or an element.
///
/// Every guide is enforced while the text is generated; one that cannot be is refused before the first token.
public struct GenerationGuide<Value>: Sendable {
  /// What the guide asks for, all of it.
  let rules: [SchemaRule]

  init(_ rules: SchemaRule...) {
    self.init(rules)
  }

  private init(_ rules: [SchemaRule]) {
    self.rules = rules
  }
}

extension GenerationGuide where Value == String {
  /// The string is exactly `value`.
  public static func constant(_ value: String) -> GenerationGuide<String> {
    GenerationGuide(.values([value]))
  }

  /// The string is one of `values`, scalar by scalar.
  public static func anyOf(_ values: [String]) -> GenerationGuide<String> {
    GenerationGuide(.values(values))
  }

  /// The whole string matches `regex`: a literal, one that was made from text, or one that code has built of parts that have a text.
  public static func pattern<Output>(_ regex: Regex<Output>) -> GenerationGuide<String> {
    GenerationGuide(.pattern(SchemaPattern(regex)))
  }
}

extension GenerationGuide where Value == Int {
  /// The number is `value` or more.
  public static func minimum(_ value: Int) -> GenerationGuide<Int> {
    GenerationGuide(SchemaRule.atLeast(value))
  }

  /// The number is `value` or less.
  public static func maximum(_ value: Int) -> GenerationGuide<Int> {
    GenerationGuide(SchemaRule.atMost(value))
  }

  /// The number is within `range`, ends included.
  public static func range(_ range: ClosedRange<Int>) -> GenerationGuide<Int> {
    GenerationGuide(SchemaRule.atLeast(range.lowerBound) + SchemaRule.atMost(range.upperBound))
  }
}

// `@Guide(.range(0 ... .infinity))` names no type, whatever the property is: without a favorite, which is `Double`, the compiler could
// not tell whose infinity is meant.
extension GenerationGuide where Value == Float {
  /// The number is `value` or more; an infinite end is no bound.
  @_disfavoredOverload
  public static func minimum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(SchemaRule.atLeast(value))
  }

  /// The number is `value` or less; an infinite end is no bound.
  @_disfavoredOverload
  public static func maximum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(SchemaRule.atMost(value))
  }

  /// The number is within `range`, ends included; an infinite end is no bound.
  @_disfavoredOverload
  public static func range(_ range: ClosedRange<Float>) -> GenerationGuide<Float> {
    GenerationGuide(SchemaRule.atLeast(range.lowerBound) + SchemaRule.atMost(range.upperBound))
  }
}

extension GenerationGuide where Value == Double {
  /// The number is `value` or more; an infinite end is no bound.
  public static func minimum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(SchemaRule.atLeast(value))
  }

  /// The number is `value` or less; an infinite end is no bound.
  public static func maximum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(SchemaRule.atMost(value))
  }

  /// The number is within `range`, ends included; an infinite end is no bound.
  public static func range(_ range: ClosedRange<Double>) -> GenerationGuide<Double> {
    GenerationGuide(SchemaRule.atLeast(range.lowerBound) + SchemaRule.atMost(range.upperBound))
  }
}

extension GenerationGuide where Value == Decimal {
  /// The number is `value` or more.
  @_disfavoredOverload
  public static func minimum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(SchemaRule.atLeast(value))
  }

  /// The number is `value` or less.
  @_disfavoredOverload
  public static func maximum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(SchemaRule.atMost(value))
  }

  /// The number is within `range`, ends included.
  @_disfavoredOverload
  public static func range(_ range: ClosedRange<Decimal>) -> GenerationGuide<Decimal> {
    GenerationGuide(SchemaRule.atLeast(range.lowerBound) + SchemaRule.atMost(range.upperBound))
  }
}

extension SchemaRule {
  /// A number as the least or the greatest one; nil for an infinite end, which is no bound.
  fileprivate static func bound(
    _ value: some CustomStringConvertible, open end: Double, _ rule: (JSONNumber) -> SchemaRule
  ) -> SchemaRule? {
    let text = value.description
    if let number = JSONNumber(text: text) { return rule(number) }
    return Double(text) == end ? nil : .unusableBound(text)
  }

  fileprivate static func atLeast(_ value: some CustomStringConvertible) -> [SchemaRule] {
    bound(value, open: -.infinity, SchemaRule.minimum).map { [$0] } ?? []
  }

  fileprivate static func atMost(_ value: some CustomStringConvertible) -> [SchemaRule] {
    bound(value, open: .infinity, SchemaRule.maximum).map { [$0] } ?? []
  }
}

extension GenerationGuide {
  /// The list has `count` elements or more.
  public static func minimumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide<[Element]>(.minimumCount(checked(count)))
  }

  /// The list has `count` elements or fewer.
  public static func maximumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide<[Element]>(.maximumCount(checked(count)))
  }

  /// The number of elements is within `range`, ends included.
  public static func count<Element>(_ range: ClosedRange<Int>) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide<[Element]>(
      .minimumCount(checked(range.lowerBound)), .maximumCount(range.upperBound))
  }

  /// The list has exactly `count` elements.
  public static func count<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    GenerationGuide<[Element]>(.minimumCount(checked(count)), .maximumCount(count))
  }

  /// Each element keeps to `guide`.
  public static func element<Element>(_ guide: GenerationGuide<Element>) -> GenerationGuide<
    [Element]
  > where Value == [Element] {
    GenerationGuide<[Element]>(.element(guide.rules))
  }

  private static func checked(_ count: Int) -> Int {
    precondition(count >= 0, "a list of \(count) elements")
    return count
  }
}

// Without these the compiler could not tell the element of a guide in `@Guide(.count(3))`, where no type is named.
extension GenerationGuide where Value == [Never] {
  /// Stands for the guide of the same name on a list of any elements.
  public static func minimumCount(_ count: Int) -> GenerationGuide<Value> {
    GenerationGuide(.minimumCount(checked(count)))
  }

  /// Stands for the guide of the same name on a list of any elements.
  public static func maximumCount(_ count: Int) -> GenerationGuide<Value> {
    GenerationGuide(.maximumCount(checked(count)))
  }

  /// Stands for the guide of the same name on a list of any elements.
  public static func count(_ range: ClosedRange<Int>) -> GenerationGuide<Value> {
    GenerationGuide(.minimumCount(checked(range.lowerBound)), .maximumCount(range.upperBound))
  }

  /// Stands for the guide of the same name on a list of any elements.
  public static func count(_ count: Int) -> GenerationGuide<Value> {
    GenerationGuide(.minimumCount(checked(count)), .maximumCount(count))
  }
}
