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
