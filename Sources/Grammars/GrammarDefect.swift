/// The ways in which a grammar can ask for what cannot be enforced.
public enum GrammarDefect: Error, Equatable, Sendable {
  /// A regular expression has a part that cannot be enforced, at a place counted in scalars.
  case unsupportedPattern(pattern: String, part: String, offset: Int)
  /// The bounds leave no value, or have more digits than can be handled.
  case emptyRange(minimum: String, maximum: String)
  /// The bounds of a list leave no count.
  case emptyCount(minimum: Int, maximum: Int)
  /// A choice has nothing to choose from.
  case emptyChoice
  /// A rule is referred to that is not there.
  case undefinedRule(name: String)
  /// An object has two properties of one name.
  case duplicateProperty(name: String)
  /// The text could never end, as every value has to contain another one.
  case endless
  /// The grammar has too many parts.
  case tooLarge(limit: Int)
  /// The chat format has no token that ends an answer.
  case noStopToken
}

extension GrammarDefect: CustomStringConvertible {
  /// One sentence that names the part, and the remedy where there is one.
  public var description: String {
    switch self {
    case .unsupportedPattern(let pattern, let part, let offset):
      "The pattern '\(pattern)' has \(part) at \(offset), which cannot be enforced; use another pattern."
    case .emptyRange(let minimum, let maximum):
      "No number is between \(minimum) and \(maximum), as far as digits can tell; change the bounds."
    case .emptyCount(let minimum, let maximum):
      "No list has between \(minimum) and \(maximum) elements; change the bounds."
    case .emptyChoice: "A choice has nothing to choose from; add a choice."
    case .undefinedRule(let name): "The rule '\(name)' is not defined; add it."
    case .duplicateProperty(let name): "An object has two properties named '\(name)'; rename one."
    case .endless:
      "Every value would have to contain another one without end; make a part optional."
    case .tooLarge(let limit):
      "The grammar has more than \(limit) parts; use smaller counts in patterns, or fewer choices."
    case .noStopToken: "The base has no token that ends an answer."
    }
  }
}
