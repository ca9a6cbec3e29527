public import FoundationEssentials

/// What is wrong, and what to do about it: a literal with the remedy as its last part.
///
///     "\(path): not a regular file\(remedy: "give the path of the file itself")"
///
/// The remedy of an error within the text is the whole text's. A program that has other words for it, such as its options, finds the error
/// by `rephrased(_:)`: who calls a library has none of them.
public struct ErrorText: Sendable, ExpressibleByStringInterpolation {
  /// What one error within the text says to do; nil for the error that the text is of.
  private struct Step {
    var words: String
    var error: (any ExplainedError)?
  }

  /// What is wrong, and where.
  public private(set) var problem: String
  private var steps: [Step] = []

  /// The next step; nil where there is none.
  public var remedy: String? {
    steps.isEmpty ? nil : steps.map(\.words).joined(separator: "; ")
  }

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
    var text = self
    text.problem = change(problem)
    text.steps = steps.map { Step(words: change($0.words), error: $0.error) }
    return text
  }

  /// The text with other words for what an error says to do; nil keeps those that it has.
  package func rephrased(_ words: (any ExplainedError) -> String?) -> ErrorText {
    var text = self
    text.steps = steps.map { Step(words: $0.error.flatMap(words) ?? $0.words, error: $0.error) }
    return text
  }

  /// The text of `error`, which says in one step what no error within it does.
  fileprivate func of(_ error: any ExplainedError) -> ErrorText {
    guard let place = steps.firstIndex(where: { $0.error == nil }) else { return self }
    let own = steps.filter { $0.error == nil }
    var text = self
    text.steps.removeAll { $0.error == nil }
    let words = own.map(\.words).joined(separator: "; ")
    text.steps.insert(Step(words: words, error: error), at: place)
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
        appendInterpolation(error.text.of(error))
      } else {
        text.problem += "\(value)"
      }
    }

    /// Adds both parts of a text.
    public mutating func appendInterpolation(_ part: ErrorText) {
      text.problem += part.problem
      text.steps += part.steps
    }

    /// Adds to the remedy.
    public mutating func appendInterpolation(remedy: String) {
      text.steps.append(Step(words: remedy, error: nil))
    }
  }
}

extension ErrorText: Equatable {
  /// Whether both say the same, whichever errors are within.
  public static func == (left: ErrorText, right: ErrorText) -> Bool {
    left.problem == right.problem && left.remedy == right.remedy
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
