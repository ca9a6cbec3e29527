/// What is wrong, and what to do about it: a literal with the remedy as its last part.
///
///     "\(path): not a regular file\(remedy: "give the path of the file itself")"
///
/// The remedy of an error within the text is the whole text's.
public struct ErrorText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// What is wrong, and where.
  public private(set) var problem: String
  /// The next step; nil where there is none.
  public private(set) var remedy: String?

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
    text.remedy = remedy.map(change)
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
      if let remedy = part.remedy { appendInterpolation(remedy: remedy) }
    }

    /// Adds to the remedy.
    public mutating func appendInterpolation(remedy: String) {
      text.remedy = text.remedy.map { "\($0); \(remedy)" } ?? remedy
    }
  }
}

extension ErrorText: CustomStringConvertible {
  /// The problem, and the remedy behind a semicolon.
  public var description: String { remedy.map { "\(problem); \($0)" } ?? problem }
}

/// An error that says what to do apart from what is wrong.
public protocol ExplainedError: Error, CustomStringConvertible {
  /// What is wrong, where, and what to do.
  var text: ErrorText { get }
}

extension ExplainedError {
  /// What is wrong, where, and what to do, in one sentence.
  public var description: String { text.description }

  /// The next step; nil where there is none.
  public var remedy: String? { text.remedy }
}

extension [String] {
  /// The names as a choice: `a`, `a or b`, `a, b or c`.
  package var choice: String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
