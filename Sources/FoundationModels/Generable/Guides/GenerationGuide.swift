import Adapters

/// A limit on the values that a model may generate for a property or an element.
///
/// Every guide is enforced while the text is generated; one that cannot be is refused before the first token.
public struct GenerationGuide<Value>: Sendable {
  /// What the guide asks for, all of it.
  let rules: [SchemaRule]

  init(_ rules: SchemaRule...) {
    self.rules = rules
  }
}

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
    self = regex._literalPattern.map(SchemaPattern.text) ?? .unreadable
  }
}
