import Grammars
import JSON

/// One limit of a schema, whatever Swift type it was written for.
enum SchemaRule: Sendable, Equatable {
  /// The string is one of these.
  case values([String])
  /// The whole string matches.
  case pattern(SchemaPattern)
  /// The number is at least this.
  case minimum(JSONNumber)
  /// The number is at most this.
  case maximum(JSONNumber)
  /// The number keeps to a bound that no number can keep to, by its text, so that it cannot be enforced.
  case unusableBound(String)
  /// The list has at least so many elements.
  case minimumCount(Int)
  /// The list has at most so many elements.
  case maximumCount(Int)
  /// Each element keeps to these.
  indirect case element([SchemaRule])
}

/// A regular expression in a schema.
enum SchemaPattern: Sendable, Equatable {
  /// The text of one.
  case text(String)
  /// One that was built by code and has no text, so that it cannot be enforced.
  case unreadable
}

extension SchemaPattern {
  init<Output>(_ regex: Regex<Output>) {
    guard let text = regex._literalPattern else {
      self = .unreadable
      return
    }
    // What code has built may print as another one: a choice inside of it has no parentheses.
    let isSame = Grammar.samples(of: text)?.allSatisfy { (try? regex.wholeMatch(in: $0)) != nil }
    self = isSame ?? true ? .text(text) : .unreadable
  }
}
