public import JSON
public import SystemFiles

/// What a model may write: JSON of one form, on one line, with a space after each comma and colon; and what a format puts
/// around it.
public struct Grammar: Sendable, Equatable {
  /// A part of a grammar.
  public indirect enum Rule: Sendable, Equatable {
    /// Properties in this order, of which so many are there; the model chooses which optional ones.
    case object([Property], minimum: Int = 0, maximum: Int? = nil)
    /// Elements of one form; the model chooses their number within the bounds.
    case list(Rule, minimum: Int, maximum: Int?)
    /// A list whose first elements have a form each, and all others one.
    case tuple([Rule], others: Rule, minimum: Int, maximum: Int?)
    /// Members with any names and values of one form; the model chooses their number within the bounds, and may use a name
    /// twice.
    case dictionary(Rule, minimum: Int = 0, maximum: Int? = nil)
    /// Any text, with all of JSON's escapes.
    case text
    /// A text of so many Unicode scalars.
    case sizedText(minimum: Int, maximum: Int?)
    /// One of these texts.
    case texts([String])
    /// A text that matches a regular expression as a whole, or has a match in it.
    case pattern(String, anywhere: Bool = false)
    /// A number without fraction, within the bounds; on a side without one it keeps to 64 bits, unless none of those is within the other.
    case integer(minimum: JSONNumber?, maximum: JSONNumber?)
    /// A number within the bounds, written without exponent.
    case number(minimum: JSONNumber?, maximum: JSONNumber?)
    /// `true` or `false`.
    case boolean
    /// `null`.
    case null
    /// This value alone.
    case literal(JSONValue)
    /// Any JSON.
    case anything
    /// One of several; the model chooses.
    case choice([Rule])
    /// The rule with this name.
    case reference(String)
    /// These bytes, which need not be JSON, but parts of a text in UTF-8: what a format writes around values.
    case verbatim([UInt8])
    /// A text as it is, without quotes, that matches a regular expression as a whole.
    case plainPattern(String)
    /// Parts, one after the other with nothing between them.
    case sequence([Rule])
    /// Parts of one form with bytes between them; the model chooses their number within the bounds.
    case joined(Rule, separator: [UInt8], minimum: Int, maximum: Int?)
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

extension Grammar {
  /// - Throws: What keeps it from being enforced.
  package func check() throws(GrammarDefect) { _ = try GrammarCompiler.compile(self) }

  /// The grammar with `prefix` in front of the name of each rule, so that its rules can stand beside those of others.
  public func prefixed(by prefix: String) -> Grammar {
    Grammar(
      Self.prefixed(root, prefix),
      rules: Dictionary(
        uniqueKeysWithValues: rules.map { (prefix + $0.key, Self.prefixed($0.value, prefix)) }))
  }

  private static func prefixed(_ rule: Rule, _ prefix: String) -> Rule {
    switch rule {
    case .reference(let name): .reference(prefix + name)
    case .object(let properties, let minimum, let maximum):
      .object(
        properties.map {
          Property($0.name, prefixed($0.rule, prefix), isOptional: $0.isOptional)
        }, minimum: minimum, maximum: maximum)
    case .list(let element, let minimum, let maximum):
      .list(prefixed(element, prefix), minimum: minimum, maximum: maximum)
    case .tuple(let first, let others, let minimum, let maximum):
      .tuple(
        first.map { prefixed($0, prefix) }, others: prefixed(others, prefix), minimum: minimum,
        maximum: maximum)
    case .dictionary(let value, let minimum, let maximum):
      .dictionary(prefixed(value, prefix), minimum: minimum, maximum: maximum)
    case .choice(let rules): .choice(rules.map { prefixed($0, prefix) })
    case .sequence(let rules): .sequence(rules.map { prefixed($0, prefix) })
    case .joined(let rule, let separator, let minimum, let maximum):
      .joined(prefixed(rule, prefix), separator: separator, minimum: minimum, maximum: maximum)
    case .text, .sizedText, .texts, .pattern, .integer, .number, .boolean, .null, .literal,
      .anything, .verbatim, .plainPattern:
      rule
    }
  }
}

/// The ways in which a grammar can ask for what cannot be enforced.
public enum GrammarDefect: Error, Equatable, Sendable {
  /// A regular expression has a part that cannot be enforced, at a place counted in scalars.
  case unsupportedPattern(pattern: String, part: String, offset: Int)
  /// The bounds leave no value, or have more digits than can be handled.
  case emptyRange(minimum: String, maximum: String)
  /// The bounds of a list, an object or of a text's length leave no count.
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
  /// The text so far can be read in so many ways that finding what comes next takes too long.
  case tooAmbiguous
  /// A part of a JSON Schema, at a JSON pointer, is wrong or cannot be enforced.
  case schema(SchemaDefect, place: String)
  /// What stands around values has a byte that no text has, and that stands for none of the marks.
  case unwritableByte(UInt8)
  /// The chat format has no token that ends an answer.
  case noStopToken
}

extension GrammarDefect: ExplainedError {
  /// A sentence with a full stop.
  public var description: String { "\(text)." }

  /// One sentence that names the part, and the remedy where there is one.
  public var text: ErrorText {
    switch self {
    case .unsupportedPattern(let pattern, let part, let offset):
      "The pattern '\(pattern)' has \(part) at \(offset), which cannot be enforced"
        + "\(remedy: "use another pattern")"
    case .emptyRange(let minimum, let maximum):
      "No number is between \(minimum) and \(maximum), as far as digits can tell"
        + "\(remedy: "change the bounds")"
    case .emptyCount(let minimum, let maximum):
      "Nothing has between \(minimum) and \(maximum) parts\(remedy: "change the bounds")"
    case .emptyChoice: "A choice has nothing to choose from\(remedy: "add a choice")"
    case .undefinedRule(let name): "The rule '\(name)' is not defined\(remedy: "add it")"
    case .duplicateProperty(let name):
      "An object has two properties named '\(name)'"
        + "\(remedy: "rename one")"
    case .endless:
      "Every value would have to contain another one without end\(remedy: "make a part optional")"
    case .tooLarge(let limit):
      "The grammar has more than \(limit) parts"
        + "\(remedy: "use smaller counts in patterns, minProperties or maxProperties, or fewer choices")"
    case .tooAmbiguous:
      "The text so far can be read in too many ways to find what may come next"
        + "\(remedy: "use patterns whose alternatives differ early, and smaller counts in them")"
    case .schema(let defect, let place): defect.text(at: place)
    case .unwritableByte(let byte):
      "The grammar has the byte 0x\(String(byte, radix: 16, uppercase: true)), which no text has\(remedy: "leave it out")"
    case .noStopToken: "The base has no token that ends an answer"
    }
  }
}
