public import FoundationEssentials

import Adapters

extension GenerationGuide where Value == Int {
  /// The number is `value` or more.
  public static func minimum(_ value: Int) -> GenerationGuide<Int> {
    GenerationGuide(.minimum(JSONNumber(bound: value)))
  }

  /// The number is `value` or less.
  public static func maximum(_ value: Int) -> GenerationGuide<Int> {
    GenerationGuide(.maximum(JSONNumber(bound: value)))
  }

  /// The number is within `range`, ends included.
  public static func range(_ range: ClosedRange<Int>) -> GenerationGuide<Int> {
    GenerationGuide(
      .minimum(JSONNumber(bound: range.lowerBound)), .maximum(JSONNumber(bound: range.upperBound)))
  }
}

extension GenerationGuide where Value == Float {
  /// The number is `value` or more.
  public static func minimum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(.minimum(JSONNumber(bound: value)))
  }

  /// The number is `value` or less.
  public static func maximum(_ value: Float) -> GenerationGuide<Float> {
    GenerationGuide(.maximum(JSONNumber(bound: value)))
  }

  /// The number is within `range`, ends included.
  public static func range(_ range: ClosedRange<Float>) -> GenerationGuide<Float> {
    GenerationGuide(
      .minimum(JSONNumber(bound: range.lowerBound)), .maximum(JSONNumber(bound: range.upperBound)))
  }
}

extension GenerationGuide where Value == Double {
  /// The number is `value` or more.
  public static func minimum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(.minimum(JSONNumber(bound: value)))
  }

  /// The number is `value` or less.
  public static func maximum(_ value: Double) -> GenerationGuide<Double> {
    GenerationGuide(.maximum(JSONNumber(bound: value)))
  }

  /// The number is within `range`, ends included.
  public static func range(_ range: ClosedRange<Double>) -> GenerationGuide<Double> {
    GenerationGuide(
      .minimum(JSONNumber(bound: range.lowerBound)), .maximum(JSONNumber(bound: range.upperBound)))
  }
}

extension GenerationGuide where Value == Decimal {
  /// The number is `value` or more.
  public static func minimum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(.minimum(JSONNumber(bound: value)))
  }

  /// The number is `value` or less.
  public static func maximum(_ value: Decimal) -> GenerationGuide<Decimal> {
    GenerationGuide(.maximum(JSONNumber(bound: value)))
  }

  /// The number is within `range`, ends included.
  public static func range(_ range: ClosedRange<Decimal>) -> GenerationGuide<Decimal> {
    GenerationGuide(
      .minimum(JSONNumber(bound: range.lowerBound)), .maximum(JSONNumber(bound: range.upperBound)))
  }
}

extension JSONNumber {
  /// An integer as a bound.
  fileprivate init(bound value: Int) { self.init(value) }

  /// A number as a bound; not-a-number and infinities are none.
  fileprivate init(bound value: some CustomStringConvertible) {
    guard let number = JSONNumber(text: value.description) else {
      preconditionFailure("\(value) is no bound")
    }
    self = number
  }
}
