public import Foundation

/// Why content cannot be read as a value.
public enum GeneratedContentError: Error, Equatable, Sendable {
  /// The text is not JSON, not even the beginning of it.
  case malformedJSON(reason: String, offset: Int)
  /// A structure lacks a property.
  case missingProperty(name: String)
  /// The content is of another kind than the type asks for.
  case wrongKind(type: String, found: String)
  /// The content has the right kind, but a value that the type does not have.
  case wrongValue(type: String, value: String)
}

extension GeneratedContentError: LocalizedError, CustomStringConvertible {
  /// As the description.
  public var errorDescription: String? { description }

  /// What can be done.
  public var recoverySuggestion: String? {
    switch self {
    case .malformedJSON: "Give a text that is JSON, or the beginning of it."
    case .missingProperty: "Make the property optional, or give content that has it."
    case .wrongKind, .wrongValue: "Read the content as what it is, or give other content."
    }
  }

  /// One sentence that says what was found and what was asked for.
  public var description: String {
    switch self {
    case .malformedJSON(let reason, let offset):
      "The text is not JSON: \(reason) at byte \(offset)."
    case .missingProperty(let name):
      "The content has no property '\(name)'."
    case .wrongKind(let type, let found):
      "The content is \(found), which cannot be read as \(type)."
    case .wrongValue(let type, let value):
      "The value \(value) cannot be read as \(type)."
    }
  }
}
