import AdapterStore
import AdapterTraining
import Adapters
import ChatTemplates
import LanguageModels
import TensorFiles
import Tokenization

/// An error as the user meets it: a sentence and an exit code.
struct Failure: Error {
  let message: String
  let code: ExitCode

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    // Some are put together from what the user typed.
    self.message = WebAddress.shown(in: message)
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case AdapterError.refused(let report), StoreError.refused(let report): self.init(report)
    case StoreError.notInCatalogs(let name, let known): self.init(name, known: known)
    case let error as StoreError:
      self.init(ExitCode(rawValue: error.exitCode) ?? .unexpected, error.description)
    case let error as AdapterError:
      self.init(ExitCode(rawValue: error.exitCode) ?? .invalid, error.description)
    case DataSetError.refused(let report): self.init(report)
    case DataSetError.file(let error): self.init(ExitCode(error), error.description)
    case let error as DataSetError:
      self.init(ExitCode(rawValue: error.exitCode) ?? .unexpected, error.description)
    case TrainingError.file(let error): self.init(ExitCode(error), error.description)
    case TrainingError.base(let error): self.init(ExitCode(error), error.description)
    case TrainingError.package(let error): self.init(error)
    case let error as TrainingError: self.init(ExitCode(error), error.description)
    case let error as TensorFileError: self.init(ExitCode(error), error.description)
    case let error as LanguageModelError: self.init(ExitCode(error), error.description)
    case let error as TokenizerError: self.init(ExitCode(error), error.description)
    case let error as ChatDefect: self.init(ExitCode(error), error.description)
    case is CancellationError: self.init(.interrupted, "interrupted")
    default: self.init(.unexpected, "\(error)")
    }
  }

  /// A package that may not be used, with all that was found.
  init(_ report: CheckReport) {
    let code = ExitCode(rawValue: report.exitCode) ?? .invalid
    let findings = report.lines(columns: 80, style: .plain).dropLast().joined(separator: "\n")
    self.init(code, report.verdict + "\n\n" + findings)
  }

  /// A data set that cannot be used, with all that was found.
  init(_ report: DataReport) {
    let lines = report.lines(columns: 80, style: .plain)
    self.init(.invalid, "the data set has errors\n\n" + lines.joined(separator: "\n"))
  }

  /// A name that no catalog has, with the one that was probably meant.
  init(_ name: String, known: [String]) {
    let error = StoreError.notInCatalogs(name, known: known)
    let nearest = name.contains("@") ? nil : Suggestion.nearest(to: name, among: known)
    if let nearest {
      self.init(
        .notFound, "no catalog has an adapter '\(name)'; did you mean '\(nearest)'?")
    } else {
      let hint = known.isEmpty ? "; 'fmadapter catalog add ADDRESS' adds one" : ""
      self.init(.notFound, error.description + hint)
    }
  }

  func report(_ terminal: Terminal) -> ExitCode {
    terminal.error(message)
    return code
  }
}
