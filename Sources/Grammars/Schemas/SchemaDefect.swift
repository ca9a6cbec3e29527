public import SystemFiles

/// What is wrong with a part of a JSON Schema.
public enum SchemaDefect: Error, Equatable, Sendable {
  /// Something is of another kind than JSON Schema has there.
  case wrongKind(String, expected: String)
  /// A keyword limits values in a way that cannot be enforced.
  case unsupportedKeyword(String)
  /// A regular expression has a part that cannot be enforced.
  case unsupportedPattern(String, part: String)
  /// No type is called so.
  case unknownType(String)
  /// A reference leads nowhere, or out of the schema.
  case unknownReference(String)
  /// A property is required that is not described.
  case unknownProperty(String)
  /// No value fits.
  case nothingFits
  /// Parts stand inside of each other too deeply.
  case tooDeep(limit: Int)
}

extension SchemaDefect: ExplainedError {
  /// One sentence without a full stop, where the part is not known.
  public var text: ErrorText { text(at: "some place") }

  /// One sentence without a full stop, for the part at `place`.
  func text(at place: String) -> ErrorText {
    switch self {
    case .wrongKind(let value, let expected):
      "The schema has \(value) at \(place), where \(expected) has to be"
    case .unsupportedKeyword(let key):
      "The schema limits values at \(place) by '\(key)' in a way that cannot be enforced"
        + "\(remedy: "leave it out, or say it in another way")"
    case .unsupportedPattern(let pattern, let part):
      "The schema has the pattern '\(pattern)' at \(place) with \(part), which cannot be enforced"
        + "\(remedy: "use another pattern")"
    case .unknownType(let name):
      "The schema has the type '\(name)' at \(place), which there is not"
        + "\(remedy: "use object, array, string, integer, number, boolean or null")"
    case .unknownReference(let reference):
      "The schema refers to '\(reference)' at \(place), which is no part of it"
        + "\(remedy: "put that part under $defs, and refer to it as '#/$defs/name'")"
    case .unknownProperty(let name):
      "The schema requires the property '\(name)' at \(place), which it does not describe"
        + "\(remedy: "add it to the properties")"
    case .nothingFits: "No value fits the schema at \(place)"
    case .tooDeep(let limit):
      "The schema has more than \(limit) parts inside of each other at \(place)"
    }
  }
}
