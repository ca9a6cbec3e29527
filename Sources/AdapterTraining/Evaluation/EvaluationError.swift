public import SystemFiles

/// Why a model cannot be measured on a file.
public enum EvaluationError: Error, Equatable, Sendable {
  /// A line cannot be used.
  case line(path: String, line: Int, problem: ErrorText)
  /// The file has no lines.
  case empty(path: String)
  /// A value is no rule for answers.
  case rule(ErrorText)
  /// A regular expression is none, is too large or has a part that cannot be searched for.
  case pattern(start: String, problem: String)
  /// The lines of a data set have errors, or cannot be rendered for this base.
  case data(DataSetError)
  /// The losses cannot be measured.
  case loss(TrainingError)
}

extension EvaluationError: ExplainedError {
  /// What is wrong, where, and what to do.
  public var text: ErrorText {
    switch self {
    case .line(let path, let line, let problem): "\(path): line \(line): \(problem)"
    case .empty(let path):
      "\(path): there is nothing to measure in it\(remedy: "give lines with a prompt and an answer")"
    case .rule(let problem): problem
    case .pattern(let start, let problem):
      "The pattern '\(start)' \(problem)\(remedy: "use another pattern")"
    case .data(let error): "\(error)"
    case .loss(let error): "\(error)"
    }
  }
}
