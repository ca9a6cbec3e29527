public import FoundationEssentials

/// What is wrong, and what to do about it: a literal with the remedy as its last part.
///
///     "\(path): not a regular file\(remedy: "give the path of the file itself")"
///     "\(path): exists already\(remedy: "give another path", command: "give another path, or --force")"
///
/// The remedy of an error within the text is the whole text's. Who calls a library has no options: they are for `command:` alone.
public struct ErrorText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// What is wrong, and where.
  public private(set) var problem: String
  /// The next step; nil where there is none.
  public private(set) var remedy: String?
  /// The next step as the command says it; nil where there is none.
  private var command: String?

  /// A text without a remedy.
  public init(_ problem: String) { self.problem = problem }

  /// A literal without a remedy.
  public init(stringLiteral value: String) { self.init(value) }

  /// A literal with its parts.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

  /// Both texts in one, for literals that are longer than a line.
  public static func + (left: ErrorText, right: ErrorText) -> ErrorText { "\(left)\(right)" }

  /// The text with both parts changed.
  package func map(_ change: (String) -> String) -> ErrorText {
    var text = ErrorText(change(problem))
    (text.remedy, text.command) = (remedy.map(change), command.map(change))
    return text
  }

  /// The text as the command says it, with its options in the remedy.
  package var inCommand: ErrorText {
    var text = self
    text.remedy = command
    return text
  }

  /// A literal as the compiler puts it together.
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ErrorText("")

    /// Nothing yet.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds to the problem.
    public mutating func appendLiteral(_ literal: String) { text.problem += literal }

    /// Adds a value to the problem, and the remedy of an error to the remedy.
    public mutating func appendInterpolation(_ value: some Any) {
      if let error = value as? any ExplainedError {
        appendInterpolation(error.text)
      } else {
        text.problem += "\(value)"
      }
    }

    /// Adds both parts of a text.
    public mutating func appendInterpolation(_ part: ErrorText) {
      text.problem += part.problem
      guard let remedy = part.remedy else { return }
      appendInterpolation(remedy: remedy, command: part.command ?? remedy)
    }

    /// Adds to the remedy.
    public mutating func appendInterpolation(remedy: String) {
      appendInterpolation(remedy: remedy, command: remedy)
    }

    /// Adds to the remedy, which the command says in other words.
    package mutating func appendInterpolation(remedy: String, command: String) {
      text.remedy = text.remedy.map { "\($0); \(remedy)" } ?? remedy
      text.command = text.command.map { "\($0); \(command)" } ?? command
    }
  }
}

extension ErrorText: CustomStringConvertible {
  /// The problem, and the remedy behind a semicolon.
  public var description: String { remedy.map { "\(problem); \($0)" } ?? problem }
}

/// An error that says what to do apart from what is wrong.
public protocol ExplainedError: LocalizedError, CustomStringConvertible {
  /// What is wrong, where, and what to do.
  var text: ErrorText { get }
}

extension ExplainedError {
  /// What is wrong, where, and what to do, in one sentence.
  public var description: String { text.description }

  /// The next step; nil where there is none.
  public var remedy: String? { text.remedy }

  /// What is wrong, and where; `localizedDescription` is this.
  public var errorDescription: String? { text.problem }

  /// The next step; nil where there is none.
  public var recoverySuggestion: String? { text.remedy }

  // Foundation's own are out of sight of files that do not import it.

  /// Nil: the description has it.
  public var failureReason: String? { nil }

  /// Nil.
  public var helpAnchor: String? { nil }
}

extension [String] {
  /// The names as a choice: `a`, `a or b`, `a, b or c`.
  package var choice: String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
