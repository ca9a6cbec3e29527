public import Adapters

/// What a model may write: JSON of one form, on one line, with a space after each comma and colon.
public struct Grammar: Sendable, Equatable {
  /// A part of a grammar.
  public indirect enum Rule: Sendable, Equatable {
    /// Properties in this order; the model chooses which optional ones are there.
    case object([Property])
    /// Elements of one form; the model chooses their number within the bounds.
    case list(Rule, minimum: Int, maximum: Int?)
    /// Any text, with all of JSON's escapes.
    case text
    /// One of these texts.
    case texts([String])
    /// A text that matches a regular expression as a whole.
    case pattern(String)
    /// A number without fraction, within the bounds and 64 bits.
    case integer(minimum: JSONNumber?, maximum: JSONNumber?)
    /// A number within the bounds, written without exponent.
    case number(minimum: JSONNumber?, maximum: JSONNumber?)
    /// `true` or `false`.
    case boolean
    /// `null`.
    case null
    /// Any JSON.
    case anything
    /// One of several; the model chooses.
    case choice([Rule])
    /// The rule with this name.
    case reference(String)
  }

  /// A named part of an object.
  public struct Property: Sendable, Equatable {
    /// The name, which no other property of the object has.
    public let name: String
    /// The form of the value.
    public let rule: Rule
    /// Whether the model may leave the property out.
    public let isOptional: Bool

    /// A property.
    public init(_ name: String, _ rule: Rule, isOptional: Bool = false) {
      (self.name, self.rule, self.isOptional) = (name, rule, isOptional)
    }
  }

  /// The form of the whole text.
  public let root: Rule
  /// Rules that others refer to.
  public let rules: [String: Rule]

  /// A grammar; references in `root` and `rules` have to be names in `rules`.
  public init(_ root: Rule, rules: [String: Rule] = [:]) {
    (self.root, self.rules) = (root, rules)
  }
}
